// SPDX-License-Identifier: Apache-2.0
// rl_kernel_strict_top_p: RL-Kernel's `cuda-det-gemm-linear-logp-sm90-top-p-sparse-v1`, the replay of a recorded top-p
// set on the strict path. Source: rl_engine/backends/cuda/logprob/linear_logp.py.
// Order: the retained columns of a rank, ascending; column c belongs to lane c mod 256 and value, maximum, sum, lse_r
// and merge are rl_kernel_strict_tp's. So it has the bits of the dense path with -inf in every other column, which the
// system claims itself: here the retained set is the columns that are not -inf. A rank without members gives (-inf, 0).
// The target must be in the set, else the system raises and the result is NaN. The system takes up to 64 tokens a row.
#pragma once

#include "contracts/rl_kernel_strict_tp.h"

namespace rlverify::kernels {

struct RlKernelStrictTopP : RlKernelStrictTp {
  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape& shape) {
    const float logp = RlKernelStrictTp::merge(block, in, shape);
    return in.target_logit == negative_infinity() ? canonical_nan() : logp;
  }
};

}  // namespace rlverify::kernels
