// SPDX-License-Identifier: Apache-2.0
// Sealed records compared without any run: an engine that fell back to old weights, and steps that a record lacks.
#include <array>

#include "run/weight_audit.h"
#include "run_support.h"

namespace rlverify::compare::test {
namespace {

/// A record of three weight versions and two steps; only what a comparison looks at.
std::string record(const std::string& name, const std::string& versions, const std::string& log_probs_of_step_1) {
  std::string weights;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    run::AuditTensor tensor;
    tensor.name = "w";
    tensor.sha256 = std::string(64, versions[i]);
    tensor.shape = {2};
    tensor.dtype = "torch.bfloat16";
    tensor.well_formed = true;
    weights += (i == 0 ? "" : ", ") + std::string("\"v") + std::to_string(i) + "\": {\"sha256\": \"" +
               run::audit_digest({tensor}) + "\", \"tensor_count\": 1, \"tensors\": {\"w\": {\"sha256\": \"" +
               tensor.sha256 + "\", \"shape\": [2], \"dtype\": \"torch.bfloat16\"}}}";
  }
  const std::string token = std::string(64, '7');
  const auto log_probs = [](const std::string& digest) {
    return "{\"samples\": 1, \"elements\": 4, \"sha256\": \"" + digest + "\", \"per_sample\": [\"" + digest + "\"]}";
  };
  return "{\"schema_version\": \"rlverify.run_record.v1\", \"name\": \"" + name +
         "\", \"status\": \"SUCCEEDED\", \"steps\": {\"0\": {\"train/grad_norm\": 0.5}, \"1\": {\"train/grad_norm\": "
         "0.25}}" +
         ", \"perf\": {}, \"tokens\": {\"0\": \"" + token + "\", \"1\": \"" + token +
         "\"}, \"token_recipe\": \"rlverify.tokens.v1\", \"token_samples\": {\"0\": [\"" + token + "\"], \"1\": [\"" +
         token + "\"]}, \"log_probs\": {\"0\": " + log_probs(std::string(64, '5')) +
         ", \"1\": " + log_probs(log_probs_of_step_1) + "}, \"backends\": null, \"cudagraph\": null, \"weights\": {" +
         weights + "}}";
}

CandidateComparison compare_records(const std::string& left, const std::string& right) {
  TemporaryFolder folder;
  core::ThreadPool pool(2);
  RunEvidence reference = read_evidence(folder.write("a.json", left), {}, pool);
  RunEvidence candidate = read_evidence(folder.write("b.json", right), {}, pool);
  return compare_candidate(reference, candidate, pool, false);
}

TEST_CASE("What was at fault when a run was sealed is at fault in its record") {
  TemporaryFolder folder;
  core::ThreadPool pool(2);
  std::string text = record("a", "ab", std::string(64, '5'));
  CHECK(read_evidence(folder.write("whole.json", text), {}, pool).findings.list().empty());
  text.pop_back();
  text += R"(, "faults": [{"code": "RLV-335", "section": "log_probs", "what": "log-probs can't be used",
                           "file": "mismatch-sidecars/a.pt", "expected": "x", "found": "y", "count": 3}]})";
  const std::string path = folder.write("torn.json", text);
  const RunEvidence torn = read_evidence(path, {}, pool);
  const core::Finding fault = finding(torn.findings, "RLV-335");
  CHECK(fault.severity == core::Severity::kError);
  CHECK(fault.section == core::Section::kLogProbs);
  CHECK(fault.place.file == path + ": mismatch-sidecars/a.pt");
  CHECK(fault.expected == "x");
  CHECK(fault.count == 3);
}

TEST_CASE("Rollout weights that fell back come first, the log-probs are a consequence") {
  const CandidateComparison result =
      compare_records(record("trainer", "abc", std::string(64, '5')), record("rollout", "aaa", std::string(64, '6')));
  REQUIRE(result.first.has_value());
  CHECK(result.first->section == core::Section::kWeights);
  CHECK(result.first->version == "v1");
  CHECK(result.first->step == 1);
  CHECK(result.log_probs == false);
  const core::Finding log_probs = finding(result.findings, "RLV-330");
  CHECK(log_probs.because_of == result.first->code);
  CHECK(log_probs.place.step == 1);
  bool said = false;
  for (const core::Finding& each : result.findings.list()) {
    said = said || each.what.find("rollout weights at version 1 equal version 0") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("Records that agree") {
  const CandidateComparison result =
      compare_records(record("a", "abc", std::string(64, '5')), record("b", "abc", std::string(64, '5')));
  CHECK(result.passed());
  CHECK(result.coverage.log_probs.elements == 8);
}

TEST_CASE("Null in a record stands for a norm that was not finite") {
  std::string left = record("a", "abc", std::string(64, '5'));
  std::string right = record("b", "abc", std::string(64, '5'));
  for (std::string* text : {&left, &right}) {
    const std::string norm = "\"train/grad_norm\": 0.25";
    text->replace(text->find(norm), norm.size(), "\"train/grad_norm\": null");
  }
  const CandidateComparison result = compare_records(left, right);
  CHECK(result.norms.at(1) == false);
  CHECK(finding(result.findings, "RLV-341").what == "grad_norm non-finite at step 1 on both sides");
}

TEST_CASE("Token digests of another recipe say nothing") {
  std::string right = record("b", "abc", std::string(64, '5'));
  const std::string recipe = "rlverify.tokens.v1";
  right.replace(right.find(recipe), recipe.size(), "other.tokens.v1");
  const CandidateComparison result = compare_records(record("a", "abc", std::string(64, '5')), right);
  CHECK_FALSE(result.tokens.has_value());
  CHECK(finding(result.findings, "RLV-327").found == "other.tokens.v1");
  CHECK_FALSE(result.passed());
}

}  // namespace
}  // namespace rlverify::compare::test
