// SPDX-License-Identifier: Apache-2.0
// Widths count code points: exact for the text that this program writes, near enough for names from elsewhere.
#include "report/text_layout.h"

#include <algorithm>
#include <vector>

#include "report/utf8.h"

namespace rlverify::report {

namespace {

/// The byte behind the first `count` code points of `text`.
std::size_t prefix_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count && at < text.size(); ++i) {
    static_cast<void>(next_code_point(text, at));
  }
  return at;
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t used = display_width(lines.back());
    if (used != 0 && used + 1 + display_width(word) <= width) {
      lines.back() += ' ';
      lines.back() += word;
      continue;
    }
    if (used != 0) {
      lines.emplace_back();
    }
    while (display_width(word) > width) {
      const std::size_t cut = prefix_bytes(word, width);
      lines.back() = word.substr(0, cut);
      word.remove_prefix(cut);
      lines.emplace_back();
    }
    lines.back() = word;
  }
  return lines;
}

}  // namespace

std::string styled(std::string_view text, Style style, bool colour) {
  const char* code = "";
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      code = "1";
      break;
    case Style::kDim:
      code = "2";
      break;
    case Style::kGood:
      code = "1;32";
      break;
    case Style::kBad:
      code = "1;31";
      break;
    case Style::kWarning:
      code = "33";
      break;
  }
  if (!colour || *code == '\0') {
    return std::string(text);
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string wrapped(std::string_view label, std::string_view text, std::size_t indent, std::size_t columns) {
  constexpr std::size_t kNarrowest = 20;
  constexpr std::size_t kSmallIndent = 4;
  if (indent > kSmallIndent && columns < indent + kNarrowest) {
    return std::string(label.substr(0, label.find_last_not_of(' ') + 1)) + "\n" +
           wrapped("", text, kSmallIndent, columns);
  }
  const std::size_t width = std::max(columns > indent ? columns - indent : 0, kNarrowest);
  std::string out;
  std::string margin = padded(label, indent);
  for (const std::string& line : lines_of(text, width)) {
    out += margin + line;
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    margin.assign(indent, ' ');
  }
  return out;
}

}  // namespace rlverify::report
