// SPDX-License-Identifier: Apache-2.0
// miles_fused: miles' default path, Megatron's fused cross entropy (torch.compile) on a fp32 copy. Source: miles of
// August 2026; megatron/core/fusions/fused_cross_entropy.py. Order: logits times fp32(1/T) in the incoming type; M
// all-reduced MAX; per rank a compiled row sum; one all-reduce SUM over [predicted(N); S(N)], so S of row r is element
// N + r of 2N. logp = -(log S - (z_t - M)). Padding columns are summed. Stand-in: Inductor's row sum has no definite
// order. Here: 512 lanes with four accumulators each over columns 4i..4i+3 + 2048n,
// ((a0+a1)+a2)+a3, shfl_down 16..1, the 16 warp values 8, 4, 2, 1. Its exponential is the hardware's.
#pragma once

#include "contracts/aten_shard.h"

namespace rlverify::kernels {

struct MilesFused : AtenShard {
  static constexpr ContractId kId = ContractId::kMilesFused;
  static constexpr bool kGlobalMax = true;
  static constexpr bool kQuadLanes = false;
  static constexpr int kLanes = 512;

  RLV_MEMBER static int lanes(const Shape&) { return kLanes; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range,
                                    float global_max, const Shape&, std::int64_t) {
    typename Block::Acc a[4] = {block.zero(kLanes), block.zero(kLanes), block.zero(kLanes), block.zero(kLanes)};
    block.accumulate_slots(a, kLanes, columns, Sweep{range.begin, 4 * kLanes, range.begin, range.end},
                           ExpTerm{global_max});
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
