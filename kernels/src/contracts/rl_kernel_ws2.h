// SPDX-License-Identifier: Apache-2.0
// rl_kernel_ws2: RL-Kernel's vocabulary-parallel logp with 64 fixed tiles ("workstream 2"), tile kernel and torch
// merge. Source: rl_engine/reference/logprob/vocab_parallel_logp.py, csrc/cuda/logprob/deterministic_logp_kernel.cu,
// csrc/rocm/logprob/hip_deterministic_logp_kernel.hip.
// Order: 64 tiles of V/64 columns. In a tile, lane i adds exp(z - m) over its columns, chunk and column ascending:
//   fp32 storage on CUDA    128 lanes x 4, chunks of 512    (also rl_kernel_ws2_f32, whatever the storage)
//   16-bit storage on CUDA   64 lanes x 8, chunks of 512    (also rl_kernel_ws2_16bit)
//   ROCm, any storage       128 lanes x 8, chunks of 1,024  (rl_kernel_ws2_rocm)
// then shfl_down 16..1 in each warp (of 32 lanes on ROCm too) and over the warps. All tiles are gathered; S = sum of
// s_j * exp(m_j - M) as torch.sum adds 64 values: x[i] + x[i+32], then shfl_down 1, 2, 4, 8, 16. Result: z_t - (M + log
// S). No rank order enters: the same bits for every P.
// Entropy: per rank torch.sum of exp(z - lse) * (lse - z) over its columns, 0 in the padding; the ranks' sums gathered
// and added from left to right. It depends on P, and torch.sum on the batch.
// Extension: where 64 does not divide V, the last tiles are short or empty, as if V were padded with -inf.
// Stand-in for ROCm: torch.sum of the merge as on CUDA.
#pragma once

#include "contracts/aten_sum.h"

namespace rlverify::kernels {

struct RlKernelWs2 {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads = 128;  // of a CUDA block
  static constexpr int kTiles = 64;

  RLV_MEMBER static int units(const Shape&) { return kTiles; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int index) {
    return clipped_range(index, divide_up(shape.padded_vocab, kTiles), shape.real_vocab);
  }
  RLV_MEMBER static int lanes(const Shape& shape) { return shape.ws2_tree == Ws2Tree::k64x8 ? 64 : 128; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape& shape, std::int64_t) {
    const float max = block.maximum(columns, range);
    const ExpTerm<> term{exp_reference(max)};
    if (shape.ws2_tree == Ws2Tree::k128x4)
      return {max, tile_sum<128, 4>(block, columns, range, term)};
    if (shape.ws2_tree == Ws2Tree::k64x8)
      return {max, tile_sum<64, 8>(block, columns, range, term)};
    return {max, tile_sum<128, 8>(block, columns, range, term)};
  }

  template <class Block>
  RLV_MEMBER static float log_sum_exp(Block& block, const MergeInput& in, const Shape&) {
    float max = negative_infinity();
    for (int tile = 0; tile < kTiles; ++tile)
      max = max_number(max, in.maxima[tile]);
    auto terms = block.generate(kTiles, [&](int tile) {
      return in.sums[tile] * block.template exp<ExpKind::kAccurate>(in.maxima[tile] - max);
    });
    return max + log_portable(aten_reduce_tree(block, terms, kTiles));
  }

  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape& shape) {
    const float lse = log_sum_exp(block, in, shape);
    if (in.target_ignored)
      return 0.0F;
    return in.target_in_real ? in.target_logit - lse : canonical_nan();
  }

  static constexpr int kEntropyThreads = 512;  // of a CUDA block

  RLV_MEMBER static int entropy_units(const Shape& shape) { return shape.ranks; }
  RLV_MEMBER static int entropy_lanes(const Shape& shape) {
    return aten_sum_plan(shape.batch_rows, shard_columns(shape), shape.multiprocessors).threads;
  }
  template <class Block>
  RLV_MEMBER static float entropy_partial(Block& block, const typename Block::Columns& columns, int rank,
                                          const EntropyInput& in, const Shape& shape, std::int64_t batch_row) {
    const std::int64_t width = shard_columns(shape);
    const AtenSumPlan plan = aten_sum_plan(shape.batch_rows, width, shape.multiprocessors);
    const int shift = plan.vectorised ? static_cast<int>(batch_row * width % 4) : 0;
    return aten_sum(block, columns, ColumnRange{rank * width, (rank + 1) * width}, plan, shift, EntropyTerm{in.lse},
                    shape.real_vocab);
  }

 private:
  template <int Lanes, int Elements, class Block>
  RLV_MEMBER static float tile_sum(Block& block, const typename Block::Columns& columns, ColumnRange range,
                                   ExpTerm<> term) {
    typename Block::Acc acc = block.zero(Lanes);
    block.template accumulate<Elements>(
        acc, Lanes, columns, Sweep{range.begin, std::int64_t{Lanes} * Elements, range.begin, range.end}, term);
    return warp_tree(block, acc, Lanes);
  }
};

}  // namespace rlverify::kernels
