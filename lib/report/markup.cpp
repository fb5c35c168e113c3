// SPDX-License-Identifier: Apache-2.0
// printable() has spelt out control characters and surrogates already; XML also forbids U+FFFE and U+FFFF.
#include "report/markup.h"

#include <fmt/format.h>

#include "report/finding_text.h"
#include "report/utf8.h"

namespace rlverify::report {

std::string markup_text(std::string_view text) {
  const std::string safe = printable(text, false);
  std::string out;
  out.reserve(safe.size());
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t start = at;
    const auto code = static_cast<std::uint32_t>(next_code_point(safe, at));
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if ((code & 0xFFFEU) == 0xFFFEU) {
          out += fmt::format("\\u{:04x}", code);
        } else {
          out.append(safe, start, at - start);
        }
    }
  }
  return out;
}

}  // namespace rlverify::report
