// SPDX-License-Identifier: Apache-2.0
// Text from artifacts is made printable before it is laid out, so that no run directory can write to the terminal.
#include "report/findings_text.h"

#include <fmt/format.h>

#include "report/finding_text.h"
#include "report/findings_parts.h"
#include "report/rule_table.h"
#include "report/text_layout.h"

namespace rlverify::report {

namespace {

constexpr std::size_t kLabelWidth = 12;  // "   expected "

std::string labelled(std::string_view label, std::string_view text, const TextOptions& options) {
  if (text.empty()) {
    return "";
  }
  const std::string lines =
      wrapped(fmt::format("  {}", label), printable(text, !options.unicode), kLabelWidth, options.columns);
  return "  " + styled(label, Style::kDim, options.colour) + lines.substr(2 + label.size());
}

std::string block(const core::Finding& finding, const TextOptions& options) {
  const RuleRow* rule = find_rule(finding.code);
  const std::string head = fmt::format("{} {}", core::severity_name(finding.severity), finding.code);
  std::string text = finding.because_of.empty() ? "" : fmt::format("because of {}: ", cause_text(finding));
  text += rule == nullptr ? finding.what : rule->title;
  const std::string lines = wrapped(head + ":", printable(text, !options.unicode), head.size() + 2, options.columns);
  const bool is_error = finding.severity == core::Severity::kError;
  std::string out =
      '\n' + styled(head, is_error ? Style::kBad : Style::kWarning, options.colour) + lines.substr(head.size());
  if (rule != nullptr && rule->title != finding.what) {
    out += labelled("what", finding.what, options);
  }
  out += labelled("place", finding.place.text(), options);
  out += labelled("expected", finding.expected, options);
  out += labelled("found", finding.found, options);
  out += labelled("count", repeat_text(finding), options);
  return out + labelled("hint", finding.hint.empty() && rule != nullptr ? rule->hint : finding.hint, options);
}

}  // namespace

std::string findings_text(const core::Findings& findings, const TextOptions& options) {
  core::Findings sorted = findings;
  sorted.sort();
  const std::vector<core::Finding>& list = sorted.list();
  std::string out;
  for (std::size_t i = 0; i < list.size() && i < kMaxListedFindings; ++i) {
    out += block(list[i], options);
  }
  if (list.size() > kMaxListedFindings) {
    out += fmt::format("\n{} findings in all; the first {} are listed.\n", grouped(list.size()),
                       grouped(kMaxListedFindings));
  }
  return out;
}

}  // namespace rlverify::report
