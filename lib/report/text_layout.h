// SPDX-License-Identifier: Apache-2.0
// Laying text out for a terminal: wrapping under a label, and colour that is only there when asked for.
#pragma once

#include <string>
#include <string_view>

namespace rlverify::report {

enum class Style { kPlain, kBold, kDim, kGood, kBad, kWarning };

/// `text` in the style's SGR sequence when `colour`, else as it is.
[[nodiscard]] std::string styled(std::string_view text, Style style, bool colour);

/// `text` (printable already) in lines of at most `columns`, broken at spaces; a word that is longer than a line is
/// broken where the line ends, never cut. The first line begins with `label` padded to `indent` columns, the others
/// with `indent` spaces; where that would leave less than 20 columns, the label has a line of its own. Every line ends
/// with a newline.
[[nodiscard]] std::string wrapped(std::string_view label, std::string_view text, std::size_t indent,
                                  std::size_t columns);

/// `text` and spaces up to `width` columns.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);

}  // namespace rlverify::report
