// SPDX-License-Identifier: Apache-2.0
// Binary search in tables of ranges: this runs for messages and for the few strings that are turned into numbers.
#include "core/unicode.h"

#include <algorithm>
#include <iterator>

namespace rlverify::core {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

#include "core/unicode_tables.inc"

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t code_point) {
  const auto* const after = std::upper_bound(std::begin(ranges), std::end(ranges), code_point,
                                             [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && code_point <= std::prev(after)->last;
}

}  // namespace

CodePoint decode_utf8(std::string_view utf8) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  const std::size_t length = lead < 0xE0 ? 2 : (lead < 0xF0 ? 3 : 4);
  if (lead < 0xC2 || lead > 0xF4 || utf8.size() < length) {
    return {lead, 1, false};
  }
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {lead, 1, false};
    }
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF) {
    return {lead, 1, false};
  }
  return {value, length, true};
}

bool is_printable(char32_t code_point) {
  return code_point < 0x80 ? code_point >= 0x20 && code_point != 0x7F : !contains(kNonPrintable, code_point);
}

bool is_number_space(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
  }
  return contains(kSpaces, code_point);
}

std::optional<int> decimal_digit(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point >= '0' && code_point <= '9' ? std::optional(static_cast<int>(code_point - '0')) : std::nullopt;
  }
  const auto* const after = std::upper_bound(std::begin(kDecimalZeros), std::end(kDecimalZeros), code_point);
  if (after == std::begin(kDecimalZeros) || code_point - *std::prev(after) > 9) {
    return std::nullopt;
  }
  return static_cast<int>(code_point - *std::prev(after));
}

}  // namespace rlverify::core
