// SPDX-License-Identifier: Apache-2.0
// verl_fused: verl's Triton linear cross entropy, from logits as if its product were exact; after the fix of the
// phantom columns, and as verl_fused_phantom before it. Source: verl/utils/kernel/{kernels,linear_cross_entropy}.py.
// Order: per rank, splits of 1,024 columns made of 256-column tiles; online in a split: Mn = max(M, tile), acc =
// fma(exp(M - Mn), acc, sum exp(z - Mn)). Epilogue over blocks of 64 splits: gM starts at 0, gA = fma(exp(old - gM),
// gA, sum exp(m_i - gM) acc_i). With ranks: maxima all-reduced split by split before that, then one all-reduce SUM of
// [gA(N); entropy(N)], gA of row r is element r of 2N. logp = -((gM + log gA) - z_t). Padding columns are summed. A
// target outside every shard gives z_t = 0 when P > 1. Before the fix (PR #5349) the columns by which a rank's last
// split passes its shard had the logit 0: they count in the maximum and add exp(0 - M) each. Stand-in: the sum of a
// tile (4 lanes own columns 8j+2l and 8j+2l+1, ascending, then (l0+l2)+(l1+l3)) and of 64 splits (halving tree); the
// contraction to fma; a tile or split of nothing but -inf counts as empty, where the system would give NaN.
#pragma once

#include "contracts/collective.h"
#include "contracts/trees.h"

namespace rlverify::kernels {

template <bool Phantoms>
struct VerlFusedOf {
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
    const std::int64_t end = Phantoms ? range.begin + kSplit : range.end;
    for (std::int64_t tile = range.begin; tile < end; tile += kTile) {
      const ColumnRange tile_range{smaller(tile, range.end), smaller(tile + kTile, range.end)};
      float max = max_number(running.max, block.maximum(columns, tile_range));
      const std::int64_t phantoms = Phantoms ? tile + kTile - (tile < range.end ? tile_range.end : tile) : 0;
      if (phantoms > 0)
        max = max_number(max, 0.0F);
      const float reference = exp_reference(max);
      typename Block::Acc acc = block.zero(4);
      block.template accumulate<2>(acc, 4, columns, Sweep{tile, 8, tile, tile_range.end},
                                   ExpTerm<ExpKind::kTriton>{reference});
      if (phantoms > 0)
        add_phantoms(block, acc, static_cast<int>(kTile - phantoms), 0.0F - reference);
      const float tile_sum = halving_tree(block, acc, 4);
      running.sum =
          fused_multiply_add(block.template exp<ExpKind::kTriton>(running.max - reference), running.sum, tile_sum);
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
          return block.template exp<ExpKind::kTriton>(in.maxima[base + split] - now) * in.sums[base + split];
        });
        const float step_sum = halving_tree(block, terms, kSplitsPerStep);
        const float grown = fused_multiply_add(block.template exp<ExpKind::kTriton>(old - now), sums[rank], step_sum);
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
  /// The tile's columns from `first` on are zeros that come after the lanes' real ones.
  template <class Block>
  RLV_MEMBER static void add_phantoms(Block& block, typename Block::Acc& acc, int first, float exponent) {
    const float term = block.template exp<ExpKind::kTriton>(exponent);
    block.update(acc, 4, [&](int lane, float sum) {
      for (int column = first; column < static_cast<int>(kTile); ++column) {
        if (column % 8 / 2 == lane)
          sum = sum + term;
      }
      return sum;
    });
  }

  /// Maximum of split `split` over all ranks: what the all-reduce MAX leaves.
  RLV_MEMBER static float reduced_max(const MergeInput& in, int ranks, int count, int split) {
    float max = in.maxima[split];
    for (int rank = 1; rank < ranks; ++rank)
      max = max_number(max, in.maxima[rank * count + split]);
    return max;
  }
};

using VerlFused = VerlFusedOf<false>;
using VerlFusedPhantom = VerlFusedOf<true>;

}  // namespace rlverify::kernels
