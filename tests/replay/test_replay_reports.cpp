// SPDX-License-Identifier: Apache-2.0
// Public reports about log-probs, scaled down: unmasked padding (RL-Kernel #329), a temperature on one side only (TRL
// #4159), columns past the vocabulary that are counted (verl #5349).
#include <limits>

#include "replay/replay_support.h"

using namespace rlverify::replay;
using namespace rlverify::replay::test;
using rlverify::core::ExitCode;

namespace {

/// log_softmax in double over the first `columns`, rounded to float: what no contract's order had a part in.
std::vector<float> log_softmax(const std::vector<float>& logits, std::size_t stride, std::size_t columns,
                               const std::vector<std::int64_t>& targets, double temperature) {
  std::vector<float> out;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const float* const z = logits.data() + row * stride;
    double sum = 0.0;
    for (std::size_t column = 0; column < columns; ++column) {
      sum += std::exp(static_cast<double>(z[column]) / temperature);
    }
    const double target = static_cast<double>(z[static_cast<std::size_t>(targets[row])]) / temperature;
    out.push_back(static_cast<float>(target - std::log(sum)));
  }
  return out;
}

}  // namespace

TEST_CASE("RL-Kernel #329: one side sums 4 padding columns of 0.0, the other is cut to the 12 real ones") {
  std::vector<float> logits;
  for (int i = 0; i < 4 * 16; ++i) {
    logits.push_back(i % 16 < 12 ? 0.5F * static_cast<float>((i * 5) % 7) : 0.0F);
  }
  Dump dump = given_dump(logits, 16, 12, {1, 4, 8, 11});
  dump.ranks = 2;
  dump.set({ContractId::kVimeDefault, 1.0, true}, {ContractId::kVllmGather});
  const ReplayResult result = replayed(dump, true);
  CHECK(result.exit_code() == ExitCode::kFailed);
  for (const std::string& words : follows(result, Side::kTrain)) {
    CHECK(words.find(" padded ") != std::string::npos);
  }
  for (const std::string& words : follows(result, Side::kRollout)) {
    CHECK(words.find(" real ") != std::string::npos);
  }
  const auto parting = finding(result.findings, "RLV-510");
  CHECK(parting.expected.find("padded vocabulary (16 columns)") != std::string::npos);
  CHECK(parting.found.find("real vocabulary (12 columns)") != std::string::npos);
  CHECK(result.direct.tally.max_abs > 0.01);
}

TEST_CASE("TRL #4159: train matches T=0.6, rollout matches T=1.0") {
  Dump dump = normal_dump(41, 64, 512, 512, StorageType::kFloat32, 1);
  dump.temperature = 0.6;
  Sample& sample = dump.samples[0];
  std::vector<float> logits(sample.logits.size() / 4);
  std::memcpy(logits.data(), sample.logits.data(), sample.logits.size());
  SECTION("both sides by a contract") {
    dump.set({ContractId::kVimeDefault, 0.6}, {ContractId::kVllmGather, 1.0});
    const ReplayResult result = replayed(dump);
    CHECK(result.exit_code() == ExitCode::kFailed);
    const auto parting = finding(result.findings, "RLV-510");
    CHECK(parting.expected.find("at temperature 0.6, ") != std::string::npos);
    CHECK(parting.found.find("vllm_gather at temperature 1, ") != std::string::npos);
  }
  SECTION("both sides by arithmetic that is no contract: the temperatures are told all the same") {
    sample.train = log_softmax(logits, 512, 512, sample.targets, 0.6);
    sample.rollout = log_softmax(logits, 512, 512, sample.targets, 1.0);
    for (float& value : sample.train) {
      value = std::nextafter(std::nextafter(value, 0.0F), 0.0F);
    }
    for (float& value : sample.rollout) {
      value = std::nextafter(std::nextafter(value, 0.0F), 0.0F);
    }
    const ReplayResult result = replayed(dump);
    CHECK(result.exit_code() == ExitCode::kFailed);
    for (const SideResult& side : result.sides) {
      REQUIRE(side.nearest);
      CHECK(side.setting_is_clear);
      CHECK((side.rows[*side.nearest].hypothesis.temperature == Temperature::kOfFile) == (side.side == Side::kTrain));
      CHECK(side.rows[*side.nearest].tally.max_abs < 1e-5);
    }
    const auto none = finding(result.findings, "RLV-511");
    CHECK(none.hint.find("at temperature 0.6") != std::string::npos);
    CHECK(none.hint.find("every other setting is at least five times farther") != std::string::npos);
  }
}

TEST_CASE("verl #5349: 24 phantom columns of 0 are named, and make the dump differ by about 21") {
  const std::vector<float> logits(3 * 1000, -25.0F);
  Dump dump = given_dump(logits, 1000, 1000, {0, 511, 999});
  Sample& sample = dump.samples[0];
  dump.set({ContractId::kVerlFusedPhantom}, {ContractId::kVllmGather});
  for (const float value : sample.train) {
    CHECK(static_cast<double>(value) == Approx(-25.0 - std::log(24.0 + 1000.0 * std::exp(-25.0))).margin(4e-6));
  }
  const ReplayResult result = replayed(dump);
  CHECK(result.exit_code() == ExitCode::kFailed);
  CHECK(follows(result, Side::kTrain) == std::vector<std::string>{"verl_fused_phantom file real plain"});
  const SideResult& train = result.side(Side::kTrain);
  for (const Row& row : train.rows) {
    if (row.hypothesis.contract == "verl_fused" && row.hypothesis.output == Output::kAsComputed) {
      CHECK(row.tally.max_abs == Approx(25.0 + std::log(24.0) - std::log(1000.0)).margin(1e-4));  // 21.27
    }
  }
  CHECK(finding(result.findings, "RLV-510").expected.find("train: verl_fused_phantom at temperature 1") == 0);
  CHECK(result.side(Side::kRollout).verdict == SideVerdict::kExact);
}

TEST_CASE("sides of NaN follow every contract and prove nothing") {
  Dump dump = given_dump(std::vector<float>(3 * 64, std::numeric_limits<float>::quiet_NaN()), 64, 64, {0, 1, 2});
  dump.set({ContractId::kVllmGather}, {ContractId::kVllmGather});
  const ReplayResult result = replayed(dump);
  CHECK(result.exit_code() == ExitCode::kFailed);
  const auto bad = finding(result.findings, "RLV-518");
  CHECK(bad.what == "log-probs of the train side are not finite");
  CHECK(bad.place.sample == 0);
  CHECK(bad.found.find("3 of 3 pairs are not finite") != std::string::npos);
}

TEST_CASE("our own contracts take any vocabulary") {
  for (const std::int64_t vocabulary : {1, 511, 512, 513, 1000}) {
    INFO(vocabulary);
    Dump dump = normal_dump(51, 4, vocabulary, vocabulary, StorageType::kFloat32, 1);
    dump.set({ContractId::kVerlFused}, {ContractId::kVerlFused});
    const ReplayResult result = replayed(dump);
    CHECK(result.exit_code() == ExitCode::kPassed);
    CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
  }
}
