// SPDX-License-Identifier: Apache-2.0
// The benchmark of the contracts on small logits: its verdicts, what can't run, and the document's schema and order.
#include "replay/prior_art.h"
#include "replay/replay_support.h"

using namespace rlverify::replay;
using namespace rlverify::replay::test;

namespace {

const PriorArtCandidate& candidate(const PriorArt& result, const std::string& name) {
  for (const PriorArtCandidate& entry : result.candidates) {
    if (entry.name == name) {
      return entry;
    }
  }
  FAIL("no candidate " << name);
  return result.candidates.front();
}

}  // namespace

TEST_CASE("verdicts of the published document hold where the order of operations decides them") {
  PriorArtOptions options;
  options.repeats = 3;
  const PriorArt result = run_prior_art(synthetic_logits(192, 8192, 8100, 3), options);
  REQUIRE(result.candidates.size() == 6);
  CHECK(result.candidates.front().name == "rl_kernel_ws2");
  CHECK(result.candidates.back().name == "verl_fused");
  for (const char* name : {"rl_kernel_ws2", "vllm_gather"}) {
    const PriorArtCandidate& entry = candidate(result, name);
    CHECK(entry.tp4_equals_tp1);
    CHECK(entry.batch_bitwise);
    CHECK(entry.nccl_setting_invariant == true);
  }
  for (const char* name : {"megatron_ce", "vime_default"}) {
    const PriorArtCandidate& entry = candidate(result, name);
    CHECK_FALSE(entry.tp4_equals_tp1);
    CHECK_FALSE(entry.batch_bitwise);
    CHECK(entry.nccl_setting_invariant == false);
    for (const auto& [other, distance] : entry.max_abs_vs) {
      CHECK((distance == 0.0) == (other == "megatron_ce" || other == "vime_default"));
    }
  }
  for (const PriorArtCandidate& entry : result.candidates) {
    INFO(entry.name);
    CHECK(entry.distinct_results == 1);
    CHECK(entry.max_abs_vs.size() == 5);
    CHECK(entry.max_abs_vs_fp64 > 0.0);
    CHECK(entry.max_abs_vs_fp64 < 2e-6);
    CHECK(entry.latency_us > 0.0);
  }
}

TEST_CASE("what can't run has the reason, and the others don't compare themselves with it") {
  PriorArtOptions options;
  options.candidates = {"vllm_gather", "megatron_ce"};
  const PriorArt result = run_prior_art(synthetic_logits(8, 1001, 1001, 1), options);
  REQUIRE(result.candidates.size() == 2);
  CHECK(candidate(result, "vllm_gather").max_abs_vs.empty());
  REQUIRE(candidate(result, "megatron_ce").unavailable);
  CHECK(candidate(result, "megatron_ce").unavailable->find("do not divide") != std::string::npos);
  options.candidates = {"vllm"};
  CHECK_THROWS_AS(run_prior_art(synthetic_logits(8, 64, 64, 1), options), rlverify::core::UsageError);
}

TEST_CASE("logits of a file: whole rows of all samples, padding masked") {
  const Dump dump = normal_dump(71, 6, 64, 60);
  const TemporaryFolder folder;
  const SharedLogits logits = logits_of_file(folder.write("in.pt", rlverify::test::write_pt(dump.payload())));
  CHECK(logits.tokens == 12);
  CHECK(logits.targets.size() == 12);
  CHECK(logits.bytes.size() == 12 * 64 * 2);
  CHECK(logits.bytes[60 * 2] == 0x80);
  CHECK(logits.bytes[60 * 2 + 1] == 0xff);
  CHECK(logits.bytes[0] == static_cast<unsigned char>(dump.samples[0].logits[0]));
  Dump slices = dump;
  slices.ranks = 2;
  const std::string slice = folder.write("slice.pt", rlverify::test::write_pt(slices.payload(0, true)));
  CHECK_THROWS_AS(logits_of_file(slice), rlverify::core::ArtifactError);
}

TEST_CASE("a candidate that gives no number where fp64 gives one is not called exact") {
  SharedLogits logits = synthetic_logits(4, 64, 64, 1);
  for (std::size_t i = 0; i < 64; ++i) {  // row 1: -200, where verl's maximum, floored at 0, leaves nothing of the sum
    logits.bytes[2 * (64 + i)] = 0x48;
    logits.bytes[2 * (64 + i) + 1] = 0xc3;
  }
  PriorArtOptions options;
  options.candidates = {"vllm_gather", "verl_fused"};
  const PriorArt result = run_prior_art(logits, options);
  CHECK(candidate(result, "vllm_gather").max_abs_vs_fp64 < 2e-6);
  CHECK(candidate(result, "vllm_gather").max_abs_vs.empty());
  REQUIRE(candidate(result, "verl_fused").unavailable);
  CHECK_THAT(*candidate(result, "verl_fused").unavailable,
             Catch::StartsWith("verl_fused: row 1 gives inf and fp64 -4.1"));
}

TEST_CASE("a target that can't be chosen is -inf on every side: no distance is lost by it") {
  SharedLogits logits = synthetic_logits(2, 64, 64, 1);
  const auto target = static_cast<std::size_t>(logits.targets[1]);
  logits.bytes[2 * (64 + target)] = 0x80;
  logits.bytes[2 * (64 + target) + 1] = 0xff;
  const PriorArt result = run_prior_art(logits, {});
  for (const PriorArtCandidate& entry : result.candidates) {
    INFO(entry.name);
    CHECK_FALSE(entry.unavailable);
    CHECK(entry.max_abs_vs_fp64 < 2e-6);
    CHECK(entry.max_abs_vs.size() == 5);
  }
}

TEST_CASE("a row of a file without a number is refused") {
  Dump dump = normal_dump(72, 6, 64, 60);
  const TemporaryFolder folder;
  for (std::size_t column = 0; column < 60; ++column) {
    dump.samples[1].logits.replace(2 * (2 * 64 + column), 2, "\x80\xff");
  }
  const std::string path = folder.write("in.pt", rlverify::test::write_pt(dump.payload()));
  CHECK_THROWS_WITH(logits_of_file(path), Catch::Contains("logits[1] at [2]"));
  dump.samples[1].logits.replace(2 * 2 * 64, 2, std::string(2, '\0'));
  CHECK(logits_of_file(folder.write("in.pt", rlverify::test::write_pt(dump.payload()))).tokens == 12);
}
