// SPDX-License-Identifier: Apache-2.0
// Walking UTF-8 text code point by code point. Lone surrogates in their three-byte form are code points like any other
// here (core/value.h).
#pragma once

#include <cstddef>
#include <string_view>

namespace rlverify::report {

inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at byte `at`, which moves behind it; a byte that starts none gives U+FFFD and is stepped over.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);

/// True for what would change a line without being seen: surrogates, bidirectional and zero-width controls, line
/// separators.
[[nodiscard]] bool is_unprintable(char32_t code);

/// Columns of a terminal that `text` takes, one per code point.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace rlverify::report
