// SPDX-License-Identifier: Apache-2.0
// Order of a sentence: where, what, expected, found, how often. Evidence is never shortened.
#include "report/finding_text.h"

#include <fmt/format.h>

#include "report/utf8.h"

namespace rlverify::report {

std::string cause_text(const core::Finding& finding) {
  return finding.because_of == finding.code ? "the first " + finding.code : finding.because_of;
}

std::string repeat_text(const core::Finding& finding) {
  if (finding.count <= 1) {
    return "";
  }
  std::string text = fmt::format("{} times", grouped(finding.count));
  const char* joint = ", also at ";
  for (const core::FindingPlace& place : finding.more_places) {
    text += joint + place.text();
    joint = "; ";
  }
  return text;
}

std::string finding_sentence(const core::Finding& finding) {
  const std::string place = finding.place.text();
  std::string sentence = place.empty() ? finding.what : place + ": " + finding.what;
  if (!finding.expected.empty()) {
    sentence += ": expected " + finding.expected;
  }
  if (!finding.found.empty()) {
    sentence += (finding.expected.empty() ? ": found " : ", found ") + finding.found;
  }
  const std::string repeats = repeat_text(finding);
  return repeats.empty() ? sentence : fmt::format("{} ({})", sentence, repeats);
}

std::string printable(std::string_view text, bool ascii_only) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t code = next_code_point(text, at);
    const auto number = static_cast<std::uint32_t>(code);
    if (number < 0x20 || (number >= 0x7F && number < 0xA0)) {
      out += fmt::format("\\x{:02x}", number);
    } else if (number < 0x7F) {
      out += static_cast<char>(number);
    } else if (ascii_only || is_unprintable(code)) {
      out += number < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
    } else if (code == kReplacement) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) {
    digits.insert(i - 3, 1, ',');
  }
  return digits;
}

}  // namespace rlverify::report
