// SPDX-License-Identifier: Apache-2.0
// The documents of compare, report and seal: order of keys, numbers, nulls, schemas, and a record read back as it was.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compare/compare_runs.h"
#include "core/test_support.h"
#include "report/comparison_document.h"
#include "report/run_record_document.h"
#include "report/schema_check.h"
#include "support/test_run.h"

namespace rlverify::report {
namespace {

using compare::RunEvidence;
using rlverify::test::TestRun;

/// Two runs on disk, read and compared.
class Comparison {
 public:
  Comparison(const TestRun& reference, const TestRun& candidate) {
    reference.write(folder_.file("a"));
    candidate.write(folder_.file("b"));
    compare({folder_.file("a"), folder_.file("b")});
  }
  /// Compares what lies at the paths instead.
  void compare(const std::vector<std::string>& paths) {
    runs_.clear();
    comparison_ = {};
    for (std::size_t i = 0; i < paths.size(); ++i) {
      compare::ReadOptions options;
      options.name = i == 0 ? "a" : "b";
      runs_.push_back(compare::read_evidence(paths[i], options, pool_));
    }
    comparison_.reference = "a";
    comparison_.candidates.push_back(compare::compare_candidate(runs_[0], runs_[1], pool_, false));
  }
  [[nodiscard]] ComparisonInput input() const { return {comparison_, {&runs_[0], &runs_[1]}}; }
  [[nodiscard]] RunEvidence& run(std::size_t i) { return runs_[i]; }
  [[nodiscard]] std::string path(const std::string& inside) const { return folder_.file(inside); }
  [[nodiscard]] core::ThreadPool& pool() { return pool_; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

 private:
  core::test::TemporaryFolder folder_;
  core::ThreadPool pool_{2};
  std::vector<RunEvidence> runs_;
  compare::RunComparison comparison_;
};

std::string json(const Document& document) {
  return to_json(document.root(), KeyOrder::kAsBuilt);
}

void require_valid(const Document& document, const char* schema) {
  const auto violations = check_schema(document.root(), schema_text(schema));
  INFO(schema << ": " << (violations.empty() ? "" : violations.front().pointer + " " + violations.front().reason));
  REQUIRE(violations.empty());
}

/// The record of run `i`, as seal builds it.
std::string record_of(Comparison& comparison, std::size_t i) {
  RunEvidence& run = comparison.run(i);
  std::vector<compare::SealedWeights> weights;
  for (compare::WeightVersion& version : run.weights.versions) {
    weights.push_back(compare::seal_weights(version, comparison.pool(), run.findings));
  }
  const auto paths = compare::list_artifacts(run.path, "");
  const auto artifacts = compare::hash_artifacts(run.path, paths, {}, comparison.pool(), nullptr);
  Document validation;
  validation.set_root(
      validation.object({{"schema_version", validation.string("rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1")},
                         {"passed", validation.boolean(false)},
                         {"errors", validation.strings({"none was made here"})}}));
  const Document record = run_record_document({run, weights, artifacts, validation.root()}, "0.1.0");
  require_valid(record, "run_record");
  return json(record) + "\n";
}

TEST_CASE("The comparison has the published keys in their order") {
  const TestRun run = rlverify::test::passing_run();
  const Comparison comparison(run, run);
  const Document document = comparison_document(comparison.input());
  require_valid(document, "comparison");
  const std::string text = json(document);
  CHECK(text.find(R"({
  "reference": "a",
  "comparisons": [
    {
      "name": "b",
      "weights": [
        {
          "version": "weight_v000003",
          "equal": true,
          "different_tensors": []
        },)") == 0);
  CHECK(text.find(R"(      "tokens_equal": true,
      "norms_equal": {
        "0": true,
        "1": true
      }
    }
  ],
  "records": [
    {
      "name": "a",
      "status": "SUCCEEDED",
      "steps": {
        "0": {
          "train/loss": 0.001,
          "train/train_rollout_logprob_abs_diff": 0.0,)") != std::string::npos);
  CHECK(text.find("\"train/lr-pg_0\": 5e-07,") != std::string::npos);
  CHECK(text.find("\"perf\": {\n        \"0\": {\n          \"perf/step_time\": 45.5,") != std::string::npos);
  CHECK(text.find("\"train/global_batch_size\": 2,") != std::string::npos);
}

TEST_CASE("Log values as JSON: nan is null, tuples and sets are arrays, integers keep their digits") {
  TestRun run = rlverify::test::passing_run();
  run.replace(
      "run.log", "'train/loss': 0.001",
      "'train/loss': nan, 't': (1, 2.5), 's': {3, 1}, 'big': 123456789012345678901234567890, 'np': np.float32(0.1)");
  const Comparison comparison(run, run);
  const std::string text = json(comparison_document(comparison.input()));
  CHECK(text.find("\"train/loss\": null") != std::string::npos);
  CHECK(text.find("\"t\": [\n            1,\n            2.5\n          ]") != std::string::npos);
  CHECK(text.find("\"s\": [\n            1,\n            3\n          ]") != std::string::npos);
  CHECK(text.find("\"big\": 123456789012345678901234567890") != std::string::npos);
  CHECK(text.find("\"np\": 0.1") != std::string::npos);
}

TEST_CASE("A difference in the documents and in the text") {
  const TestRun left = rlverify::test::passing_run();
  TestRun right = left;
  right.replace_all("run.log", "'train/grad_norm': 0.020", "'train/grad_norm': 0.5");
  right.remove("train-data");
  const Comparison comparison(left, right);
  const Document document = comparison_document(comparison.input());
  require_valid(document, "comparison");
  const std::string text = json(document);
  CHECK(text.find("\"tokens_equal\": null") != std::string::npos);
  CHECK(text.find("\"norms_equal\": {\n        \"0\": false,\n        \"1\": true") != std::string::npos);
  require_valid(comparison_findings_document(comparison.input(), "0.1.0"), "findings");
  const std::string shown = comparison_text(comparison.input(), {});
  CHECK(shown.find("FAILED 1 candidate against a\n") == 0);
  CHECK(shown.find("b: first divergence: step 0, norms:") != std::string::npos);
  CHECK(shown.find("none: no evidence on a side") != std::string::npos);
  CHECK(shown.find("error RLV-326") != std::string::npos);
}

TEST_CASE("The text of equal runs, in ASCII and within the columns") {
  const TestRun run = rlverify::test::passing_run();
  const Comparison comparison(run, run);
  TextOptions options;
  options.columns = 64;
  const std::string text = comparison_text(comparison.input(), options);
  CHECK(text.find("PASSED 1 candidate against a\n") == 0);
  CHECK(text.find("  candidate  backends  graphs  weights  tokens  log-probs  norms\n") != std::string::npos);
  CHECK(text.find("  b          equal     equal   equal    equal   equal      equal\n") != std::string::npos);
  CHECK(text.find("b: everything compared is bit-identical\n") != std::string::npos);
  options.columns = 60;
  CHECK(comparison_text(comparison.input(), options).find("  b\n    backends   equal\n    graphs     equal\n") !=
        std::string::npos);
  options.colour = true;
  CHECK(comparison_text(comparison.input(), options).find("\x1b[1;32mPASSED\x1b[0m") == 0);
}

TEST_CASE("A sealed record stands in for its run") {
  const TestRun run = rlverify::test::passing_run();
  Comparison comparison(run, run);
  const std::string live = json(comparison_document(comparison.input()));
  const std::string a = comparison.write("a.json", record_of(comparison, 0));
  const std::string b = comparison.write("b.json", record_of(comparison, 1));
  for (const auto& paths : {std::vector<std::string>{a, comparison.path("b")}, {comparison.path("a"), b}, {a, b}}) {
    comparison.compare(paths);
    CHECK(json(comparison_document(comparison.input())) == live);
    CHECK(comparison.input().comparison.exit_code() == core::ExitCode::kPassed);
    CHECK(comparison.input().comparison.candidates[0].log_probs == true);
    CHECK(comparison.input().comparison.candidates[0].backends == true);
    CHECK(comparison.input().comparison.candidates[0].graphs == true);
  }
}

TEST_CASE("From a record the sample is named, not the position, and that is said") {
  const TestRun left = rlverify::test::passing_run();
  TestRun right = left;
  for (int rank = 0; rank < rlverify::test::kRanks; ++rank) {
    rlverify::test::PtValue dump = rlverify::test::dump_payload(rank, 1);
    dump["rollout_data"]["tokens"].at(1).tensor().bytes[8 * 3] ^= 1;
    right.files[rlverify::test::dump_path(rank, 1)] = rlverify::test::write_pt(dump);
  }
  Comparison comparison(left, right);
  const std::string record = comparison.write("a.json", record_of(comparison, 0));
  comparison.compare({record, comparison.path("b")});
  const core::Findings& findings = comparison.input().comparison.candidates[0].findings;
  const auto found = std::find_if(findings.list().begin(), findings.list().end(),
                                  [](const core::Finding& finding) { return finding.code == "RLV-320"; });
  REQUIRE(found != findings.list().end());
  CHECK(found->place.step == 1);
  CHECK(found->place.sample == 3);
  CHECK_FALSE(found->place.position.has_value());
  CHECK(found->hint.find("A sealed record keeps digests of samples") != std::string::npos);
}

TEST_CASE("The bundle: validation with sorted keys, cases or null, scope, no newline") {
  const TestRun run = rlverify::test::passing_run();
  const Comparison comparison(run, run);
  Document validation;
  validation.set_root(
      validation.object({{"schema_version", validation.string("rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1")},
                         {"passed", validation.boolean(false)},
                         {"errors", validation.strings({"x"})}}));
  const Document without = bundle_document(comparison.input(), validation.root(), std::nullopt, "free text");
  require_valid(without, "bundle");
  const std::string text = json(without);
  const std::string tail = R"(  "validation": {
    "errors": [
      "x"
    ],
    "passed": false,
    "schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1"
  },
  "gpu_attention_cases": null,
  "scope": "free text"
})";
  REQUIRE(text.size() > tail.size());
  CHECK(text.substr(text.size() - tail.size()) == tail);
  compare::AttentionCases cases;
  cases.cp = {2, 4};
  cases.interleave = {1};
  cases.query_counts = {21, 3};
  cases.passed = 3;
  cases.mismatches = 1;
  const Document with = bundle_document(comparison.input(), validation.root(), cases, "");
  require_valid(with, "bundle");
  CHECK(json(with).find("\"passed\": 3,\n    \"eager_and_cuda_graph_byte_mismatches\": 1") != std::string::npos);
}

}  // namespace
}  // namespace rlverify::report
