// SPDX-License-Identifier: Apache-2.0
// megatron_ce_fused: Megatron-LM with cross_entropy_loss_fusion (impl native), pieces compiled by torch.compile.
// Source: megatron/core/fusions/fused_cross_entropy.py. Order: fp32 logits; M all-reduced MAX; per rank a compiled row
// sum of exp(z - M); one all-reduce SUM over [predicted(N); S(N)], so S of row r is element N + r of 2N. logp = -(log S
// - (z_t - M)). Padding columns are summed. A target outside every shard gives -log S. Stand-in: Inductor's row sum has
// no definite order. Here: 512 lanes with four accumulators each over columns 4i..4i+3 + 2048n, ((a0+a1)+a2)+a3,
// shfl_down 16..1, the 16 warp values 8, 4, 2, 1. No temperature in Megatron itself, verl's scalar division is used.
#pragma once

#include "contracts/aten_shard.h"

namespace rlverify::kernels {

struct MegatronCeFused : AtenShard {
  static constexpr bool kGlobalMax = true;
  static constexpr bool kQuadLanes = false;
  static constexpr int kLanes = 512;

  RLV_MEMBER static int lanes(const Shape&) { return kLanes; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range,
                                    float global_max, const Shape&, std::int64_t) {
    typename Block::Acc a[4] = {block.zero(kLanes), block.zero(kLanes), block.zero(kLanes), block.zero(kLanes)};
    block.accumulate_slots(a, kLanes, columns, Sweep{range.begin, 4 * kLanes, range.begin, range.end},
                           ExpTerm<ExpKind::kTriton>{global_max});
    for (int i = 1; i < 4; ++i)
      block.add(a[0], a[i], kLanes);
    return {global_max, warp_tree(block, a[0], kLanes)};
  }

  template <class Block>
  RLV_MEMBER static float merge(Block&, const MergeInput& in, const Shape& shape) {
    const float sum = reduced_sum(in, shape, shape.batch_rows, 2 * shape.batch_rows);
    const float loss = log_portable(sum) - predicted(in);
    return -loss;
  }
};

}  // namespace rlverify::kernels
