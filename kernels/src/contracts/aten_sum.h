// SPDX-License-Identifier: Apache-2.0
// torch.sum(dim=-1) of a contiguous fp32 [rows, columns] tensor on CUDA: the launch plan of ATen's Reduce.cuh and the
// order that follows from it. Used for the exponentials of a vocabulary shard by megatron_ce and vime_default.
#pragma once

#include "contracts/trees.h"

namespace rlverify::kernels {

/// Launch plan: `threads` lanes work on one row in each of `ctas` blocks; lanes own four accumulators.
struct AtenSumPlan {
  int threads = 32;
  int ctas = 1;
  bool vectorised = false;
};

RLV_INLINE std::int64_t last_power_of_two(std::int64_t n) {
  std::int64_t power = 1;
  while (power * 2 <= n)
    power *= 2;
  return power;
}

/// The plan for `rows` rows of `columns` on a GPU with `multiprocessors` SMs of 2,048 threads (docs/kernels.md,
/// "torch.sum").
RLV_INLINE AtenSumPlan aten_sum_plan(std::int64_t rows, std::int64_t columns, int multiprocessors) {
  AtenSumPlan plan;
  plan.vectorised = columns > 128;
  const std::int64_t width = plan.vectorised ? columns / 4 : columns;
  const std::int64_t bw0 = smaller(last_power_of_two(width), 512);
  const std::int64_t bh0 = smaller(last_power_of_two(rows), 512);
  const std::int64_t narrow = smaller(bw0, 32);
  const std::int64_t bh = smaller(bh0, 512 / narrow);
  const std::int64_t bw = smaller(bw0, 512 / bh);
  std::int64_t step = bw;
  std::int64_t values = divide_up(columns, step);
  const bool rows_of_threads_share = values >= 16 * bh || values >= 256;
  if (rows_of_threads_share) {
    step *= bh;
    values = divide_up(columns, step);
  }
  plan.threads = static_cast<int>(step);
  // Blocks of one output per thread row: the grid shrinks, but then there is no split over blocks either.
  const std::int64_t target = static_cast<std::int64_t>(multiprocessors) * (2048 / (bw * bh));
  if (rows_of_threads_share && values >= 256 && rows <= target) {
    const std::int64_t by_grid = divide_up(target, rows);
    const std::int64_t by_min = divide_up(values, 16);
    const std::int64_t by_max = divide_up(values, 256);
    const std::int64_t wanted = smaller(by_grid, by_min);
    plan.ctas = static_cast<int>(wanted > by_max ? wanted : by_max);
  }
  return plan;
}

/// Sum of term(z) over `range`, a row of `plan`. `shift`: elements by which the row's start misses a 16-byte boundary.
/// Vectorised: lane j of block q takes float4 number j + q*threads, then every threads*ctas-th, element i of each into
/// accumulator i; head (before the first boundary) and tail elements go to accumulator 0 of the first lanes. Else
/// accumulator i takes elements j + (4n + i)*step. Then ((a0+a1)+a2)+a3, the tree, and the blocks' sums by the tree
/// again. Columns from `limit` on are there and add +0.
template <class Block, class Term>
RLV_INLINE float aten_sum(Block& block, const typename Block::Columns& columns, ColumnRange range, AtenSumPlan plan,
                          int shift, Term term, std::int64_t limit) {
  const int threads = plan.threads;
  typename Block::Acc partials = block.zero(threads);
  float sum = 0.0F;
  for (int cta = 0; cta < plan.ctas; ++cta) {
    typename Block::Acc a[4] = {block.zero(threads), block.zero(threads), block.zero(threads), block.zero(threads)};
    if (plan.vectorised) {
      std::int64_t begin = range.begin;
      if (shift > 0) {
        begin = smaller(range.begin + 4 - shift, range.end);
        if (cta == 0)
          block.template accumulate<1>(a[0], threads, columns,
                                       Sweep{range.begin - shift, threads, range.begin, smaller(begin, limit)}, term);
      }
      const std::int64_t tail = begin + (range.end - begin) / 4 * 4;
      const std::int64_t stride = 4LL * threads;
      block.accumulate_slots(a, threads, columns,
                             Sweep{begin + cta * stride, stride * plan.ctas, begin, smaller(tail, limit)}, term);
      if (cta == 0)
        block.template accumulate<1>(a[0], threads, columns, Sweep{tail, threads, tail, smaller(range.end, limit)},
                                     term);
    } else {
      const std::int64_t step = static_cast<std::int64_t>(threads) * plan.ctas;
      for (int i = 0; i < 4; ++i) {
        const std::int64_t first = range.begin + cta * threads + i * step;
        block.template accumulate<1>(a[i], threads, columns,
                                     Sweep{first, 4 * step, range.begin, smaller(range.end, limit)}, term);
      }
    }
    for (int i = 1; i < 4; ++i)
      block.add(a[0], a[i], threads);
    sum = aten_reduce_tree(block, a[0], threads);
    block.set(partials, cta, sum);
  }
  return plan.ctas == 1 ? sum : aten_reduce_tree(block, partials, threads);
}

template <class Block, class Term>
RLV_INLINE float aten_sum(Block& block, const typename Block::Columns& columns, ColumnRange range, AtenSumPlan plan,
                          int shift, Term term) {
  return aten_sum(block, columns, range, plan, shift, term, range.end);
}

}  // namespace rlverify::kernels
