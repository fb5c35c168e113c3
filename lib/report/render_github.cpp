// SPDX-License-Identifier: Apache-2.0
// Workflow commands of GitHub Actions. A runner reads every line of the log, so text of artifacts must not be able to
// begin a command: line ends and percent signs are escaped as the runner unescapes them, and the older form of a
// command, "##[", which is recognised anywhere in a line, is broken up.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/finding_text.h"
#include "report/renderers.h"

namespace rlverify::report {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Text after the "::".
std::string message_text(std::string_view text) {
  std::string out = printable(text, false);
  replace_all(out, "##[", "## [");
  replace_all(out, "%", "%25");
  return out;
}

/// Text of a property, which a comma or a colon would end.
std::string property_text(std::string_view text) {
  std::string out = message_text(text);
  replace_all(out, ":", "%3A");
  replace_all(out, ",", "%2C");
  return out;
}

std::string_view command_of(core::Severity severity) {
  switch (severity) {
    case core::Severity::kError:
      return "error";
    case core::Severity::kWarning:
      return "warning";
    case core::Severity::kNote:
      return "notice";
  }
  return "notice";
}

std::string annotation(const core::Finding& finding, const std::string& group) {
  std::string properties;
  const auto add = [&properties](std::string_view name, const std::string& text) {
    properties += fmt::format("{}{}={}", properties.empty() ? "" : ",", name, property_text(text));
  };
  if (!finding.place.file.empty()) {
    add("file", finding.place.file);
    if (finding.place.line) {
      add("line", std::to_string(*finding.place.line));
    }
    if (finding.place.line && finding.place.column) {
      add("col", std::to_string(*finding.place.column));
    }
  }
  add("title", fmt::format("{} {}", finding.code, finding_title(finding)));
  const std::string message = (group.empty() ? "" : group + ": ") + finding_sentence(finding);
  return fmt::format("::{} {}::{}\n", command_of(finding.severity), properties, message_text(message));
}

struct Listed {
  const core::Finding* finding;
  std::string group;  ///< empty where there is only one
};

/// Errors first, then warnings, then notes; causes first within each.
std::vector<Listed> all_findings(const ReportView& view) {
  std::vector<Listed> list;
  for (const ViewGroup& group : view.groups) {
    for (const core::Finding& finding : group.findings) {
      list.push_back({&finding, view.groups.size() == 1 ? "" : group.name});
    }
  }
  std::stable_sort(list.begin(), list.end(), [](const Listed& a, const Listed& b) {
    return static_cast<int>(a.finding->severity) < static_cast<int>(b.finding->severity);
  });
  return list;
}

/// The last annotation: how many findings have none of their own, and in which sections they are.
std::string overflow(const std::vector<Listed>& list, std::size_t shown, const ReportView& view) {
  std::map<core::Section, std::size_t> sections;
  for (std::size_t i = shown; i < list.size(); ++i) {
    ++sections[list[i].finding->section];
  }
  std::vector<std::string> texts;
  for (const auto& [section, count] : sections) {
    texts.push_back(fmt::format("{} in {}", grouped(count), section_title(section)));
  }
  // The document that these commands write is that of the findings.
  const bool writes_findings = view.command == "diff" || view.command == "replay";
  return fmt::format("::{} title=rlverify%3A more findings::{} more: {}. The findings document lists them ({} FILE).\n",
                     command_of(list[shown].finding->severity), grouped(list.size() - shown), fmt::join(texts, ", "),
                     writes_findings ? "-o" : "--findings");
}

}  // namespace

std::string render_github(const ReportView& view) {
  std::string out = message_text(fmt::format("rlverify {}: {}: {}; {}", view.command, verdict_word(view), view.subject,
                                             checks_sentence(view))) +
                    "\n";
  const std::vector<Listed> list = all_findings(view);
  const std::size_t shown = list.size() > kMostAnnotations ? kMostAnnotations - 1 : list.size();
  for (std::size_t i = 0; i < shown; ++i) {
    out += annotation(*list[i].finding, list[i].group);
  }
  return shown < list.size() ? out + overflow(list, shown, view) : out;
}

}  // namespace rlverify::report
