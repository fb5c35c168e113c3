// SPDX-License-Identifier: Apache-2.0
// What Python 3.11 knows about characters: which it prints, takes for space, or reads as a digit.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rlverify::core {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  ///< length of its UTF-8 form
  bool valid = false;     ///< false: `value` is one byte that starts no sequence
};

/// The code point at the start of `utf8`, which must not be empty. Surrogates in their three-byte form are taken.
[[nodiscard]] CodePoint decode_utf8(std::string_view utf8);
/// str.isprintable() of one code point.
[[nodiscard]] bool is_printable(char32_t code_point);
/// What int() and float() strip: ASCII white space, and str.isspace() beyond ASCII.
[[nodiscard]] bool is_number_space(char32_t code_point);
/// unicodedata.decimal() of one code point: 0 to 9.
[[nodiscard]] std::optional<int> decimal_digit(char32_t code_point);

}  // namespace rlverify::core
