// SPDX-License-Identifier: Apache-2.0
// The text forms inside pickles: integers of any size, UTF-8, and the two escaped string forms of protocol 0.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rlverify::tensor {

/// Longest big integer in bytes that is read (about 2,466 decimal digits; Python itself stops printing at 4,300).
inline constexpr std::size_t kMaxLongBytes = 1024;

/// The decimal digits of a little-endian two's complement number of at most kMaxLongBytes bytes (opcodes LONG1 and
/// LONG4); empty is 0.
[[nodiscard]] std::string decimal_from_twos_complement(std::span<const std::byte> bytes);
/// Whether `text` is a decimal integer with an optional sign.
[[nodiscard]] bool is_decimal_integer(std::string_view text);
/// Whether `text` is UTF-8 as Python pickles it: lone surrogates allowed in their three-byte form.
[[nodiscard]] bool is_pickle_utf8(std::string_view text);
/// Decodes opcode UNICODE (Python's raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX) to UTF-8; nothing for a bad
/// escape.
[[nodiscard]] std::optional<std::string> decode_raw_unicode_escape(std::string_view text);
/// Decodes opcode STRING (a quoted Python bytes literal without prefix) to its bytes; nothing for a bad one.
[[nodiscard]] std::optional<std::string> decode_quoted_string(std::string_view text);
/// UTF-8 text to the bytes of its Latin-1 form (how Python writes bytes below protocol 3); nothing where a character is
/// above U+00FF.
[[nodiscard]] std::optional<std::string> latin1_from_utf8(std::string_view text);

}  // namespace rlverify::tensor
