// SPDX-License-Identifier: Apache-2.0
// One recorded value against one computed one, in the recorded dtype.
#pragma once

#include <cstdint>

#include "replay/result.h"
#include "tensor/dtype.h"

namespace rlverify::replay {

/// `value` (fp32) or, of the fp64 reference, `wide`, as a side of `dtype` would hold it, widened to double. Dtypes
/// other than float64, float32, bfloat16 and float16 are compared in float32.
[[nodiscard]] double in_dtype(tensor::DType dtype, float value, double wide);

/// Steps of `dtype` from a to b, both finite and representable in it.
[[nodiscard]] std::uint64_t ulp_distance(tensor::DType dtype, double a, double b);

/// Whether the bits are the same; every NaN is one value.
[[nodiscard]] bool same_bits(double a, double b);

/// Counts one pair; `place` is copied when it is the first that differs.
void add_pair(Tally& tally, tensor::DType dtype, double recorded, double computed, const Place& place);

}  // namespace rlverify::replay
