// SPDX-License-Identifier: Apache-2.0
// Text of artifacts inside markup: XML 1.0 and HTML. What a reader of either would refuse or run is spelt out instead.
#pragma once

#include <string>
#include <string_view>

namespace rlverify::report {

/// `text` for element content and quoted attributes of XML 1.0 and HTML: the five characters of markup as entities;
/// control characters, line ends included, as \xNN and other characters that change a line unseen as \uNNNN; bytes that
/// are no UTF-8 as U+FFFD. The result holds nothing that XML 1.0 forbids.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace rlverify::report
