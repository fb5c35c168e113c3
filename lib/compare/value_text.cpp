// SPDX-License-Identifier: Apache-2.0
// Hex comes first in doubt: two decimals may look alike, bits don't.
#include "compare/value_text.h"

#include <fmt/format.h>

#include <bit>

#include "core/python_value.h"

namespace rlverify::compare {

std::string norm_text(double value) {
  return fmt::format("{} (0x{:016x})", core::python_repr(value), std::bit_cast<std::uint64_t>(value));
}

std::string token_text(const std::vector<std::int64_t>& tokens, std::size_t position) {
  return position < tokens.size() ? fmt::format("{}", tokens[position]) : "the end";
}

}  // namespace rlverify::compare
