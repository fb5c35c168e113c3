// SPDX-License-Identifier: Apache-2.0
// The grammar and the value of JSON numbers (internal to the JSON reader).
#pragma once

#include <cstddef>
#include <string_view>

namespace rlverify::core {

/// What is wrong with the text of a number, or what kind it is.
struct JsonNumberSyntax {
  bool valid = false;
  bool integral = false;         ///< neither fraction nor exponent
  std::size_t error_offset = 0;  ///< where the grammar was left, when not valid
};

/// Checks `text` against RFC 8259 section 6: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
[[nodiscard]] JsonNumberSyntax check_json_number(std::string_view text);

/// The double nearest to a valid number; infinity or zero, with its sign, where it is out of range.
[[nodiscard]] double json_number_value(std::string_view text);

}  // namespace rlverify::core
