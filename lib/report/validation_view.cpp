// SPDX-License-Identifier: Apache-2.0
// Findings about a run name files inside it; the places get the directory in front here, since who reads a comment on a
// pull request stands somewhere else.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "report/finding_text.h"
#include "report/report_views.h"
#include "report/series_charts.h"

namespace rlverify::report {

namespace {

void into_run(core::FindingPlace& place, const std::string& directory) {
  const bool inside = place.file.compare(0, directory.size() + 1, directory + "/") == 0;
  if (!place.file.empty() && place.file.front() != '/' && !inside) {
    place.file = directory + "/" + place.file;
  }
}

std::vector<core::Finding> placed_findings(const ValidationResult& result) {
  std::vector<core::Finding> findings = sorted_list(result.findings);
  for (core::Finding& finding : findings) {
    into_run(finding.place, result.run_directory);
    for (core::FindingPlace& place : finding.more_places) {
      into_run(place, result.run_directory);
    }
  }
  return findings;
}

ViewGroup group_of(const ValidationResult& result) {
  ViewGroup group;
  group.passed = result.passed();
  for (const Check& check : checks_of(result)) {
    group.checks.push_back({check.section, std::string(section_title(check.section)), check.verdict,
                            std::string(verdict_name(check.verdict)), false, check.compared});
  }
  group.findings = placed_findings(result);
  group.first = divergence_of(group.findings);
  return group;
}

}  // namespace

ReportView validation_view(const ValidationResult& result, std::string_view tool_version) {
  ReportView view;
  view.command = "validate";
  view.subject = !result.run_id              ? result.run_directory
                 : result.run_id.is_string() ? std::string(result.run_id.text())
                                             : core::python_repr(result.run_id);
  view.exit_code = result.exit_code();
  view.tool_version = tool_version;
  const Coverage total = total_coverage(result);
  view.facts = {{"run directory", result.run_directory},
                {"rules", result.rules == RuleSet::kStrict ? "strict" : "reference"},
                {"read", fmt::format("{} files, {} tensors, {} elements, {} bytes", grouped(total.files),
                                     grouped(total.tensors), grouped(total.elements), grouped(total.bytes))}};
  if (result.gives_up) {
    view.facts.emplace_back("not judged", *result.gives_up);
  }
  view.groups.push_back(group_of(result));
  view.groups.back().name = view.subject;
  if (result.sidecars.series.by_step.empty()) {
    append_logged_mismatches(result.scalars.rows, view.charts);
  }
  append_mismatch_charts(result.sidecars.series, "", "train against rollout log-probs", view.charts);
  return view;
}

}  // namespace rlverify::report
