// SPDX-License-Identifier: Apache-2.0
// Norms and tokens as findings show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rlverify::compare {

/// "0.022594607365076035 (0x3f97230b40000000)": all digits that tell it from its neighbours (up to 17), and the bits.
[[nodiscard]] std::string norm_text(double value);
/// The token at `position`, or "the end".
[[nodiscard]] std::string token_text(const std::vector<std::int64_t>& tokens, std::size_t position);

}  // namespace rlverify::compare
