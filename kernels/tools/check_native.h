// SPDX-License-Identifier: Apache-2.0
// logp_check --native: the native flavour against ATen on the same card.
#pragma once

#include <cstdint>

namespace rlverify::kernels {

/// Prints one row per claim: confirmed or refuted on this card. Returns 0 when all are confirmed, 1 when some are
/// refuted, 4 when nothing could be compared.
int check_native(int device, std::uint64_t seed);

}  // namespace rlverify::kernels
