// SPDX-License-Identifier: Apache-2.0
// Comparison and bundle, byte for byte in the layout of the published evidence.
#include "report/comparison_document.h"

#include "report/findings_parts.h"
#include "report/record_parts.h"

namespace rlverify::report {

namespace {

using core::NodeId;
using core::Section;

NodeId verdict_node(Document& document, const std::optional<bool>& verdict) {
  return verdict ? document.boolean(*verdict) : document.null();
}

NodeId candidate_object(Document& document, const compare::CandidateComparison& candidate) {
  const NodeId weights = document.array();
  for (const compare::VersionComparison& version : candidate.weights.versions) {
    document.append(weights, document.object({{"version", document.string(version.version)},
                                              {"equal", verdict_node(document, version.equal)},
                                              {"different_tensors", document.strings(version.different_tensors)}}));
  }
  const NodeId norms = document.object();
  for (const auto& [step, equal] : candidate.norms) {
    document.put(norms, std::to_string(step), document.boolean(equal));
  }
  return document.object({{"name", document.string(candidate.name)},
                          {"weights", weights},
                          {"tokens_equal", verdict_node(document, candidate.tokens)},
                          {"norms_equal", norms}});
}

NodeId record_object(Document& document, const compare::RunEvidence& run) {
  return document.object({{"name", document.string(run.name)},
                          {"status", document.string(run.status)},
                          {"steps", steps_object(document, run.steps)},
                          {"perf", steps_object(document, run.perf)},
                          {"tokens", tokens_object(document, run.tokens)}});
}

NodeId comparison_object(Document& document, const ComparisonInput& input) {
  const NodeId comparisons = document.array();
  for (const compare::CandidateComparison& candidate : input.comparison.candidates) {
    document.append(comparisons, candidate_object(document, candidate));
  }
  const NodeId records = document.array();
  for (const compare::RunEvidence* run : input.runs) {
    document.append(records, record_object(document, *run));
  }
  return document.object(
      {{"reference", document.string(input.comparison.reference)}, {"comparisons", comparisons}, {"records", records}});
}

void put_coverage(Document& document, NodeId out, Section section, const compare::WeightCoverage& part) {
  Coverage coverage;
  coverage.files = part.files;
  coverage.tensors = part.tensors;
  coverage.elements = part.elements;
  coverage.bytes = part.bytes;
  document.put(out, core::section_name(section), coverage_object(document, coverage));
}

/// What was looked at for all candidates together.
NodeId coverage_of(Document& document, const compare::RunComparison& comparison) {
  compare::SectionCoverage sum;
  for (const compare::CandidateComparison& candidate : comparison.candidates) {
    sum.backends.add(candidate.coverage.backends);
    sum.graphs.add(candidate.coverage.graphs);
    sum.weights.add(candidate.coverage.weights);
    sum.tokens.add(candidate.coverage.tokens);
    sum.log_probs.add(candidate.coverage.log_probs);
    sum.norms.add(candidate.coverage.norms);
  }
  const NodeId out = document.object();
  put_coverage(document, out, Section::kBackends, sum.backends);
  put_coverage(document, out, Section::kCudagraph, sum.graphs);
  put_coverage(document, out, Section::kWeights, sum.weights);
  put_coverage(document, out, Section::kTokens, sum.tokens);
  put_coverage(document, out, Section::kLogProbs, sum.log_probs);
  put_coverage(document, out, Section::kNorms, sum.norms);
  return out;
}

}  // namespace

core::Findings all_findings(const compare::RunComparison& comparison) {
  core::Findings all = comparison.findings;
  for (const compare::CandidateComparison& candidate : comparison.candidates) {
    for (const core::Finding& finding : candidate.findings.list()) {
      all.add(finding);
    }
  }
  return all;
}

Document comparison_document(const ComparisonInput& input) {
  Document document;
  document.set_root(comparison_object(document, input));
  return document;
}

Document bundle_document(const ComparisonInput& input, core::Value validation,
                         const std::optional<compare::AttentionCases>& attention_cases, const std::string& scope) {
  Document document;
  document.set_root(document.object({{"comparison", comparison_object(document, input)},
                                     {"validation", copy_sorted(document, validation)},
                                     {"gpu_attention_cases", attention_cases_object(document, attention_cases)},
                                     {"scope", document.string(scope)}}));
  return document;
}

Document comparison_findings_document(const ComparisonInput& input, std::string_view tool_version) {
  Document document;
  const core::Findings findings = all_findings(input.comparison);
  const core::ExitCode code = input.comparison.exit_code();
  document.set_root(document.object({{"schema_version", document.string("rlverify.findings.v1")},
                                     {"verdict", document.string(verdict_key(code))},
                                     {"exit_code", document.integer(static_cast<std::int64_t>(code))},
                                     {"coverage", coverage_of(document, input.comparison)},
                                     {"findings_total", document.unsigned_integer(findings.list().size())},
                                     {"findings", findings_array(document, findings)},
                                     {"tool", tool_object(document, tool_version)}}));
  return document;
}

}  // namespace rlverify::report
