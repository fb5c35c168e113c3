// SPDX-License-Identifier: Apache-2.0
// vllm_batch_invariant: vLLM with VLLM_BATCH_INVARIANT=1, where a Triton kernel replaces ATen's log_softmax; one
// program per row. Source: vllm/model_executor/layers/batch_invariant.py. Order: logits gathered, cut to the real
// vocabulary, fp32; M over the row first; then blocks of 1,024 columns from left to right, S = S + tl.sum(exp(z - M));
// result (z_t - M) - log S. The same for every P, batch and place. Stand-in: tl.sum of 1,024 values on 4 warps, whose
// order Triton doesn't state: lane i of 128 adds columns 4i..4i+3 and then 512 + 4i..4i+3, in this order; shuffles 16,
// 8, 4, 2, 1 in each warp; (w0 + w2) + (w1 + w3) of the four warps.
#pragma once

#include "contracts/trees.h"

namespace rlverify::kernels {

struct VllmBatchInvariant {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads = 128;  // of a CUDA block
  static constexpr int kLanes = 128;
  static constexpr std::int64_t kBlock = 1024;

  RLV_MEMBER static int units(const Shape&) { return 1; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int) { return {0, shape.real_vocab}; }
  RLV_MEMBER static int lanes(const Shape&) { return kLanes; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t) {
    const float max = block.maximum(columns, range);
    float sum = 0.0F;
    for (std::int64_t first = range.begin; first < range.end; first += kBlock) {
      typename Block::Acc acc = block.zero(kLanes);
      const std::int64_t end = smaller(first + kBlock, range.end);
      block.template accumulate<4>(acc, kLanes, columns, Sweep{first, 4 * kLanes, first, end},
                                   ExpTerm<ExpKind::kTriton>{max});
      sum = sum + warp_tree(block, acc, kLanes);
    }
    return {max, sum};
  }

  template <class Block>
  RLV_MEMBER static float merge(Block&, const MergeInput& in, const Shape&) {
    const float log_sum = log_portable(in.sums[0]);
    return in.target_in_real ? (in.target_logit - in.maxima[0]) - log_sum : canonical_nan();
  }
};

}  // namespace rlverify::kernels
