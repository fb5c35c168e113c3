// SPDX-License-Identifier: Apache-2.0
// Every text goes through markup_text, class names and labels are ours.
#include "report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/finding_text.h"
#include "report/markup.h"
#include "report/rule_table.h"

namespace rlverify::report {

namespace {

std::string row(std::string_view label, const std::string& text, std::string_view css_class = "") {
  if (text.empty()) {
    return "";
  }
  return fmt::format("<dt>{}</dt><dd{}>{}</dd>\n", label,
                     css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class), markup_text(text));
}

std::string_view severity_class(core::Severity severity) {
  switch (severity) {
    case core::Severity::kError:
      return "bad";
    case core::Severity::kWarning:
      return "warn";
    case core::Severity::kNote:
      return "";
  }
  return "";
}

std::string_view check_class(const ViewCheck& check) {
  if (counts_as_failure(check)) {
    return "bad";
  }
  return check.verdict == CheckVerdict::kPassed ? "good" : "";
}

}  // namespace

std::string html_evidence(const core::Finding& finding) {
  std::string out = "<dl class=\"evidence\">\n";
  out += row("place", finding.place.text());
  out += row("expected", finding.expected, "value expected");
  out += row("found", finding.found, "value found");
  out += row("count", repeat_text(finding));
  out += row("hint", finding_hint(finding));
  return out + "</dl>\n";
}

std::string html_finding(const core::Finding& finding, const std::string& group, bool open) {
  const RuleRow* const rule = find_rule(finding.code);
  const std::string title = finding_title(finding);
  std::string out =
      fmt::format("<details{}><summary><span class=\"badge {}\">{} {}</span>{}<strong>{}</strong>", open ? " open" : "",
                  severity_class(finding.severity), core::severity_name(finding.severity), markup_text(finding.code),
                  group.empty() ? "" : markup_text(group) + ": ", markup_text(title));
  const std::string place = finding.place.text();
  out += place.empty() ? "" : fmt::format(" <span class=\"muted\">{}</span>", markup_text(place));
  out += "</summary><div>\n";
  out += title == finding.what ? "" : fmt::format("<p>{}</p>\n", markup_text(finding.what));
  out += finding.because_of.empty()
             ? ""
             : fmt::format("<p class=\"muted\">Follows from {}.</p>\n", markup_text(cause_text(finding)));
  out += html_evidence(finding);
  out += rule == nullptr ? "" : fmt::format("<p class=\"muted\">{}</p>\n", markup_text(rule->meaning));
  return out + "</div></details>\n";
}

std::string html_checks(const ViewGroup& group, bool with_caption) {
  const std::string name = markup_text(group.name);
  std::string out =
      fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Checks of {}\"><table>\n", name);
  out += with_caption ? fmt::format("<caption>{}</caption>\n", name) : "";
  out +=
      "<thead><tr><th scope=\"col\">check</th><th scope=\"col\">verdict</th><th scope=\"col\" "
      "class=\"number\">findings</th>"
      "<th scope=\"col\">what was compared</th></tr></thead>\n<tbody>\n";
  for (const ViewCheck& check : group.checks) {
    const auto count = std::count_if(group.findings.begin(), group.findings.end(),
                                     [&check](const core::Finding& finding) { return belongs(finding, check); });
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td><span class=\"badge {}\">{}</span></td><td "
        "class=\"number\">{}</td><td>{}</td></tr>\n",
        markup_text(check.title), check_class(check), markup_text(check.word), count == 0 ? "" : std::to_string(count),
        markup_text(check.compared));
  }
  return out + "</tbody>\n</table></div>\n";
}

}  // namespace rlverify::report
