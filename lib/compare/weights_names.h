// SPDX-License-Identifier: Apache-2.0
// Names of weight versions: their order and how they are spoken of (internal to compare/weights.h).
#pragma once

#include <string>

namespace rlverify::compare {

/// Order by what comes before the last number, then by that number ("v2" before "v10").
[[nodiscard]] bool version_less(const std::string& a, const std::string& b);

/// "weight_v000001" is version "1"; names of another kind stand for themselves.
[[nodiscard]] std::string version_label(const std::string& name);

}  // namespace rlverify::compare
