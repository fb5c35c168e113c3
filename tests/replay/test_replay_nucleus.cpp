// SPDX-License-Identifier: Apache-2.0
// A rollout side renormalised over a top-p nucleus is recognised, and p is told.
#include <algorithm>
#include <numeric>

#include "replay/nucleus.h"
#include "replay/replay_support.h"

using namespace rlverify::replay;
using namespace rlverify::replay::test;

namespace {

/// log_softmax over the nucleus of mass p, in fp32 by vllm_gather; the target is one of its tokens. Written without
/// lib/replay: a full sort and a mask.
void renormalise(Dump& dump, double p) {
  for (Sample& sample : dump.samples) {
    std::vector<float> logits(sample.logits.size() / 4);
    std::memcpy(logits.data(), sample.logits.data(), sample.logits.size());
    for (std::size_t row = 0; row < sample.targets.size(); ++row) {
      float* const z = logits.data() + row * static_cast<std::size_t>(dump.padded);
      std::vector<std::size_t> order(static_cast<std::size_t>(dump.padded));
      std::iota(order.begin(), order.end(), 0U);
      std::sort(order.begin(), order.end(), [z](std::size_t a, std::size_t b) { return z[a] > z[b]; });
      double sum = 0.0;
      for (const std::size_t column : order) {
        sum += std::exp(static_cast<double>(z[column]));
      }
      sample.targets[row] = static_cast<std::int64_t>(order[row % 3]);
      double before = 0.0;
      for (const std::size_t column : order) {
        const double probability = std::exp(static_cast<double>(z[column])) / sum;
        z[column] = before < p ? z[column] : -INFINITY;
        before += probability;
      }
    }
    Sample cut = sample;
    cut.logits = rlverify::test::raw_bytes(logits);
    sample.train = dump.values(sample, {});
    sample.rollout.resize(sample.targets.size());
    rlverify::kernels::compute_logp(ContractId::kVllmGather, dump.input(cut, {}), {}, {sample.rollout.data(), nullptr});
  }
}

}  // namespace

TEST_CASE("a top-p renormalised side is found with its p") {
  Dump dump = normal_dump(31, 40, 512, 512, StorageType::kFloat32);
  renormalise(dump, 0.9);
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == std::vector<std::string>{"vllm_gather file real plain"});
  CHECK(follows(result, Side::kRollout) == std::vector<std::string>{"vllm_gather file real top-p"});
  const SideResult& rollout = result.side(Side::kRollout);
  REQUIRE(rollout.nucleus);
  CHECK(rollout.nucleus->low < 0.9);
  CHECK(rollout.nucleus->high >= 0.9);
  CHECK(rollout.nucleus->high - rollout.nucleus->low < 0.01);
  CHECK(finding(result.findings, "RLV-515").what == "the rollout side is renormalised over a top-p nucleus");
  CHECK(result.exit_code() == rlverify::core::ExitCode::kFailed);
}

TEST_CASE("a side that is only too high everywhere is no nucleus") {
  Dump dump = normal_dump(32, 40, 512, 512, StorageType::kFloat32);
  for (Sample& sample : dump.samples) {
    for (float& value : sample.rollout) {
      value += 0.05F;
    }
  }
  const ReplayResult result = replayed(dump);
  CHECK(result.side(Side::kRollout).verdict == SideVerdict::kNone);
  CHECK_FALSE(result.side(Side::kRollout).nucleus);
}

TEST_CASE("a nucleus keeps the most probable columns until they hold p") {
  Logits logits;
  logits.type = StorageType::kFloat32;
  logits.rows = 1;
  logits.columns = 4;
  const std::vector<float> values = {std::log(0.2F), std::log(0.5F), std::log(0.1F), std::log(0.2F)};
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  logits.bytes.assign(bytes, bytes + 16);
  keep_nucleus(logits, 0, 1.0, 0.6);
  CHECK(logit(logits, 0, 0) == values[0]);  // of equals the lower column
  CHECK(logit(logits, 0, 1) == values[1]);
  CHECK(std::isinf(logit(logits, 0, 2)));
  CHECK(std::isinf(logit(logits, 0, 3)));
}
