// SPDX-License-Identifier: Apache-2.0
// Tokens and log-probs of two runs: topology, order, dtype, coverage, and the first place of a difference.
#include "run_support.h"

namespace rlverify::compare::test {
namespace {

using rlverify::test::TestRun;
using rlverify::test::write_pt;

SmallRun reference() {
  return SmallRun::standard("reference");
}
SmallRun candidate() {
  return SmallRun::standard("candidate");
}

TEST_CASE("Two equal runs are equal in everything") {
  Pair pair(reference(), candidate());
  const CandidateComparison result = pair.compare();
  CHECK(result.passed());
  CHECK(result.tokens == true);
  CHECK(result.log_probs == true);
  CHECK(result.norms_equal() == true);
  CHECK(result.backends == true);
  CHECK(result.graphs == true);
  CHECK_FALSE(result.first.has_value());
  CHECK_FALSE(errors(pair.reading()));
  CHECK(result.coverage.log_probs.elements == 2U * 2U * SmallRun::kResponse);
  CHECK(result.coverage.tokens.elements == 2U * (16U + 18U));
}

TEST_CASE("Runs of other topology hold the same samples") {
  const auto [tensor_parallel, context_parallel] = GENERATE(table<int, int>({{2, 4}, {8, 1}, {1, 8}, {4, 2}}));
  SmallRun other = candidate();
  other.tensor_parallel = tensor_parallel;
  other.context_parallel = context_parallel;
  Pair equal(reference(), other);
  const CandidateComparison same = equal.compare();
  CHECK(same.passed());
  CHECK(same.log_probs == true);

  // One bit in one log-prob, named by sample and position whatever the layout.
  std::uint32_t bits = 0;
  float& value = other.steps[1][0].train[7];
  std::memcpy(&bits, &value, sizeof(bits));
  bits ^= 1U;
  std::memcpy(&value, &bits, sizeof(bits));
  Pair flipped(reference(), other);
  const CandidateComparison different = flipped.compare();
  CHECK(different.log_probs == false);
  CHECK_FALSE(different.passed());
  const core::Finding found = finding(different.findings, "RLV-330");
  CHECK(found.place.step == 1);
  CHECK(found.place.sample == 2);
  CHECK(found.place.position == 7);
  REQUIRE(different.first.has_value());
  CHECK(different.first->section == core::Section::kLogProbs);
  CHECK(different.first->step == 1);
}

TEST_CASE("Whole samples and rollout dumps compare with pieces") {
  TestRun whole = candidate().files();
  whole.remove("train-data");
  whole.remove("mismatch-sidecars");
  for (int step = 0; step < 2; ++step) {
    whole.files["train-data/" + std::to_string(step) + ".rank0.pt"] = write_pt(whole_dump_of(candidate(), step));
  }
  Pair form_2(reference().files(), whole);
  const CandidateComparison result = form_2.compare();
  CHECK(result.tokens == true);
  CHECK(result.log_probs == true);
  CHECK(result.passed());

  TestRun rollout = candidate().files();
  rollout.remove("train-data");
  rollout.remove("mismatch-sidecars");
  for (int step = 0; step < 2; ++step) {
    rollout.files["dump/rollout_data/" + std::to_string(step) + ".pt"] = write_pt(rollout_dump_of(candidate(), step));
    rollout.files["dump/rollout_data/eval_" + std::to_string(step) + ".pt"] = "no file of torch.save";
  }
  Pair rollouts(reference().files(), rollout);
  const CandidateComparison other = rollouts.compare();
  CHECK(other.tokens == true);
  CHECK(other.log_probs == true);
  CHECK(find(other.findings, "RLV-334") != nullptr);  // it keeps no train log-probs
  CHECK(other.passed());
}

TEST_CASE("A re-rendered newline: sample, position, both tokens and lengths") {
  SmallRun left = reference();
  SmallRun right = candidate();
  left.steps[0][0].tokens = {1, 2, 3, 4, 5, 6, 151645, 198, 872};
  right.steps[0][0].tokens = {1, 2, 3, 4, 5, 6, 151645, 872};
  for (SmallRun* run : {&left, &right}) {
    run->context_parallel = 1;
    run->tensor_parallel = 8;
    run->steps[0][0].train = {-0.5F, -0.25F};
    run->steps[0][0].rollout = {-0.5F, -0.25F};
  }
  right.steps[0][0].train[0] = -0.75F;
  Pair pair(left, right);
  const CandidateComparison result = pair.compare();
  CHECK(result.tokens == false);
  const core::Finding found = finding(result.findings, "RLV-320");
  CHECK(found.what == "sample 0 first differs at position 7: 198 vs 872, lengths 9/8");
  CHECK(found.place.position == 7);
  // Its log-probs belong to other tokens: not comparable, no mismatch. The other sample is compared.
  CHECK(finding(result.findings, "RLV-331").place.sample == 0);
  CHECK(find(result.findings, "RLV-330") == nullptr);
  CHECK(result.log_probs == true);
}

TEST_CASE("A missing tail is the end of a sample") {
  SmallRun right = candidate();
  right.steps[0][1].tokens.pop_back();
  right.sidecars = false;
  Pair pair(reference(), right);
  const std::string what = finding(pair.compare().findings, "RLV-320").what;
  CHECK(what == "sample 1 first differs at position 17: 162 vs the end, lengths 18/17");
}

TEST_CASE("The dtype of tokens makes a note") {
  SmallRun right = candidate();
  right.int32_tokens = true;
  Pair pair(reference(), right);
  const CandidateComparison result = pair.compare();
  CHECK(result.passed());
  const core::Finding note = finding(result.findings, "RLV-323");
  CHECK(note.severity == core::Severity::kNote);
  CHECK(note.what == "dtype differs, tokens are the same");
}

TEST_CASE("The same samples in another order are said so") {
  SmallRun right = candidate();
  std::swap(right.steps[1][0].tokens, right.steps[1][1].tokens);
  Pair pair(reference(), right);
  const CandidateComparison result = pair.compare();
  CHECK(result.tokens == false);
  CHECK(finding(result.findings, "RLV-322").place.step == 1);
}

TEST_CASE("A step or a sample on one side alone") {
  TestRun short_run = candidate().files();
  for (int rank = 0; rank < 8; ++rank) {
    short_run.files.erase(rlverify::test::dump_path(rank, 1));
  }
  Pair steps(reference().files(), short_run);
  const CandidateComparison result = steps.compare();
  CHECK(result.tokens == false);
  CHECK(result.step_tokens.at(1) == false);
  CHECK(finding(result.findings, "RLV-321").what == "tokens of step 1 are there in reference alone");

  SmallRun right = candidate();
  right.steps[0].pop_back();
  right.sidecars = false;
  Pair samples(reference(), right);
  CHECK(finding(samples.compare().findings, "RLV-321").what == "sample 1 is there in reference alone");
}

TEST_CASE("Without tokens nothing is equal") {
  TestRun right = candidate().files();
  right.remove("train-data");
  Pair pair(reference().files(), right);
  const CandidateComparison result = pair.compare();
  CHECK_FALSE(result.tokens.has_value());
  CHECK_FALSE(result.passed());
  CHECK(finding(result.findings, "RLV-326").what == "no tokens of candidate: they can't be compared");
}

TEST_CASE("Ranks that disagree about a sample") {
  TestRun right = candidate().files();
  SmallRun other = candidate();
  other.steps[1][1].tokens[4] += 1;
  right.files[rlverify::test::dump_path(5, 1)] = write_pt(dump_of(other, 5, 1));
  Pair tokens(reference().files(), right);
  static_cast<void>(tokens.compare());
  const core::Finding found = finding(tokens.reading(), "RLV-324");
  CHECK(found.place.sample == 3);
  CHECK(found.place.position == 4);
  CHECK(found.place.rank == 5);
  CHECK(found.severity == core::Severity::kError);

  TestRun logp = candidate().files();
  other = candidate();
  const std::vector<std::size_t> held = held_positions(18, SmallRun::kResponse, 2, 1);
  other.steps[1][1].train[held[2]] = -2.0F;
  logp.files[rlverify::test::dump_path(7, 1)] = write_pt(dump_of(other, 7, 1));
  Pair log_probs(reference().files(), logp);
  static_cast<void>(log_probs.compare());
  const core::Finding duplicate = finding(log_probs.reading(), "RLV-333");
  CHECK(duplicate.what == "conflicting duplicate of train log-probs");
  CHECK(duplicate.place.rank == 7);
  CHECK(duplicate.place.position == static_cast<std::int64_t>(held[2]));
}

TEST_CASE("Dumps that can't be used") {
  const auto broken = [](const std::string& bytes) {
    TestRun right = candidate().files();
    right.files[rlverify::test::dump_path(0, 0)] = bytes;
    Pair pair(reference().files(), right);
    static_cast<void>(pair.compare());
    return finding(pair.reading(), "RLV-325");
  };
  CHECK(broken("not a zip").place.step == 0);
  PtValue other_step = dump_of(candidate(), 0, 0);
  other_step["rollout_id"] = 1;
  CHECK(broken(write_pt(other_step)).expected == "rollout_id: 0, as the file's name says");
  PtValue no_indices = dump_of(candidate(), 0, 0);
  no_indices["rollout_data"].erase("sample_indices");
  CHECK(broken(write_pt(no_indices)).expected.find("sample_indices") != std::string::npos);
  PtValue short_list = dump_of(candidate(), 0, 0);
  short_list["rollout_data"]["sample_indices"] = PtValue::List{0};
  CHECK(broken(write_pt(short_list)).expected.find("2 entries") != std::string::npos);
  rlverify::test::PtStyle style;
  style.with_crc = true;
  PtValue whole = dump_of(candidate(), 0, 0);
  std::string rotten = write_pt(whole, "archive", style);
  rotten.at(rotten.find(whole["rollout_data"]["log_probs"].at(0).tensor().bytes)) ^= 1;
  CHECK(broken(rotten).found.find("the file is damaged") != std::string::npos);
}

TEST_CASE("Coverage: positions, a whole side, and an empty folder") {
  SmallRun left = reference();
  SmallRun right = candidate();
  TestRun whole = right.files();
  whole.remove("train-data");
  whole.remove("mismatch-sidecars");
  for (int step = 0; step < 2; ++step) {
    PtValue dump = whole_dump_of(right, step);
    dump["samples"].at(0)["log_probs"] =
        rlverify::test::float_tensor({right.steps[static_cast<std::size_t>(step)][0].train.begin(),
                                      right.steps[static_cast<std::size_t>(step)][0].train.begin() + 4});
    whole.files["train-data/" + std::to_string(step) + ".rank0.pt"] = write_pt(dump);
  }
  left.sidecars = false;
  Pair positions(left.files(), whole);
  const CandidateComparison result = positions.compare();
  CHECK(result.log_probs == false);
  CHECK(finding(result.findings, "RLV-332").what == "train log-probs: coverage 4/11 of the positions");
  CHECK(find(result.findings, "RLV-330") == nullptr);  // equal where present

  TestRun none = right.files();
  none.remove("mismatch-sidecars");
  for (int step = 0; step < 2; ++step) {
    for (int rank = 0; rank < 8; ++rank) {
      PtValue dump = dump_of(right, rank, step);
      dump["rollout_data"].erase("log_probs");
      dump["rollout_data"].erase("rollout_log_probs");
      none.files[rlverify::test::dump_path(rank, step)] = write_pt(dump);
    }
  }
  Pair absent(reference().files(), none);
  const CandidateComparison without = absent.compare();
  CHECK_FALSE(without.log_probs.has_value());
  CHECK(finding(without.findings, "RLV-334").severity == core::Severity::kWarning);
  CHECK(without.passed());
  std::filesystem::create_directories(absent.path("candidate/mismatch-sidecars"));
  const CandidateComparison empty = absent.compare();
  CHECK(empty.log_probs == false);
  CHECK(finding(empty.findings, "RLV-332").what == "no candidate entries: the folder of log-probs is empty");
  CHECK_FALSE(empty.passed());
}

TEST_CASE("Log-probs that can't be used name their sample") {
  TestRun right = candidate().files();
  PtValue dump = dump_of(candidate(), 0, 0);
  dump["rollout_data"]["log_probs"].at(1) = rlverify::test::float_tensor({-0.5F});
  right.files[rlverify::test::dump_path(0, 0)] = write_pt(dump);
  Pair pair(reference().files(), right);
  static_cast<void>(pair.compare());
  const core::Finding found = finding(pair.reading(), "RLV-335");
  CHECK(found.place.sample == 1);
  CHECK(found.found == "1");
  CHECK(found.expected.find("rank 0, total length 18, response length 11") != std::string::npos);
}

TEST_CASE("A difference in the sidecars alone is a difference") {
  TestRun right = candidate().files();
  SmallRun other = candidate();
  other.steps[0][1].rollout[3] = -3.0F;
  for (int rank = 0; rank < 8; ++rank) {
    right.files[rlverify::test::sidecar_path(rank, 0)] = write_pt(sidecar_of(other, rank, 0));
  }
  Pair pair(reference().files(), right);
  const core::Finding found = finding(pair.compare().findings, "RLV-330");
  CHECK(found.what.find("rollout log-probs of the sidecars") != std::string::npos);
  CHECK(found.place.sample == 1);
  CHECK(found.place.position == 3);
}

/// Sidecars of one rank whose calls hold the samples [begin, end) of a run's steps, counted through.
void write_calls(TestRun& files, const SmallRun& run, const std::vector<std::pair<std::size_t, std::size_t>>& calls) {
  std::vector<PlainSample> samples;
  for (const auto& step : run.steps) {
    samples.insert(samples.end(), step.begin(), step.end());
  }
  for (int rank = 0; rank < run.ranks(); ++rank) {
    for (std::size_t call = 0; call < calls.size(); ++call) {
      SmallRun part = run;
      part.steps.assign(calls.size(), {});
      part.steps[call].assign(samples.begin() + static_cast<std::ptrdiff_t>(calls[call].first),
                              samples.begin() + static_cast<std::ptrdiff_t>(calls[call].second));
      const int number = static_cast<int>(call);
      files.files[rlverify::test::sidecar_path(rank, number)] = write_pt(sidecar_of(part, rank, number));
    }
  }
}

TEST_CASE("Calls belong to steps by their samples, not by their number") {
  // One call in the first step, two in the second: dynamic batches.
  SmallRun run = candidate();
  TestRun same = run.files();
  write_calls(same, run, {{0, 2}, {2, 3}, {3, 4}});
  Pair equal(reference().files(), same);
  CHECK(equal.compare().findings.list().empty());
  CHECK(equal.reading().list().empty());

  run.steps[1][1].rollout[3] = -3.0F;
  TestRun other = candidate().files();
  write_calls(other, run, {{0, 2}, {2, 3}, {3, 4}});
  Pair differs(reference().files(), other);
  const core::Finding found = finding(differs.compare().findings, "RLV-330");
  CHECK(found.place.step == 1);
  CHECK(found.place.sample == 3);
  CHECK(found.place.position == 3);
}

TEST_CASE("Sidecars whose step can't be told are left out, and that is said") {
  const SmallRun run = candidate();
  TestRun across = run.files();
  write_calls(across, run, {{0, 1}, {1, 3}, {3, 4}});
  Pair pair(reference().files(), across);
  static_cast<void>(pair.compare());
  core::Finding found = finding(pair.reading(), "RLV-335");
  CHECK(found.severity == core::Severity::kWarning);
  CHECK(found.expected == "2 samples in the calls of each step");
  CHECK(found.place.file.find("rank00000.call00000000.pt") != std::string::npos);

  TestRun odd = run.files();
  write_calls(odd, run, {{0, 2}, {2, 3}});
  Pair uneven(reference().files(), odd);
  static_cast<void>(uneven.compare());
  found = finding(uneven.reading(), "RLV-335");
  CHECK(found.what == "the sidecars can't be told apart by step");
  CHECK(found.place.file.find("mismatch-sidecars") != std::string::npos);

  TestRun gap = run.files();
  gap.remove(rlverify::test::sidecar_path(3, 0));
  Pair missing(reference().files(), gap);
  static_cast<void>(missing.compare());
  found = finding(missing.reading(), "RLV-335");
  CHECK(found.place.file.find("rank00003.call00000000.pt") != std::string::npos);
}

}  // namespace
}  // namespace rlverify::compare::test
