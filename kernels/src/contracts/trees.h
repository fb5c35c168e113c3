// SPDX-License-Identifier: Apache-2.0
// The reduction trees that several systems share, over a block policy. A block holds one accumulator per lane and
// offers
//   fold_down(acc, threads, group, offset)  in each group of lanes, lane i < offset adds lane i + offset
//   fold_up(acc, threads, group, offset)    lanes that are multiples of 2*offset add lane i + offset
//   compact(acc, stride, count)             lane w takes lane w*stride for w < count, the others of the first 32 become
//   0 first(acc)                              lane 0
// The CPU vectors, the CUDA block and the tests' block simulator each implement these four and `accumulate`.
#pragma once

#include "contracts/shape.h"

namespace rlverify::kernels {

/// Sum over a block by shared memory halving: offsets threads/2, ..., 1.
template <class Block, class Acc>
RLV_INLINE auto halving_tree(Block& block, Acc& acc, int threads) {
  for (int offset = threads / 2; offset >= 1; offset /= 2)
    block.fold_down(acc, threads, threads, offset);
  return block.first(acc);
}

/// shfl_down 16, 8, 4, 2, 1 in every warp of `threads` lanes. Written out: with constant offsets each step is one or
/// two vectors.
template <class Block, class Acc>
RLV_INLINE void fold_warps(Block& block, Acc& acc, int threads) {
  block.fold_down(acc, threads, 32, 16);
  block.fold_down(acc, threads, 32, 8);
  block.fold_down(acc, threads, 32, 4);
  block.fold_down(acc, threads, 32, 2);
  block.fold_down(acc, threads, 32, 1);
}

/// Sum over a block of warps: fold_warps, then the same over the warps' results (missing ones 0).
template <class Block, class Acc>
RLV_INLINE auto warp_tree(Block& block, Acc& acc, int threads) {
  fold_warps(block, acc, threads);
  if (threads > 32) {
    block.compact(acc, 32, threads / 32);
    fold_warps(block, acc, 32);
  }
  return block.first(acc);
}

/// ATen's block reduction: shared memory halving down to 32 lanes, then shfl_down 1, 2, 4, 8, 16.
template <class Block, class Acc>
RLV_INLINE auto aten_reduce_tree(Block& block, Acc& acc, int threads) {
  for (int offset = threads / 2; offset >= 32; offset /= 2)
    block.fold_down(acc, threads, threads, offset);
  const int lanes = threads < 32 ? threads : 32;
  for (int offset = 1; offset < lanes; offset *= 2)
    block.fold_up(acc, lanes, lanes, offset);
  return block.first(acc);
}

}  // namespace rlverify::kernels
