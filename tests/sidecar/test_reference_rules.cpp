// SPDX-License-Identifier: Apache-2.0
// Rules K1-K18 of the public validator over whole sets of sidecars: each with an input that passes and one that fails.
#include <catch2/catch.hpp>
#include <limits>

#include "sidecar/sidecar_test_support.h"

namespace rlverify::sidecar {
namespace {

using rlverify::test::PtTensor;
using rlverify::test::PtValue;
using test::judge;
using test::Judged;
using test::Sidecars;

void set_element(PtValue& payload, const char* side, std::size_t sample, std::size_t index, float value) {
  PtTensor& tensor = payload[side].at(sample).tensor();
  REQUIRE(tensor.bytes.size() >= (index + 1) * sizeof value);
  std::memcpy(tensor.bytes.data() + index * sizeof value, &value, sizeof value);
}

/// Codes after the same change to all replicas of CP rank 0 of call 0.
template <typename Change>
Judged judge_changed(const Change& change, bool require_exact = true) {
  Sidecars sidecars;
  sidecars.require_exact = require_exact;
  sidecars.change_replicas(0, 0, change);
  return judge(sidecars);
}

}  // namespace

TEST_CASE("The sidecars of a good run pass, with all of it counted once") {
  const Judged judged = judge(Sidecars());
  CHECK(judged.codes().empty());
  CHECK(judged.section.artifacts.size() == 16);
  CHECK(judged.section.sample_count == 4);
  CHECK(judged.section.element_count == 24);
  CHECK(judged.section.torch_equal);
  CHECK(judged.section.bitwise_equal);
  CHECK(judged.section.max_abs_diff == 0.0);
  CHECK(judged.section.mean_abs_diff == 0.0);
  CHECK(judged.section.mismatch_kl == 0.0);
  CHECK(judged.section.mismatch_k3_kl == 0.0);
}

TEST_CASE("K1: no files") {
  Sidecars none;
  none.files.clear();
  const Judged judged = judge(none);
  CHECK(judged.codes() == "RLV-150 RLV-161");  // nothing was compared, so nothing is said about exactness
  CHECK_FALSE(judged.section.max_abs_diff);
  CHECK_FALSE(judged.section.torch_equal);
  none.require_exact = false;
  CHECK(judge(none).codes() == "RLV-150 RLV-161");
}

TEST_CASE("K2-K8: a file that can't be used drops out whole and is named") {
  Sidecars one;
  one.file(0, 0).bytes = "junk";
  const Judged judged = judge(one);
  CHECK(judged.codes() == "RLV-151");  // its TP replicas hold the same shards
  CHECK(judged.finding("RLV-151").place.file == "mismatch-sidecars/rank00000.call00000000.pt");
  CHECK(judged.section.sample_count == 4);
  CHECK(judged.section.artifacts.size() == 16);
  Sidecars all;
  for (int rank = 0; rank < 4; ++rank) {
    all.payload(rank, 0)["schema_version"] = "other";
  }
  CHECK(judge(all).codes() == "RLV-151 RLV-154");
}

TEST_CASE("K9: replicas that differ") {
  Sidecars sidecars;
  set_element(sidecars.payload(2, 0), "train_log_probs", 0, 0, -9.0F);
  const Judged judged = judge(sidecars);
  CHECK(judged.codes() == "RLV-153");
  CHECK(judged.finding("RLV-153").place.rank == 2);
  CHECK(judged.finding("RLV-153").place.sample == 0);
  CHECK(judged.section.bitwise_equal);  // the first replica counts
  Sidecars first;
  set_element(first.payload(0, 0), "train_log_probs", 0, 0, -9.0F);
  CHECK(judge(first).codes() == "RLV-153 RLV-162");
}

TEST_CASE("K10: missing CP shards") {
  Sidecars some;
  some.remove_rank(5);
  CHECK(judge(some).codes().empty());  // three TP replicas are left
  Sidecars all;
  for (int rank = 4; rank < 8; ++rank) {
    all.remove_rank(rank);
  }
  const Judged judged = judge(all);
  CHECK(judged.codes() == "RLV-154");
  CHECK(judged.finding("RLV-154").what == "missing CP shard 1");
  CHECK(judged.finding("RLV-154").count == 4);  // one finding for all four samples
  CHECK(judged.section.sample_count == 4);
}

TEST_CASE("An empty shard is legal, a missing one is not") {
  // Total 16 and response 3 under CP 2: rank 0 owns all three positions, rank 1 none.
  Sidecars sidecars;
  const auto shorten = [](PtValue& payload, const std::vector<float>& values) {
    for (std::size_t sample = 0; sample < 2; ++sample) {
      payload["train_log_probs"].at(sample) = rlverify::test::float_tensor(values);
      payload["rollout_log_probs"].at(sample) = rlverify::test::float_tensor(values);
      payload["loss_masks"].at(sample) = rlverify::test::int_tensor({1, 1, 1});
      payload["response_lengths"].at(sample) = 3;
    }
  };
  sidecars.change_replicas(0, 0, [&shorten](PtValue& payload) { shorten(payload, {-1.0F, -2.0F, -3.0F}); });
  sidecars.change_replicas(1, 0, [&shorten](PtValue& payload) { shorten(payload, {}); });
  CHECK(judge(sidecars).codes().empty());
  CHECK(judge(sidecars).section.element_count == 12 + 6);
  sidecars.files.erase(std::remove_if(sidecars.files.begin(), sidecars.files.end(),
                                      [](const Sidecars::File& file) {
                                        return file.name[8] >= '4' &&
                                               file.name.find("call00000000") != std::string::npos;
                                      }),
                       sidecars.files.end());
  CHECK(judge(sidecars).codes() == "RLV-154");
}

TEST_CASE("K11: shards of one sample with other lengths") {
  const Judged judged = judge_changed([](PtValue& payload) { payload["total_lengths"].at(0) = 15; });
  CHECK(judged.codes().find("RLV-155") != std::string::npos);
}

TEST_CASE("Without context parallelism, K10 and K11 are silent and a rank holds everything") {
  Sidecars sidecars;
  sidecars.files.clear();
  sidecars.layout = {1, 1};
  PtValue payload = PtValue::Dict{{"schema_version", run::kSidecarSchema},
                                  {"rank", 0},
                                  {"call_index", 0},
                                  {"tensor_parallel_size", 1},
                                  {"context_parallel_size", 1},
                                  {"train_log_probs", PtValue::List{rlverify::test::float_tensor({-1.25F, -2.5F})}},
                                  {"rollout_log_probs", PtValue::List{rlverify::test::float_tensor({-1.25F, -2.5F})}},
                                  {"loss_masks", PtValue::List{rlverify::test::int_tensor({1, 1})}},
                                  {"total_lengths", PtValue::List{5}},
                                  {"response_lengths", PtValue::List{2}}};
  sidecars.files.push_back({"rank00000.call00000000.pt", payload, ""});
  CHECK(judge(sidecars).codes().empty());
  CHECK(judge(sidecars).section.element_count == 2);
  set_element(sidecars.files[0].payload, "rollout_log_probs", 0, 0, -1.5F);
  set_element(sidecars.files[0].payload, "rollout_log_probs", 0, 1, -2.5F);
  const Judged judged = judge(sidecars);
  CHECK(judged.codes() == "RLV-162");
  CHECK(judged.section.mean_abs_diff == 0.125);
  CHECK(judged.section.mismatch_kl == -0.125);
  CHECK(*judged.section.mismatch_k3_kl == Approx(0.034025416687741394 / 2).epsilon(1e-15));
  CHECK(judged.section.max_abs_diff == 0.25);
}

TEST_CASE("K12: different lengths of the two sides") {
  const Judged judged = judge_changed(
      [](PtValue& payload) { payload["rollout_log_probs"].at(1) = rlverify::test::float_tensor({-1.0F}); });
  CHECK(judged.codes() == "RLV-156");
  CHECK(judged.section.sample_count == 4);
}

TEST_CASE("K13: different dtypes") {
  CHECK(judge_changed([](PtValue& payload) {
          payload["rollout_log_probs"].at(1).tensor().storage_class = "IntStorage";
        }).codes() == "RLV-157");
}

TEST_CASE("K14: a vector that is not as long as the rank's part of the mask") {
  const Judged judged = judge_changed([](PtValue& payload) {
    payload["train_log_probs"].at(0) = rlverify::test::float_tensor({-1.0F});
    payload["rollout_log_probs"].at(0) = rlverify::test::float_tensor({-1.0F});
  });
  CHECK(judged.codes() == "RLV-158");
  CHECK(judged.finding("RLV-158").expected.find("response length 6, total length 16") != std::string::npos);
}

TEST_CASE("K15: a non-finite value at an active position; behind the mask it is nobody's business") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto plant = [](PtValue& payload) {
    set_element(payload, "train_log_probs", 0, 0, kNan);
    set_element(payload, "rollout_log_probs", 0, 0, kNan);
  };
  CHECK(judge_changed(plant).codes() == "RLV-159");
  CHECK(judge_changed([&plant](PtValue& payload) {
          plant(payload);
          payload["loss_masks"].at(0) = rlverify::test::int_tensor({0, 0, 0, 0, 0, 0});
        })
            .codes()
            .empty());
}

TEST_CASE("K16: exp(d) - d - 1 overflows; the mismatch still counts") {
  const Judged judged = judge_changed([](PtValue& payload) {
    set_element(payload, "train_log_probs", 0, 0, 0.0F);
    set_element(payload, "rollout_log_probs", 0, 0, -800.0F);
  });
  CHECK(judged.codes() == "RLV-160 RLV-162");
  CHECK(judged.section.mismatch_count == 1);
  CHECK(judged.section.bitwise_mismatch_count == 1);
  CHECK(judged.section.max_abs_diff == 0.0);
  CHECK_FALSE(judged.section.torch_equal);
}

TEST_CASE("K17: nothing active at all; one sample without active tokens is fine") {
  const auto mask_out = [](Sidecars& sidecars, std::size_t samples, int calls) {
    for (int cp = 0; cp < 2; ++cp) {
      for (int call = 0; call < calls; ++call) {
        sidecars.change_replicas(cp, call, [samples](PtValue& payload) {
          for (std::size_t sample = 0; sample < samples; ++sample) {
            payload["loss_masks"].at(sample) = rlverify::test::int_tensor({0, 0, 0, 0, 0, 0});
          }
        });
      }
    }
  };
  Sidecars one;
  mask_out(one, 1, 1);
  CHECK(judge(one).codes().empty());
  CHECK(judge(one).section.element_count == 18);
  CHECK(judge(one).section.sample_count == 4);
  Sidecars all;
  all.require_exact = false;
  mask_out(all, 2, 2);
  CHECK(judge(all).codes() == "RLV-161");
  CHECK_FALSE(judge(all).section.mean_abs_diff);
}

TEST_CASE("K18: a difference fails where exactness is required, and only there") {
  const auto flip = [](PtValue& payload) { payload["rollout_log_probs"].at(0).tensor().bytes[0] ^= 1; };
  const Judged exact = judge_changed(flip);
  CHECK(exact.codes() == "RLV-162");
  CHECK(exact.section.bitwise_mismatch_count == 1);
  CHECK(exact.section.mismatch_count == 1);
  CHECK(exact.section.require_exact);
  const Judged loose = judge_changed(flip, false);
  CHECK(loose.codes().empty());
  CHECK(loose.section.mismatch_count == 1);
  const Judged zero = judge_changed([](PtValue& payload) {
    set_element(payload, "train_log_probs", 0, 0, 0.0F);
    set_element(payload, "rollout_log_probs", 0, 0, -0.0F);
  });
  CHECK(zero.codes() == "RLV-162");
  CHECK(zero.section.torch_equal);
  CHECK_FALSE(zero.section.bitwise_equal);
  CHECK(zero.section.bitwise_mismatch_count == 1);
  CHECK(zero.section.mismatch_count == 0);
}

TEST_CASE("The order of files doesn't change sums, only which replica counts") {
  Sidecars sidecars;
  sidecars.change_replicas(1, 1, [](PtValue& payload) { set_element(payload, "rollout_log_probs", 1, 0, -0.3F); });
  sidecars.change_replicas(0, 0, [](PtValue& payload) { set_element(payload, "rollout_log_probs", 0, 0, -7.7F); });
  const Judged forward = judge(sidecars);
  std::reverse(sidecars.files.begin(), sidecars.files.end());
  const Judged backward = judge(sidecars);
  CHECK(forward.section.mean_abs_diff == backward.section.mean_abs_diff);
  CHECK(forward.section.mismatch_k3_kl == backward.section.mismatch_k3_kl);
  CHECK(forward.section.mismatch_count == 2);
}

}  // namespace rlverify::sidecar
