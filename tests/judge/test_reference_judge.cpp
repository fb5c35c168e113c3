// SPDX-License-Identifier: Apache-2.0
// Whole runs on disk under the reference rules: the verdict, the cross-checks X1 and X2, the short form where nothing
// can be judged (rule S3), and that the number of threads does not show.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "core/test_support.h"
#include "judge/judge.h"
#include "report/document.h"
#include "report/validation_document.h"
#include "support/test_run.h"

namespace rlverify::judge {
namespace {

using core::test::TemporaryFolder;
using rlverify::test::passing_run;
using rlverify::test::PtValue;
using rlverify::test::TestRun;

struct Verdict {
  bool passed = false;
  core::ExitCode exit_code = core::ExitCode::kInternal;
  std::string gives_up;
  std::string sentences;
  std::string document;
};

Verdict judge(const TestRun& texts, report::RuleSet rules = report::RuleSet::kReference, unsigned threads = 2) {
  const TemporaryFolder folder;
  texts.write(folder.file("run"));
  const run::RunDirectory run = run::read_run_directory(folder.file("run"));
  core::ThreadPool pool(threads);
  const report::ValidationResult result = judge_run(run, rules, pool, false);
  Verdict verdict;
  verdict.passed = result.passed();
  verdict.exit_code = result.exit_code();
  verdict.gives_up = result.gives_up.value_or("");
  for (const core::Finding& finding : result.findings.list()) {
    verdict.sentences += finding.code + " " + finding.what + "\n";
  }
  verdict.document = report::to_json(report::validation_document(result).root(), report::KeyOrder::kSorted);
  return verdict;
}

/// Codes and exit code after one change.
void check_fails(const std::function<void(TestRun&)>& change, const std::string& code) {
  TestRun run = passing_run();
  change(run);
  const Verdict verdict = judge(run);
  CAPTURE(verdict.sentences);
  CHECK_FALSE(verdict.passed);
  CHECK(verdict.exit_code == core::ExitCode::kFailed);
  CHECK(verdict.sentences.rfind(code, 0) == 0);
  CHECK(verdict.gives_up.empty());
}

void check_gives_up(const std::function<void(TestRun&)>& change, const std::string& reason) {
  TestRun run = passing_run();
  change(run);
  const Verdict verdict = judge(run);
  CHECK(verdict.gives_up.find(reason) != std::string::npos);
  CHECK_FALSE(verdict.passed);
  CHECK(verdict.exit_code == core::ExitCode::kBadInput);
  CHECK(verdict.document.find("\"errors\": [\n") != std::string::npos);
  CHECK(verdict.document.find("cudagraph") == std::string::npos);
}

}  // namespace

TEST_CASE("The small run passes under both rule sets") {
  for (const report::RuleSet rules : {report::RuleSet::kReference, report::RuleSet::kStrict}) {
    const Verdict verdict = judge(passing_run(), rules);
    CAPTURE(verdict.sentences);
    CHECK(verdict.passed);
    CHECK(verdict.exit_code == core::ExitCode::kPassed);
  }
}

TEST_CASE("X1: another number of samples") {
  check_fails(
      [](TestRun& run) {
        run.replace("manifest.json", "\"global_batch_size\": 2", "\"global_batch_size\": 3");
        run.replace_all("run.log", "numel': 6.0", "numel': 4.0");
      },
      "RLV-163");
}

TEST_CASE("X2: another number of active tokens") {
  check_fails([](TestRun& run) { run.replace_all("run.log", "numel': 6.0", "numel': 6.5"); }, "RLV-164");
  TestRun integers = passing_run();
  integers.replace_all("run.log", "numel': 6.0", "numel': 6");
  CHECK(judge(integers).passed);
}

TEST_CASE("One flipped bit of one rollout log-prob fails an exact run") {
  check_fails(
      [](TestRun& run) {
        for (int rank = 0; rank < 4; ++rank) {
          PtValue payload = rlverify::test::sidecar_payload(rank, 0);
          payload["rollout_log_probs"].at(0).tensor().bytes[0] ^= 1;
          run.files[rlverify::test::sidecar_path(rank, 0)] = rlverify::test::write_pt(payload);
        }
      },
      "RLV-162");
}

TEST_CASE("S3: what ends the judgement") {
  check_gives_up([](TestRun& run) { run.remove("manifest.json"); }, "manifest.json");
  check_gives_up([](TestRun& run) { run.files["manifest.json"] = "{\"arm\": "; }, "manifest.json");
  check_gives_up([](TestRun& run) { run.files["manifest.json"] = "[]"; }, "TypeError: manifest.json is no object");
  check_gives_up([](TestRun& run) { run.replace("manifest.json", "\"batching\"", "\"x\""); }, "KeyError: 'batching'");
  check_gives_up([](TestRun& run) { run.remove("run.log"); }, "run.log");
  check_gives_up([](TestRun& run) { run.remove("readbacks/"); }, "no readbacks");
  check_gives_up([](TestRun& run) { run.files["readbacks/a.json"] = "\xEF\xBB\xBF{}"; }, "readbacks/a.json");
  check_gives_up([](TestRun& run) { run.files["readbacks/a.json"] = "[]"; }, "is no object");
  check_gives_up([](TestRun& run) { run.files["train-data/0.rank0.pt"] = "junk"; }, "train-data/0.rank0.pt");
  check_gives_up(
      [](TestRun& run) {
        run.files["train-data/0.rank0.pt"] = rlverify::test::write_pt(PtValue::Dict{{"rollout_data", 5}});
      },
      "train-data/0.rank0.pt");
  check_gives_up([](TestRun& run) { run.replace("manifest.json", "\"tp\": 4", "\"tp\": 0"); }, "ValueError");
  check_gives_up([](TestRun& run) { run.replace("manifest.json", "\"rollout_engines\": 1, ", ""); },
                 "KeyError: 'rollout_engines'");
}

TEST_CASE("A broken sidecar is a finding, no end") {
  check_fails([](TestRun& run) { run.files[rlverify::test::sidecar_path(0, 0)] = "junk"; }, "RLV-151");
  check_fails([](TestRun& run) { run.remove("mismatch-sidecars/"); }, "RLV-163");
}

TEST_CASE("Duplicate keys and NaN tokens are read as Python reads them, by the reference rules") {
  TestRun run = passing_run();
  run.replace("manifest.json", "\"status\": \"submitted\"", "\"status\": NaN, \"num_rollout\": 2");
  CHECK(judge(run).passed);
  CHECK_FALSE(judge(run, report::RuleSet::kStrict).passed);
}

TEST_CASE("Train dumps never decide, but are counted") {
  TestRun none = passing_run();
  none.remove("train-data/");
  const Verdict verdict = judge(none);
  CHECK(verdict.passed);
  CHECK(verdict.document.find("\"artifact_count\": 0") != std::string::npos);
  CHECK(verdict.document.find("\"status\": \"unavailable\"") != std::string::npos);
  TestRun one = passing_run();
  one.files["train-data/0.rank0.pt"] = rlverify::test::write_pt(PtValue::Dict{{"rollout_data", PtValue::Dict{}}});
  CHECK(judge(one).document.find("\"comparable_artifact_count\": 15") != std::string::npos);
}

TEST_CASE("The document does not depend on the number of threads") {
  TestRun run = passing_run();
  run.files[rlverify::test::sidecar_path(3, 1)] = "junk";
  const TemporaryFolder folder;
  run.write(folder.file("run"));
  const run::RunDirectory directory = run::read_run_directory(folder.file("run"));
  std::string first;
  for (const unsigned threads : {1U, 2U, 7U}) {
    core::ThreadPool pool(threads);
    const report::ValidationResult result = judge_run(directory, report::RuleSet::kReference, pool, false);
    const std::string document = report::to_json(report::validation_document(result).root(), report::KeyOrder::kSorted);
    CHECK((first.empty() || document == first));
    first = document;
  }
}

}  // namespace rlverify::judge
