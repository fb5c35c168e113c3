// SPDX-License-Identifier: Apache-2.0
// From the public input to what the backends run: checks every size and parameter, then fills in Shape and
// LogitTransform.
#pragma once

#include "contracts/shape.h"
#include "rlverify_kernels/logp.h"

namespace rlverify::kernels {

/// A checked computation on given logits (hidden x weight has been multiplied out before).
struct Prepared {
  Shape shape;
  LogitTransform transform;
  std::int64_t row_stride = 0;
};

/// Checks everything but the logits pointer. Throws KernelError(kInvalidInput) with the value that is wrong.
void check_input(const Contract& contract, const LogpInput& input);

/// Shape and transform of a checked input. `memory_type`: how the values lie in memory; `logical_type`: what the system
/// held.
[[nodiscard]] Prepared prepare(const Contract& contract, const LogpInput& input, StorageType memory_type,
                               StorageType logical_type);

}  // namespace rlverify::kernels
