// SPDX-License-Identifier: Apache-2.0
// vime_default: slime's and VIME's _VocabParallelLogProbEntropy, eager ATen operations. Source:
// slime/backends/megatron_utils (ppo_utils), vime of August 2026.
// Order: as megatron_ce, but logits times fp32(1/T) first, and the result is (z_t - M) - log S. Bit for bit the same
// number as megatron_ce at T = 1, except that an exact zero is +0 here and -0 there. Row chunking changes the
// all-reduce buffer: give the chunk as the batch. Stand-in: the ring's rank permutation and the channel count.
#pragma once

#include "contracts/aten_shard.h"

namespace rlverify::kernels {

struct VimeDefault : AtenShard {
  static constexpr bool kGlobalMax = true;
  static constexpr bool kQuadLanes = false;

  template <class Block>
  RLV_MEMBER static float merge(Block&, const MergeInput& in, const Shape& shape) {
    return predicted(in) - log_portable(reduced_sum(in, shape, 0, shape.batch_rows));
  }
};

}  // namespace rlverify::kernels
