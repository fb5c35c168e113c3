// SPDX-License-Identifier: Apache-2.0
// Python literals as the run log prints them (spec/run-artifacts.md section 3a). The parser reads a little more than
// the public validator does - numpy scalars, Infinity and NaN by name - and says so, so that one read serves both rule
// sets. Nothing is evaluated.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace rlverify::run {

struct Literal {
  core::NodeId root = core::kNoNode;  ///< kNoNode when the text is no literal at all
  bool public_accepts = false;  ///< the public validator reads the same text (its ast.literal_eval with inf and nan)
  std::string problem;          ///< why there is no root, with the byte where it went wrong
};

/// Parses the whole of `utf8` (valid UTF-8) into `table`. `place` is added to all places. Dicts keep one entry per key
/// as Python does (the first one's position, the last one's value); sets keep the first of equal elements.
[[nodiscard]] Literal parse_literal(std::string_view utf8, core::ValueTable& table, std::uint32_t place = 0);

}  // namespace rlverify::run
