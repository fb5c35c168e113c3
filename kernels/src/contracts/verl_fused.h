// SPDX-License-Identifier: Apache-2.0
// verl_fused: verl's Triton linear cross entropy after the fix of the phantom columns, from logits as if its product
// were exact. Source: verl/utils/kernel/{kernels,linear_cross_entropy}.py. Order: per rank, splits of 1,024 columns
// made of 256-column tiles; online in a split: Mn = max(M, tile), acc = fma(exp(M - Mn), acc, sum exp(z - Mn)).
// Epilogue over blocks of 64 splits: gM starts at 0, gA = fma(exp(old - gM), gA, sum exp(m_i - gM) acc_i). With ranks:
// maxima all-reduced split by split before that, then one all-reduce SUM of [gA(N); entropy(N)], gA of row r is element
// r of 2N. logp = -((gM + log gA) - z_t). Padding columns are summed. A target outside every shard gives z_t = 0 when P
// > 1. Stand-in: the sum of a tile (4 lanes own columns 8j+2l and 8j+2l+1, ascending, then (l0+l2)+(l1+l3)) and of 64
// splits (halving tree); the contraction to fma; a tile or split of nothing but -inf counts as empty, where the system
// would give NaN.
#pragma once

#include "contracts/collective.h"
#include "contracts/trees.h"

namespace rlverify::kernels {

struct VerlFused {
  static constexpr ContractId kId = ContractId::kVerlFused;
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = true;
  static constexpr int kMaxThreads = 128;  // of a CUDA block
  static constexpr std::int64_t kSplit = 1024;
  static constexpr std::int64_t kTile = 256;
  static constexpr int kSplitsPerStep = 64;
  static constexpr int kMaxRanks = 8;

  RLV_MEMBER static int splits(const Shape& shape) { return static_cast<int>(divide_up(shard_columns(shape), kSplit)); }
  RLV_MEMBER static int units(const Shape& shape) { return shape.ranks * splits(shape); }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int index) {
    const std::int64_t shard = shard_columns(shape);
    const std::int64_t base = index / splits(shape) * shard;
    const ColumnRange range = clipped_range(index % splits(shape), kSplit, shard);
    return {base + range.begin, base + range.end};
  }
  RLV_MEMBER static int lanes(const Shape&) { return 4; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t) {
    Partial running{negative_infinity(), 0.0F};
    for (std::int64_t tile = range.begin; tile < range.end; tile += kTile) {
      const ColumnRange tile_range{tile, smaller(tile + kTile, range.end)};
      const float max = max_number(running.max, block.maximum(columns, tile_range));
      const float reference = exp_reference(max);
      typename Block::Acc acc = block.zero(4);
      block.template accumulate<2>(acc, 4, columns, Sweep{tile, 8, tile, tile_range.end}, ExpTerm{reference});
      const float tile_sum = halving_tree(block, acc, 4);
      running.sum = fused_multiply_add(exp_portable(running.max - reference), running.sum, tile_sum);
      running.max = max;
    }
    return running;
  }

  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape& shape) {
    const int count = splits(shape);
    float sums[kMaxRanks] = {};
    float max = 0.0F;
    for (int rank = 0; rank < shape.ranks; ++rank) {
      max = 0.0F;
      for (int first = 0; first < count; first += kSplitsPerStep) {
        const int last = first + kSplitsPerStep < count ? first + kSplitsPerStep : count;
        const float old = max;
        for (int split = first; split < last; ++split)
          max = max_number(max, reduced_max(in, shape.ranks, count, split));
        const float now = max;
        const int base = rank * count;
        auto terms = block.generate(kSplitsPerStep, [&](int lane) {
          const int split = first + lane;
          if (split >= last)
            return 0.0F;
          return exp_portable(in.maxima[base + split] - now) * in.sums[base + split];
        });
        const float step_sum = halving_tree(block, terms, kSplitsPerStep);
        const float grown = fused_multiply_add(exp_portable(old - now), sums[rank], step_sum);
        sums[rank] = grown;
      }
    }
    const float sum = collective_sum(sums, shape.ranks, shape.collective, in.batch_row, 2 * shape.batch_rows);
    if (!in.target_in_padded && shape.ranks == 1)
      return canonical_nan();
    const float target = in.target_in_padded ? in.target_logit : 0.0F;
    return -((max + log_portable(sum)) - target);
  }

 private:
  /// Maximum of split `split` over all ranks: what the all-reduce MAX leaves.
  RLV_MEMBER static float reduced_max(const MergeInput& in, int ranks, int count, int split) {
    float max = in.maxima[split];
    for (int rank = 1; rank < ranks; ++rank)
      max = max_number(max, in.maxima[rank * count + split]);
    return max;
  }
};

}  // namespace rlverify::kernels
