// SPDX-License-Identifier: Apache-2.0
// rl_kernel_strict_tp: RL-Kernel's `cuda-det-gemm-linear-logp-sm90-contract-v2`, the strict path with a tensor-parallel
// group. Source: rl_engine/backends/cuda/logprob/{linear_logp,ordered_merge}.py,
// csrc/cuda/logprob/fused_linear_logp_sm90.cu. Order: logits rounded to bf16; divided by T in fp32 and rounded to bf16
// again; columns from R on are -inf. Per rank 256 lanes, lane i adds exp(z - m) over columns i, i+256, ... ascending;
// shared memory halving 128..1; lse_r = m + log s. Gathered in rank order; M = maximum; S = exp(l_0 - M) + exp(l_1 - M)
// + ... left to right; lse = M + log S; result z_t - lse, where z_t is a sum over ranks of one value and zeros, which
// makes +0 of -0 when P > 1. Stand-in: the system's local exponential is the hardware's __expf.
#pragma once

#include "contracts/trees.h"

namespace rlverify::kernels {

struct RlKernelStrictTp {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads = 256;  // of a CUDA block
  static constexpr int kLanes = 256;

  RLV_MEMBER static int units(const Shape& shape) { return shape.ranks; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int index) {
    return clipped_range(index, shard_columns(shape), shape.real_vocab);
  }
  RLV_MEMBER static int lanes(const Shape&) { return kLanes; }

  /// `max` of the result holds lse_r; its sum is not used.
  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t) {
    const float max = block.maximum(columns, range);
    typename Block::Acc acc = block.zero(kLanes);
    block.template accumulate<1>(acc, kLanes, columns, Sweep{range.begin, kLanes, range.begin, range.end},
                                 ExpTerm<ExpKind::kFast>{exp_reference(max)});
    return {max + log_portable(halving_tree(block, acc, kLanes)), 0.0F};
  }

  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape&) {
    float max = in.maxima[0];
    for (int rank = 1; rank < in.units; ++rank)
      max = max_number(max, in.maxima[rank]);
    float sum = block.template exp<ExpKind::kAccurate>(in.maxima[0] - max);
    for (int rank = 1; rank < in.units; ++rank)
      sum = sum + block.template exp<ExpKind::kAccurate>(in.maxima[rank] - max);
    const float lse = max + log_portable(sum);
    const float target = in.units > 1 ? in.target_logit + 0.0F : in.target_logit;
    return in.target_in_real ? target - lse : canonical_nan();
  }
};

}  // namespace rlverify::kernels
