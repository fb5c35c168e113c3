// SPDX-License-Identifier: Apache-2.0
// fp64: the reference, log-softmax of the stored logits in double precision over the real vocabulary.
// Order: z / T in fp64; M = maximum; 64 lanes, lane i adds exp(z - M) over columns i, i+64, ... ascending; halving
// tree 32..1; result (z_t - M) - log S. The exponential and the logarithm are exp_log_fp64.h's, so that the reference
// too has one set of bits.
#pragma once

#include "arithmetic/exp_log_fp64.h"
#include "contracts/trees.h"

namespace rlverify::kernels {

struct Fp64Reference {
  static constexpr int kLanes = 64;

  RLV_MEMBER static int units(const Shape&) { return 1; }

  /// `row` is the stored row; NaN where the target is not in the real vocabulary.
  template <class Block>
  RLV_MEMBER static double logp(Block& block, const void* row, const LogitTransform& transform, std::int64_t target,
                                const Shape& shape) {
    const double max = block.maximum_fp64(kLanes, row, transform, shape.real_vocab);
    auto acc = block.zero_fp64(kLanes);
    block.accumulate_fp64(acc, kLanes, row, transform, shape.real_vocab, max);
    const double sum = halving_tree(block, acc, kLanes);
    if (target < 0 || target >= shape.real_vocab)
      return canonical_nan_fp64();
    return canonical((load_logit_fp64(row, target, transform) - max) - log_portable_fp64(sum));
  }
};

}  // namespace rlverify::kernels
