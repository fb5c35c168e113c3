// SPDX-License-Identifier: Apache-2.0
// The words that several renderers share.
#include "report/report_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/rule_table.h"

namespace rlverify::report {

std::string_view verdict_word(const ReportView& view) {
  switch (view.exit_code) {
    case core::ExitCode::kPassed:
      return "PASSED";
    case core::ExitCode::kFailed:
      return "FAILED";
    default:
      return "NOT JUDGED";
  }
}

std::string checks_sentence(const ReportView& view) {
  std::size_t all = 0;
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const ViewGroup& group : view.groups) {
    for (const ViewCheck& check : group.checks) {
      ++all;
      passed += check.verdict == CheckVerdict::kPassed ? 1U : 0U;
      failed += check.verdict == CheckVerdict::kFailed ? 1U : 0U;
    }
  }
  return fmt::format("{} {}: {} passed, {} failed, {} unavailable", all, all == 1 ? "check" : "checks", passed, failed,
                     all - passed - failed);
}

bool counts_as_failure(const ViewCheck& check) {
  return check.verdict == CheckVerdict::kFailed || (check.required && check.verdict == CheckVerdict::kUnavailable);
}

bool belongs(const core::Finding& finding, const ViewCheck& check) {
  return finding.section == check.section && (check.tensor.empty() || finding.place.tensor == check.tensor);
}

std::size_t finding_count(const ReportView& view) {
  std::size_t count = 0;
  for (const ViewGroup& group : view.groups) {
    count += group.findings.size();
  }
  return count;
}

std::string finding_title(const core::Finding& finding) {
  const RuleRow* const rule = find_rule(finding.code);
  return rule != nullptr ? rule->title : finding.what;
}

std::string finding_hint(const core::Finding& finding) {
  const RuleRow* const rule = find_rule(finding.code);
  return finding.hint.empty() && rule != nullptr ? rule->hint : finding.hint;
}

std::optional<ViewDivergence> divergence_of(const std::vector<core::Finding>& findings) {
  const auto first = std::find_if(findings.begin(), findings.end(), [](const core::Finding& finding) {
    return finding.severity == core::Severity::kError;
  });
  return first == findings.end() ? std::nullopt : std::optional(ViewDivergence{finding_title(*first), "", *first});
}

std::vector<core::Finding> sorted_list(core::Findings findings) {
  findings.sort();
  return findings.list();
}

}  // namespace rlverify::report
