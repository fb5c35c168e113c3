// SPDX-License-Identifier: Apache-2.0
// megatron_ce: Megatron-LM's unfused vocab_parallel_cross_entropy, eager ATen operations. Source:
// megatron/core/tensor_parallel/cross_entropy.py.
// Order: fp32 logits; M all-reduced MAX; z -= M; e = exp(z); torch.sum per rank (aten_sum.h); all-reduce SUM of the
// predicted logit (exact: one value and zeros) and of S (order: collective.h, a buffer of N elements). loss = log S -
// (z_t - M); logp = -loss. Padding columns are summed like any other. A target outside every shard gives -log S.
// Stand-in: the ring's rank permutation and the channel count; no temperature in Megatron itself, verl's scalar
// division is used.
#pragma once

#include "contracts/aten_shard.h"

namespace rlverify::kernels {

struct MegatronCe : AtenShard {
  static constexpr bool kGlobalMax = true;
  static constexpr bool kQuadLanes = false;

  template <class Block>
  RLV_MEMBER static float merge(Block&, const MergeInput& in, const Shape& shape) {
    const float loss = log_portable(reduced_sum(in, shape, 0, shape.batch_rows)) - predicted(in);
    return -loss;
  }
};

}  // namespace rlverify::kernels
