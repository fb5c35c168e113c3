// SPDX-License-Identifier: Apache-2.0
// The checks of a candidate are the columns of the text's table, in the same order and with the same words.
#include <fmt/format.h>

#include <algorithm>

#include "report/finding_text.h"
#include "report/report_views.h"
#include "report/series_charts.h"

namespace rlverify::report {

namespace {

using compare::CandidateComparison;
using core::Section;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return count == 0 ? "" : fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ", " + second;
}

/// What a section's verdict becomes: an error among its findings counts whatever the comparison itself says.
ViewCheck check_of(const CandidateComparison& candidate, Section section, const compare::Verdict& verdict,
                   bool required, std::string compared) {
  ViewCheck check;
  check.section = section;
  check.title = section == Section::kNorms ? "norms" : section_title(section);
  check.required = required;
  const bool error = candidate.findings.has_error(section);
  if (error || verdict == false) {
    check.verdict = CheckVerdict::kFailed;
    check.word = verdict == false ? "differ" : "failed";
  } else if (verdict) {
    check.verdict = CheckVerdict::kPassed;
    check.word = "equal";
  } else {
    check.word = "no evidence";
  }
  check.compared = !compared.empty() ? std::move(compared) : verdict ? "" : "no evidence on a side";
  return check;
}

/// A difference that the manifests ask for is no failure.
ViewCheck asked_or(ViewCheck check, bool note_only, bool error) {
  if (note_only && !error) {
    check.verdict = CheckVerdict::kPassed;
    check.word = "asked";
  }
  return check;
}

std::string weights_text(const CandidateComparison& candidate) {
  const auto& coverage = candidate.coverage.weights;
  return joined(
      counted(candidate.weights.versions.size(), "version", "versions"),
      joined(counted(coverage.tensors, "tensor", "tensors"), counted(coverage.elements, "element", "elements")));
}

std::vector<ViewCheck> checks_of(const CandidateComparison& candidate) {
  const auto& coverage = candidate.coverage;
  const core::Findings& findings = candidate.findings;
  std::vector<ViewCheck> checks;
  checks.push_back(asked_or(check_of(candidate, Section::kBackends, candidate.backends, false,
                                     counted(coverage.backends.files, "readback", "readbacks")),
                            candidate.backends_note_only, findings.has_error(Section::kBackends)));
  checks.push_back(asked_or(check_of(candidate, Section::kCudagraph, candidate.graphs, false,
                                     counted(coverage.graphs.files, "file", "files")),
                            candidate.graphs_note_only, findings.has_error(Section::kCudagraph)));
  checks.push_back(check_of(candidate, Section::kWeights, candidate.weights.equal, true, weights_text(candidate)));
  checks.push_back(check_of(candidate, Section::kTokens, candidate.tokens, true,
                            joined(counted(candidate.step_tokens.size(), "step", "steps"),
                                   counted(coverage.tokens.elements, "token", "tokens"))));
  checks.push_back(check_of(candidate, Section::kLogProbs, candidate.log_probs, false,
                            joined(counted(candidate.step_log_probs.size(), "step", "steps"),
                                   counted(coverage.log_probs.elements, "log-prob", "log-probs"))));
  checks.push_back(check_of(candidate, Section::kNorms, candidate.norms_equal(), true,
                            counted(coverage.norms.elements, "step", "steps")));
  for (int number = 0; number < core::kSectionCount; ++number) {
    const auto section = static_cast<Section>(number);
    const bool listed = std::any_of(checks.begin(), checks.end(),
                                    [section](const ViewCheck& check) { return check.section == section; });
    if (!listed && findings.has_error(section)) {
      checks.push_back(check_of(candidate, section, std::nullopt, false, "see the findings"));
    }
  }
  return checks;
}

/// The finding that the first divergence speaks of.
std::optional<core::Finding> finding_of(const compare::FirstDivergence& first,
                                        const std::vector<core::Finding>& findings) {
  for (const core::Finding& finding : findings) {
    if (finding.code == first.code && finding.section == first.section && finding.because_of.empty()) {
      return finding;
    }
  }
  return std::nullopt;
}

ViewGroup group_of(const CandidateComparison& candidate) {
  ViewGroup group;
  group.name = candidate.name;
  group.passed = candidate.passed();
  group.checks = checks_of(candidate);
  group.findings = sorted_list(candidate.findings);
  if (candidate.first) {
    group.first =
        ViewDivergence{candidate.first->what, candidate.first->before, finding_of(*candidate.first, group.findings)};
  }
  return group;
}

/// Faults of artifacts, whichever run they belong to.
ViewGroup reading_group(const core::Findings& findings) {
  ViewGroup group;
  group.name = "reading the runs";
  group.passed = !findings.has_error();
  group.findings = sorted_list(findings);
  for (int number = 0; number < core::kSectionCount; ++number) {
    const auto section = static_cast<Section>(number);
    const auto count = std::count_if(group.findings.begin(), group.findings.end(),
                                     [section](const auto& finding) { return finding.section == section; });
    if (count == 0) {
      continue;
    }
    const bool error = findings.has_error(section);
    group.checks.push_back({section, std::string(section_title(section)),
                            error ? CheckVerdict::kFailed : CheckVerdict::kPassed, error ? "failed" : "passed", false,
                            counted(static_cast<std::uint64_t>(count), "finding", "findings")});
  }
  return group;
}

void append_matrix(const ReportView& view, std::vector<Chart>& charts) {
  MatrixChart chart;
  chart.title = "Candidates and checks";
  chart.description = "One row for each candidate, one cell for each check.";
  for (const ViewGroup& group : view.groups) {
    chart.description += fmt::format(" {}:", group.name);
    for (const ViewCheck& check : group.checks) {
      chart.description += fmt::format(" {} {}{}", check.title, check.word, &check == &group.checks.back() ? "." : ",");
    }
  }
  charts.emplace_back(std::move(chart));
}

}  // namespace

ReportView comparison_view(const ComparisonInput& input, std::string_view tool_version) {
  const compare::RunComparison& comparison = input.comparison;
  ReportView view;
  view.command = "compare";
  view.subject = fmt::format("{} against {}", counted(comparison.candidates.size(), "candidate", "candidates"),
                             comparison.reference);
  view.exit_code = comparison.exit_code();
  view.tool_version = tool_version;
  for (const compare::RunEvidence* run : input.runs) {
    view.facts.emplace_back(run == input.runs.front() ? "reference" : "candidate",
                            fmt::format("{} ({}{})", run->name, run->sealed() ? "sealed record " : "", run->path));
  }
  if (!comparison.findings.list().empty()) {
    view.groups.push_back(reading_group(comparison.findings));
  }
  for (const CandidateComparison& candidate : comparison.candidates) {
    view.groups.push_back(group_of(candidate));
  }
  append_matrix(view, view.charts);
  append_norm_chart(comparison, view.charts);
  for (const CandidateComparison& candidate : comparison.candidates) {
    if (!candidate.log_prob_series.magnitudes.empty()) {
      append_mismatch_charts(candidate.log_prob_series, comparison.candidates.size() == 1 ? "" : ", " + candidate.name,
                             fmt::format("log-probs of {} against {}", candidate.name, comparison.reference),
                             view.charts);
    }
  }
  return view;
}

}  // namespace rlverify::report
