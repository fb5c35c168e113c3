// SPDX-License-Identifier: Apache-2.0
// The nearest known names for a mistyped one, for messages about wrong use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlverify::report {

/// Edits that turn `a` into `b`: insertions, deletions, substitutions and swaps of neighbours (optimal string
/// alignment), upper and lower case being alike. Names longer than 256 bytes count as that many edits: nobody mistypes
/// those.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// At most `at_most` of `known`, nearest first and by name among equals: those within a third of the name's length (at
/// least one edit), and those that begin with it.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view given, const std::vector<std::string>& known,
                                                     std::size_t at_most = 3);

/// "did you mean "a" or "b"?" of these names, or empty when there are none.
[[nodiscard]] std::string question_of(const std::vector<std::string>& names);

/// "did you mean "a" or "b"?", or empty when nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view given, const std::vector<std::string>& known);

}  // namespace rlverify::report
