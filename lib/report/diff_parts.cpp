// SPDX-License-Identifier: Apache-2.0
// Labels are as wide as the widest of them, so that figures stand under each other.
#include "report/diff_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/diff_words.h"
#include "report/finding_text.h"
#include "report/findings_text.h"
#include "report/text_layout.h"

namespace rlverify::report {
namespace {

constexpr std::size_t kLabelWidth = 13;  // "  not finite "
constexpr std::array<std::string_view, 4> kToldElsewhere = {"RLV-401", "RLV-406", "RLV-410", "RLV-413"};

Style style_of(diff::Answer answer) {
  switch (answer) {
    case diff::Answer::kEqual:
      return Style::kGood;
    case diff::Answer::kWithinTolerance:
      return Style::kWarning;
    default:
      return Style::kBad;
  }
}

}  // namespace

std::string answer_line(diff::Answer answer, std::string_view rest, const TextOptions& options) {
  const std::string_view word = answer_word(answer);
  const std::string lines = wrapped(word, rest, word.size() + 2, options.columns);
  return styled(word, style_of(answer), options.colour) + lines.substr(word.size());
}

std::string figure_line(std::string_view label, std::string_view text, const TextOptions& options) {
  if (text.empty()) {
    return "";
  }
  const std::string lines =
      wrapped(fmt::format("  {}", label), printable(text, !options.unicode), kLabelWidth, options.columns);
  return "  " + styled(label, Style::kDim, options.colour) + lines.substr(2 + label.size());
}

std::string other_findings(const core::Findings& findings, const TextOptions& options) {
  core::Findings others;
  for (const core::Finding& finding : findings.list()) {
    if (std::find(kToldElsewhere.begin(), kToldElsewhere.end(), finding.code) == kToldElsewhere.end()) {
      others.add(finding);
    }
  }
  return findings_text(others, options);
}

}  // namespace rlverify::report
