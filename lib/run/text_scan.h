// SPDX-License-Identifier: Apache-2.0
// Python's view of characters, on UTF-8 bytes: white space, word characters, decimal digits, line ends, replacement of
// bad bytes. The run log is read as Python's str methods and `re` read it, without decoding the whole file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlverify::run {

/// One decoded character: its code point and its length in bytes (length 0 at the end of the text). Bad bytes decode as
/// U+FFFD.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};
[[nodiscard]] Character character_at(std::string_view text, std::size_t at);
/// The character that ends just before `at`.
[[nodiscard]] Character character_before(std::string_view text, std::size_t at);

[[nodiscard]] bool is_python_space(std::uint32_t code);  ///< str.isspace(), `\s`
[[nodiscard]] bool is_python_word(std::uint32_t code);   ///< `\w`: letters, digits, underscore
[[nodiscard]] int python_digit(std::uint32_t code);      ///< value of a decimal digit (`\d`) of any script, or -1

/// Ends of the pieces that str.splitlines() would make of `text`, a text without LF: pieces are [previous end, end)
/// without their line break.
struct LinePiece {
  std::size_t begin = 0;
  std::size_t end = 0;
};
void split_python_lines(std::string_view text, std::vector<LinePiece>& pieces);

/// bytes.decode("utf-8", "replace"): every bad sequence becomes U+FFFD.
[[nodiscard]] std::string decode_with_replacement(std::string_view bytes);
[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// The text without CSI escape sequences (ESC [ parameters intermediates final), as terminals use for colour.
[[nodiscard]] std::string strip_csi(std::string_view text);
/// Length of the CSI sequence at `at`, or 0.
[[nodiscard]] std::size_t csi_length(std::string_view text, std::size_t at);

}  // namespace rlverify::run
