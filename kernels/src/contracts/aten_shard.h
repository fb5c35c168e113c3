// SPDX-License-Identifier: Apache-2.0
// The part that megatron_ce and vime_default share: per rank, torch.sum of exp(z - M) over the rank's own columns,
// padding included, where M is the maximum over all ranks; then an all-reduce of the sums.
#pragma once

#include "contracts/aten_sum.h"
#include "contracts/collective.h"

namespace rlverify::kernels {

struct AtenShard {
  static constexpr int kMaxThreads = 512;  // of a CUDA block

  RLV_MEMBER static int units(const Shape& shape) { return shape.ranks; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int index) {
    return clipped_range(index, shard_columns(shape), shape.padded_vocab);
  }
  RLV_MEMBER static int lanes(const Shape& shape) {
    return aten_sum_plan(shape.batch_rows, shard_columns(shape), shape.multiprocessors).threads;
  }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range,
                                    float global_max, const Shape& shape, std::int64_t batch_row) {
    const std::int64_t width = range.end - range.begin;
    const AtenSumPlan plan = aten_sum_plan(shape.batch_rows, width, shape.multiprocessors);
    const int shift = plan.vectorised ? static_cast<int>(batch_row * width % 4) : 0;
    return {global_max, aten_sum(block, columns, range, plan, shift, ExpTerm<>{global_max})};
  }

  /// z_t - M where a rank owns the target, else 0: an id outside every shard is silently accepted.
  RLV_MEMBER static float predicted(const MergeInput& in) {
    return in.target_in_padded ? in.target_logit - in.global_max : 0.0F;
  }
  /// The all-reduced sum; `elements` and `offset` describe the buffer in which the rows' sums lie.
  RLV_MEMBER static float reduced_sum(const MergeInput& in, const Shape& shape, std::int64_t offset,
                                      std::int64_t elements) {
    return collective_sum(in.sums, in.units, shape.collective, offset + in.batch_row, elements);
  }
};

}  // namespace rlverify::kernels
