// SPDX-License-Identifier: Apache-2.0
// One bit flipped anywhere in a token, a log-prob or a norm of one side is found, and its place named exactly.
#include <bit>
#include <random>

#include "compare/samples.h"
#include "run_support.h"

namespace rlverify::compare::test {
namespace {

using rlverify::test::write_pt;

/// Two runs as evidence, the candidate's files of one step written again for each flip.
class FlipBench {
 public:
  FlipBench() : base_(SmallRun::standard("candidate")) {
    SmallRun::standard("reference").files().write(folder_.file("reference"));
    base_.files().write(folder_.file("candidate"));
    reference_ = std::make_unique<RunEvidence>(read_evidence(folder_.file("reference"), {}, pool_));
  }
  [[nodiscard]] const SmallRun& base() const { return base_; }

  /// Writes one step of `run` for the candidate and compares.
  CandidateComparison compare_with(const SmallRun& run, int step) {
    write(run, step);
    return compare();
  }
  void write(const SmallRun& run, int step) const {
    rlverify::test::TestRun files;
    for (int rank = 0; rank < run.ranks(); ++rank) {
      files.files[rlverify::test::dump_path(rank, step)] = write_pt(dump_of(run, rank, step));
    }
    files.write(folder_.file("candidate"));
  }
  CandidateComparison compare() {
    RunEvidence candidate = read_evidence(folder_.file("candidate"), {}, pool_);
    return compare_candidate(*reference_, candidate, pool_, false);
  }

 private:
  TemporaryFolder folder_;
  core::ThreadPool pool_{2};
  SmallRun base_;
  std::unique_ptr<RunEvidence> reference_;
};

TEST_CASE("A flipped bit in a token or a log-prob is named by step, sample and position") {
  FlipBench bench;
  std::mt19937 random(20260919);
  const auto below = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  for (int flip = 0; flip < 1000; ++flip) {
    const int step = static_cast<int>(below(2));
    const std::size_t which = below(2);
    SmallRun run = bench.base();
    PlainSample& sample = run.steps[static_cast<std::size_t>(step)][which];
    const bool token = below(2) == 0;
    std::size_t position = 0;
    bool rollout = false;
    if (token) {
      position = below(sample.tokens.size());
      sample.tokens[position] ^= static_cast<std::int64_t>(1ULL << below(64));
    } else {
      rollout = below(2) == 0;
      std::vector<float>& values = rollout ? sample.rollout : sample.train;
      position = below(values.size());
      values[position] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[position]) ^ (1U << below(32)));
    }
    const CandidateComparison result = bench.compare_with(run, step);
    INFO("flip " << flip << " step " << step << " sample " << which << " position " << position << " token " << token);
    const core::Finding found = finding(result.findings, token ? "RLV-320" : "RLV-330");
    REQUIRE(found.place.step == step);
    REQUIRE(found.place.sample == sample.index);
    REQUIRE(found.place.position == static_cast<std::int64_t>(position));
    REQUIRE(result.first.has_value());
    REQUIRE(result.first->step == step);
    REQUIRE_FALSE(result.passed());
    if (!token) {
      REQUIRE(found.what.find(rollout ? "rollout" : "train") == 0);
    }
    bench.write(bench.base(), step);
    REQUIRE((flip % 50 != 0 || bench.compare().passed()));
  }
}

TEST_CASE("A flipped bit in a norm is named by step") {
  std::mt19937 random(20260920);
  for (int flip = 0; flip < 1000; ++flip) {
    const auto step = static_cast<std::size_t>(std::uniform_int_distribution<int>(0, 1)(random));
    const int bit = std::uniform_int_distribution<int>(0, 63)(random);
    CandidateComparison out;
    RunEvidence sides[2];
    core::ValueTable tables[2];
    for (int side = 0; side < 2; ++side) {
      sides[side].name = side == 0 ? "reference" : "candidate";
      for (std::size_t number = 0; number < 2; ++number) {
        double norm = number == 0 ? 0.022594607365076035 : 0.03439536852782456;
        if (side == 1 && number == step) {
          norm = std::bit_cast<double>(std::bit_cast<std::uint64_t>(norm) ^ (1ULL << bit));
        }
        const core::NodeId record = tables[side].add_container(core::Kind::kDict);
        tables[side].append_entry(record, tables[side].add_text(core::Kind::kString, "train/grad_norm"),
                                  tables[side].add_real(norm));
        sides[side].steps.push_back({static_cast<std::int64_t>(number), core::Value(tables[side], record), 0});
      }
    }
    compare_norms(sides[0], sides[1], out);
    INFO("step " << step << " bit " << bit);
    REQUIRE(out.norms.at(static_cast<std::int64_t>(step)) == false);
    REQUIRE(out.norms.at(static_cast<std::int64_t>(1 - step)) == true);
    const core::Finding* const differs = find(out.findings, "RLV-340");
    const core::Finding found = differs != nullptr ? *differs : finding(out.findings, "RLV-341");
    REQUIRE(found.place.step == static_cast<std::int64_t>(step));
  }
}

}  // namespace
}  // namespace rlverify::compare::test
