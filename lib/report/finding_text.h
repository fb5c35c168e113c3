// SPDX-License-Identifier: Apache-2.0
// A finding in words, for every place that shows one.
#pragma once

#include <string>
#include <string_view>

#include "core/finding.h"

namespace rlverify::report {

/// One plain sentence: "PLACE: what: expected X, found Y (3 times, also at PLACE)".
[[nodiscard]] std::string finding_sentence(const core::Finding& finding);

/// What it follows from, for people: "RLV-340", or "the first RLV-340" for a later one of its own kind; empty for a
/// cause.
[[nodiscard]] std::string cause_text(const core::Finding& finding);

/// The other places of a merged finding: "3 times, also at A; B"; empty when it was met once.
[[nodiscard]] std::string repeat_text(const core::Finding& finding);

/// `text` for a terminal: control characters as \xNN, so that no artifact can write escape sequences, and everything
/// beyond ASCII as \uNNNN when `ascii_only`.
[[nodiscard]] std::string printable(std::string_view text, bool ascii_only);

/// 8192 as "8,192".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace rlverify::report
