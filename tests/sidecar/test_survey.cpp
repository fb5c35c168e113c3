// SPDX-License-Identifier: Apache-2.0
// What is kept of one sidecar: coordinates, digests for replicas, states; and K4, which needs the manifest's sizes.
#include <catch2/catch.hpp>

#include "sidecar/sidecar_test_support.h"

namespace rlverify::sidecar {
namespace {

using rlverify::test::PtValue;
using rlverify::test::sidecar_payload;

SurveyedFile survey(const PtValue& payload, const Layout& layout = test::kLayout) {
  return survey_sidecar(
      std::make_unique<core::MemorySource>("mismatch-sidecars/x.pt", rlverify::test::write_pt(payload)), "x.pt",
      layout);
}

}  // namespace

TEST_CASE("Ranks become dp, cp and tp ranks") {
  PtValue payload = sidecar_payload(4, 1);
  payload["rank"] = 13;  // 13 = dp 1, cp 1, tp 1
  const SurveyedFile file = survey(payload);
  REQUIRE(file.shards.size() == 2);
  CHECK(file.rank == 13);
  CHECK(file.shards[1].dp == 1);
  CHECK(file.shards[1].cp_rank == 1);
  CHECK(file.shards[1].call == 1);
  CHECK(file.shards[1].sample == 1);
  CHECK(file.shards[1].total_length == 17);
  CHECK(file.tensors == 6);
}

TEST_CASE("Two replicas have one digest; every part of a shard is in it") {
  const auto digest = [](const PtValue& payload) { return survey(payload).shards.at(0).digest; };
  PtValue base = sidecar_payload(0, 0);
  const auto original = digest(base);
  base["rank"] = 3;  // a TP replica
  CHECK(digest(base) == original);
  const auto changed = [&original, &digest](const auto& change) {
    PtValue payload = sidecar_payload(0, 0);
    change(payload);
    return digest(payload) != original;
  };
  CHECK(changed([](PtValue& p) { p["train_log_probs"].at(0).tensor().bytes[0] ^= 1; }));
  CHECK(changed([](PtValue& p) { p["rollout_log_probs"].at(0).tensor().bytes[0] ^= 1; }));
  CHECK(changed([](PtValue& p) { p["total_lengths"].at(0) = 15; }));
  // Position 2 belongs to this rank (positions 2 to 5 are its last chunk), position 0 to the other one.
  CHECK(changed([](PtValue& p) { p["loss_masks"].at(0).tensor().bytes[4 * 4] = 0; }));
  CHECK_FALSE(changed([](PtValue& p) { p["loss_masks"].at(0).tensor().bytes[0] = 0; }));
  // Any non-zero mask value is the same mask.
  CHECK_FALSE(changed([](PtValue& p) { p["loss_masks"].at(0).tensor().bytes[4 * 4] = 7; }));
}

TEST_CASE("A dtype is part of the digest though all bytes are equal") {
  PtValue floats = sidecar_payload(0, 0);
  PtValue integers = sidecar_payload(0, 0);
  integers["train_log_probs"].at(0).tensor().storage_class = "IntStorage";
  CHECK(survey(floats).shards.at(0).digest != survey(integers).shards.at(0).digest);
}

TEST_CASE("Views of one storage are the vectors that they show") {
  PtValue payload = sidecar_payload(0, 0);
  const auto original = survey(payload).shards.at(0).digest;
  rlverify::test::PtTensor& tensor = payload["train_log_probs"].at(0).tensor();
  tensor.bytes = "junk" + tensor.bytes + "junk";
  tensor.storage_offset = 1;
  CHECK(survey(payload).shards.at(0).digest == original);
}

TEST_CASE("K4: sizes that are not the manifest's") {
  CHECK_FALSE(survey(sidecar_payload(0, 0)).problem);
  const SurveyedFile other = survey(sidecar_payload(0, 0), Layout{2, 2});
  REQUIRE(other.problem);
  CHECK(other.problem->text() ==
        "mismatch-sidecars/x.pt: expected tensor_parallel_size: 2, as the manifest has, found 4");
  CHECK(other.shards.empty());
  CHECK(survey(sidecar_payload(0, 0), Layout{4, 4}).problem);
  PtValue as_tensor = sidecar_payload(0, 0);
  as_tensor["tensor_parallel_size"] = rlverify::test::scalar_tensor(4);
  as_tensor["context_parallel_size"] = 2.0;
  CHECK_FALSE(survey(as_tensor).problem);
  PtValue as_text = sidecar_payload(0, 0);
  as_text["tensor_parallel_size"] = "4";
  CHECK(survey(as_text).problem);
}

TEST_CASE("States of shards that can't be compared") {
  const auto state = [](const auto& change) {
    PtValue payload = sidecar_payload(0, 0);
    change(payload);
    return survey(payload).shards.at(0).state;
  };
  CHECK(state([](PtValue&) {}) == Shard::State::kCompared);
  CHECK(state([](PtValue& p) { p["rollout_log_probs"].at(0) = rlverify::test::float_tensor({-1.0F}); }) ==
        Shard::State::kShapeDiffers);
  CHECK(state([](PtValue& p) { p["rollout_log_probs"].at(0).tensor().storage_class = "IntStorage"; }) ==
        Shard::State::kDtypeDiffers);
  CHECK(state([](PtValue& p) {
          p["train_log_probs"].at(0) = rlverify::test::float_tensor({-1.0F});
          p["rollout_log_probs"].at(0) = rlverify::test::float_tensor({-1.0F});
        }) == Shard::State::kMaskLengthDiffers);
  CHECK(state([](PtValue& p) {
          for (const char* const side : {"train_log_probs", "rollout_log_probs"}) {
            rlverify::test::PtTensor& tensor = p[side].at(0).tensor();
            tensor.storage_class = "ComplexFloatStorage";
            tensor.bytes += tensor.bytes;
          }
        }) == Shard::State::kNotReal);
}

}  // namespace rlverify::sidecar
