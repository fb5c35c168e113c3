// SPDX-License-Identifier: Apache-2.0
// Overlong forms count as bad bytes; the three-byte form of a surrogate does not.
#include "report/utf8.h"

namespace rlverify::report {

namespace {

std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first < 0xC2) {
    return 0;
  }
  if (first < 0xE0) {
    return 2;
  }
  return first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = sequence_length(first);
  if (length == 0 || at + length > text.size()) {
    ++at;
    return kReplacement;
  }
  char32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) {
      ++at;
      return kReplacement;
    }
    code = (code << 6U) | (byte(at + i) & 0x3FU);
  }
  if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10FFFF))) {
    ++at;
    return kReplacement;
  }
  at += length;
  return code;
}

bool is_unprintable(char32_t code) {
  return (code >= 0xD800 && code < 0xE000) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++width) {
    static_cast<void>(next_code_point(text, at));
  }
  return width;
}

}  // namespace rlverify::report
