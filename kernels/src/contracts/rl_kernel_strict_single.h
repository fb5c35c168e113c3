// SPDX-License-Identifier: Apache-2.0
// rl_kernel_strict_single: RL-Kernel's `cuda-fused-linear-logp-sm90-contract-v1`, strict linear logp without a
// tensor-parallel group: product, temperature and sum in one kernel. Source:
// csrc/cuda/logprob/fused_linear_logp_sm90.cu. Order: fp32 accumulators, never rounded; columns from R on are -inf;
// times fp32(1/T). 64 splits of ceil(ceil(V/64)/64) tiles of 64 columns. In a tile m' is the maximum, t = sum of exp(z
// - m') by halving 32..1; a split chains its tiles: new = max(old, m'), s = fma(s, exp(old - new), t * exp(m' - new)).
// Splits are chained from left to right: S = fma(s_i, exp(m_i - M), S). Result min(z_t - (M + log S), 0). It knows no
// ranks: the same bits for every P. Stand-in: the product's order (tensor cores); a NaN stays NaN in the last minimum.
#pragma once

#include "contracts/trees.h"

namespace rlverify::kernels {

struct RlKernelStrictSingle {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads = 64;  // of a CUDA block
  static constexpr int kSplits = 64;
  static constexpr int kTile = 64;

  RLV_MEMBER static int units(const Shape&) { return kSplits; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int index) {
    const std::int64_t tiles = divide_up(divide_up(shape.padded_vocab, kTile), kSplits);
    return clipped_range(index, tiles * kTile, shape.real_vocab);
  }
  RLV_MEMBER static int lanes(const Shape&) { return kTile; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t) {
    Partial running{negative_infinity(), 0.0F};
    for (std::int64_t tile = range.begin; tile < range.end; tile += kTile) {
      const ColumnRange tile_range{tile, smaller(tile + kTile, range.end)};
      const float tile_max = block.maximum(columns, tile_range);
      typename Block::Acc acc = block.zero(kTile);
      block.template accumulate<1>(acc, kTile, columns, Sweep{tile, kTile, tile, tile_range.end},
                                   ExpTerm<>{exp_reference(tile_max)});
      const float tile_sum = halving_tree(block, acc, kTile);
      const float max = max_number(running.max, tile_max);
      const float reference = exp_reference(max);
      const float added = tile_sum * block.template exp<ExpKind::kAccurate>(tile_max - reference);
      running.sum =
          fused_multiply_add(running.sum, block.template exp<ExpKind::kAccurate>(running.max - reference), added);
      running.max = max;
    }
    return running;
  }

  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape&) {
    float max = negative_infinity();
    for (int split = 0; split < kSplits; ++split)
      max = max_number(max, in.maxima[split]);
    float sum = 0.0F;
    for (int split = 0; split < kSplits; ++split)
      sum = fused_multiply_add(in.sums[split], block.template exp<ExpKind::kAccurate>(in.maxima[split] - max), sum);
    // The splits' targets are added, all but one of them zero: -0 becomes +0.
    const float logp = (in.target_logit + 0.0F) - (max + log_portable(sum));
    if (!in.target_in_real)
      return canonical_nan();
    return logp > 0.0F ? 0.0F : logp;
  }
};

}  // namespace rlverify::kernels
