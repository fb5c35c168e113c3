// SPDX-License-Identifier: Apache-2.0
// GitHub-flavoured Markdown. Evidence stands in code spans, where nothing is a link, a mention or a reference to an
// issue; prose is escaped character by character.
#include <fmt/format.h>

#include <algorithm>

#include "report/finding_text.h"
#include "report/renderers.h"

namespace rlverify::report {

namespace {

/// A comment may have 65,536 characters; what doesn't fit is counted.
constexpr std::size_t kCommentBytes = 60000;
constexpr std::size_t kTableBytes = 15000;
constexpr std::size_t kDivergenceBytes = 15000;
constexpr std::size_t kLongestText = 1000;

/// A text of an artifact may be as long as its author likes; a comment may not.
std::string clipped(std::string text) {
  if (text.size() <= kLongestText) {
    return text;
  }
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  const std::size_t all = text.size();
  text.resize(end);
  return text + fmt::format("... ({} bytes)", grouped(all));
}

/// Prose: no markup, no mention, no reference, no link.
std::string prose(std::string_view text) {
  const std::string safe = clipped(printable(text, false));
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool dotted =
        c == '.' && i >= 3 && (safe.compare(i - 3, 3, "www") == 0 || safe.compare(i - 3, 3, "WWW") == 0);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '@' || c == '#') {
      out += fmt::format("\\{}&#8203;", c);
    } else if (c == ':' && safe.compare(i, 3, "://") == 0) {
      out += "\\:";
    } else if (dotted || std::string_view("\\`*_[]<>|~$!").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

/// A code span, with a fence longer than any inside. In a table a bar would end the cell.
std::string code(std::string_view text, bool in_table = false) {
  std::string safe = clipped(printable(text, false));
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : safe) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (in_table) {
    for (std::size_t at = safe.find('|'); at != std::string::npos; at = safe.find('|', at + 2)) {
      safe.insert(at, 1, '\\');
    }
  }
  const std::string fence(longest + 1, '`');
  const bool padded = longest > 0 || safe.empty() || safe.front() == ' ' || safe.back() == ' ';
  return fence + (padded ? " " + safe + " " : safe) + fence;
}

std::string_view mark(const ViewCheck& check) {
  if (counts_as_failure(check)) {
    return "\u274c";  // cross mark
  }
  return check.verdict == CheckVerdict::kPassed ? "\u2705" : "\u2796";  // check mark, minus
}

std::string cell(const ViewCheck& check) {
  return fmt::format("{} {}", mark(check), prose(check.word));
}

/// One group: a row for each check.
std::string check_rows(const ViewGroup& group) {
  std::string out = "| check | verdict | what was compared |\n|---|---|---|\n";
  for (const ViewCheck& check : group.checks) {
    out += fmt::format("| {} | {} | {} |\n", prose(check.title), cell(check), prose(check.compared));
  }
  return out;
}

bool same_checks(const ViewGroup& a, const ViewGroup& b) {
  return std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(),
                    [](const ViewCheck& left, const ViewCheck& right) { return left.section == right.section; });
}

/// Groups from `begin` on, which have the same checks: a row for each.
std::string group_rows(const ReportView& view, std::size_t begin) {
  std::string out = "| |";
  std::string line = "|---|";
  for (const ViewCheck& check : view.groups.at(begin).checks) {
    out += fmt::format(" {} |", prose(check.title));
    line += "---|";
  }
  out += "\n" + line + "\n";
  for (std::size_t i = begin; i < view.groups.size(); ++i) {
    if (out.size() > kTableBytes) {
      return out + fmt::format("\n{} more rows.\n", view.groups.size() - i);
    }
    out += fmt::format("| {} |", code(view.groups[i].name, true));
    for (const ViewCheck& check : view.groups[i].checks) {
      out += fmt::format(" {} |", cell(check));
    }
    out += "\n";
  }
  return out;
}

/// Several groups with the same checks share a table; a group of other checks before them has its own.
std::string tables(const ReportView& view) {
  const std::vector<ViewGroup>& groups = view.groups;
  if (groups.size() == 1) {
    return check_rows(groups.front());
  }
  const std::size_t begin = same_checks(groups[0], groups[1]) ? 0 : 1;
  const bool shared = std::all_of(groups.begin() + static_cast<std::ptrdiff_t>(begin), groups.end(),
                                  [&](const ViewGroup& group) { return same_checks(group, groups[begin]); });
  std::string out;
  for (std::size_t i = 0; i < (shared ? begin : groups.size()); ++i) {
    if (out.size() > kTableBytes) {
      return out + fmt::format("{} more tables.\n", groups.size() - i);
    }
    out += fmt::format("{}{}:\n\n{}", i == 0 ? "" : "\n", code(groups[i].name), check_rows(groups[i]));
  }
  return shared ? out + (out.empty() ? "" : "\n") + group_rows(view, begin) : out;
}

std::string item(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("- {}: {}\n", label, text);
}

std::string evidence(const core::Finding& finding) {
  const std::string place = finding.place.text();
  std::string out = item("place", place.empty() ? "" : code(place));
  out += item("expected", finding.expected.empty() ? "" : code(finding.expected));
  out += item("found", finding.found.empty() ? "" : code(finding.found));
  out += item("count", prose(repeat_text(finding)));
  return out + item("hint", prose(finding_hint(finding)));
}

std::string divergence(const ReportView& view, const ViewGroup& group) {
  const std::string who = view.groups.size() == 1 ? "" : code(group.name) + ": ";
  if (!group.first) {
    return "";
  }
  const ViewDivergence& first = *group.first;
  std::string out = fmt::format("{}**First divergence**: {}{}", who,
                                first.finding ? fmt::format("{}: ", first.finding->code) : "", prose(first.what));
  out += first.before.empty() ? "\n" : fmt::format(" ({})\n", prose(first.before));
  return out + (first.finding ? "\n" + evidence(*first.finding) : "");
}

/// A heading of bold text, since HTML headings inside <details> are easily too large for a comment.
std::string finding_block(const core::Finding& finding, const std::string& group) {
  const std::string title = finding_title(finding);
  std::string out = fmt::format("**{} {}**: {}{}\n\n", core::severity_name(finding.severity), finding.code,
                                group.empty() ? "" : code(group) + ": ", prose(title));
  out += title == finding.what ? "" : item("what", prose(finding.what));
  out += item("follows from", prose(cause_text(finding)));
  return out + evidence(finding) + "\n";
}

/// As many as `room` bytes hold.
std::string folded_findings(const ReportView& view, std::size_t room) {
  const std::size_t all = finding_count(view);
  if (all == 0) {
    return "";
  }
  std::string blocks;
  std::size_t listed = 0;
  for (const ViewGroup& group : view.groups) {
    for (const core::Finding& finding : group.findings) {
      const std::string block = finding_block(finding, view.groups.size() == 1 ? "" : group.name);
      if (blocks.size() + block.size() <= room) {
        blocks += block;
        ++listed;
      }
    }
  }
  const std::string more =
      listed == all ? ""
                    : fmt::format("{} more don't fit here: the findings document lists them (`--findings FILE`).\n\n",
                                  grouped(all - listed));
  return fmt::format("\n<details>\n<summary>{} {}</summary>\n\n{}{}</details>\n", grouped(all),
                     all == 1 ? "finding" : "findings", blocks, more);
}

}  // namespace

std::string render_markdown_summary(const ReportView& view) {
  std::string out = fmt::format("### {} rlverify {}: {}\n\n{}; {}\n\n", view.passed() ? "\u2705" : "\u274c",
                                view.command, verdict_word(view), code(view.subject), checks_sentence(view));
  out += tables(view);
  std::string divergences;
  std::size_t left_out = 0;
  for (const ViewGroup& group : view.groups) {
    const std::string text = divergence(view, group);
    const bool fits = divergences.size() + text.size() <= kDivergenceBytes;
    divergences += text.empty() || !fits ? "" : "\n" + text;
    left_out += fits ? 0U : 1U;
  }
  return out + divergences + (left_out == 0 ? "" : fmt::format("\n{} more first divergences.\n", left_out));
}

std::string render_markdown(const ReportView& view) {
  const std::string summary = render_markdown_summary(view);
  return summary + folded_findings(view, kCommentBytes - std::min(summary.size(), kCommentBytes)) +
         fmt::format("\n<sub>rlverify {}</sub>\n", prose(view.tool_version));
}

}  // namespace rlverify::report
