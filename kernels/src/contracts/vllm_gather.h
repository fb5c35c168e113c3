// SPDX-License-Identifier: Apache-2.0
// vllm_gather: vLLM's V1 sampler. Logits are gathered over ranks (bytes only), cut to the real vocabulary, cast to
// fp32, and go through ATen's log_softmax on CUDA. Source: vllm/v1/sample/sampler.py;
// aten/src/ATen/native/cuda/{SoftMax.cu,PersistentSoftmax.cuh}. Order: 1,024 lanes; lane i adds exp(z - M) over float4
// number i + 1024k, k and element ascending, then over the tail (columns past the last whole 4,096) one by one at
// stride 1,024; shfl_down 16..1 in each warp, then over the 32 warps. A row that does not start on 16 bytes first gives
// one element to each lane from `shift` on. Result: (z_t - M) - log S. The same for every P. Rows of at most 1,024
// columns take ATen's warp kernel: lane i of 32 adds columns i + 32k, then 16..1. Stand-in: rows of 1,025 to about
// 24,000 columns, for which ATen has further kernels, follow the wide order.
#pragma once

#include "contracts/trees.h"

namespace rlverify::kernels {

struct VllmGather {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads = 1024;  // of a CUDA block
  static constexpr int kLanes = 1024;
  static constexpr std::int64_t kNarrowColumns = 1024;

  RLV_MEMBER static int units(const Shape&) { return 1; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int) { return {0, shape.real_vocab}; }
  RLV_MEMBER static int lanes(const Shape& shape) { return shape.real_vocab <= kNarrowColumns ? 32 : kLanes; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t batch_row) {
    const float max = block.maximum(columns, range);
    const ExpTerm<> term{max};
    const std::int64_t width = range.end;
    if (width <= kNarrowColumns) {
      typename Block::Acc acc = block.zero(32);
      block.template accumulate<1>(acc, 32, columns, Sweep{0, 32, 0, width}, term);
      return {max, warp_tree(block, acc, 32)};
    }
    typename Block::Acc acc = block.zero(kLanes);
    const std::int64_t shift = batch_row * width % 4;
    std::int64_t begin = 0;
    if (shift > 0) {
      begin = kLanes - shift;
      block.template accumulate<1>(acc, kLanes, columns, Sweep{-shift, kLanes, 0, begin}, term);
    }
    const std::int64_t tail = begin + (width - begin) / (4 * kLanes) * (4 * kLanes);
    block.template accumulate<4>(acc, kLanes, columns, Sweep{begin, 4 * kLanes, begin, tail}, term);
    block.template accumulate<1>(acc, kLanes, columns, Sweep{tail, kLanes, tail, width}, term);
    return {max, warp_tree(block, acc, kLanes)};
  }

  template <class Block>
  RLV_MEMBER static float merge(Block&, const MergeInput& in, const Shape&) {
    const float log_sum = log_portable(in.sums[0]);
    return in.target_in_real ? (in.target_logit - in.maxima[0]) - log_sum : canonical_nan();
  }
};

}  // namespace rlverify::kernels
