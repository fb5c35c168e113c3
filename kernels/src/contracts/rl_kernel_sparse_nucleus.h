// SPDX-License-Identifier: Apache-2.0
// rl_kernel_sparse_nucleus: RL-Kernel's `sparse-nucleus-hip-serial-deterministic-v12` (ROCm): one thread per row over
// the retained ids in ascending order. Source: csrc/rocm/logprob/hip_deterministic_logp_kernel.hip. Order: z times
// fp32(1/T); M; S = S + E(z - M) one after the other; lse = M + L(S); result z_t - lse. Entropy: the sum of (E(z - M) *
// reciprocal(S)) * (lse - z), in the same order. E, L and the reciprocal are polynomials and Newton steps of the
// system's own (nucleus_math.h), so nothing stands in for a hardware function. The retained set is the columns that are
// not -inf (the system adds the owners' values over ranks, which only makes +0 of -0); a target outside gives NaN. The
// same bits for every P. 128 tokens are the system's fast path, not a limit. Stand-in: contraction, which the source
// leaves to the compiler: inside E, L and the reciprocal products that feed a sum are fused, elsewhere none is.
#pragma once

#include "contracts/nucleus_math.h"
#include "contracts/trees.h"

namespace rlverify::kernels {

struct RlKernelSparseNucleus {
  static constexpr bool kGlobalMax = false;
  static constexpr bool kQuadLanes = false;
  static constexpr int kMaxThreads =
      256;  // of a CUDA block: each evaluates one column's term, lane 0's order adds them
  static constexpr int kLanes = 256;

  RLV_MEMBER static int units(const Shape&) { return 1; }
  RLV_MEMBER static ColumnRange unit(const Shape& shape, int) { return {0, shape.real_vocab}; }
  RLV_MEMBER static int lanes(const Shape&) { return kLanes; }

  template <class Block>
  RLV_MEMBER static Partial partial(Block& block, const typename Block::Columns& columns, ColumnRange range, float,
                                    const Shape&, std::int64_t) {
    const float max = block.maximum(columns, range);
    return {max, sum_of_retained(block, columns, range, [&](float z) { return nucleus_exp(z - max); })};
  }

  static constexpr int kEntropyThreads = kLanes;

  RLV_MEMBER static int entropy_units(const Shape&) { return 1; }
  RLV_MEMBER static int entropy_lanes(const Shape&) { return kLanes; }
  template <class Block>
  RLV_MEMBER static float entropy_partial(Block& block, const typename Block::Columns& columns, int,
                                          const EntropyInput& in, const Shape& shape, std::int64_t) {
    const float scale = nucleus_reciprocal(in.sum);
    return sum_of_retained(block, columns, ColumnRange{0, shape.real_vocab},
                           [&](float z) { return (nucleus_exp(z - in.max) * scale) * (in.lse - z); });
  }

  template <class Block>
  RLV_MEMBER static float log_sum_exp(Block&, const MergeInput& in, const Shape&) {
    return in.maxima[0] + nucleus_log(in.sums[0]);
  }

  template <class Block>
  RLV_MEMBER static float merge(Block& block, const MergeInput& in, const Shape& shape) {
    const bool retained = in.target_in_real && in.target_logit != negative_infinity();
    // A sum of the owner's value and zeros.
    const float logp = (in.target_logit + 0.0F) - log_sum_exp(block, in, shape);
    return retained && in.maxima[0] != negative_infinity() ? logp : canonical_nan();
  }

 private:
  /// term(z) of the retained columns of a range, added one after the other.
  template <class Block, class Term>
  RLV_MEMBER static float sum_of_retained(Block& block, const typename Block::Columns& columns, ColumnRange range,
                                          Term term) {
    float sum = 0.0F;
    for (std::int64_t first = range.begin; first < range.end; first += kLanes) {
      const auto terms = block.generate(kLanes, [&](int lane) {
        const std::int64_t c = first + lane;
        const float z = c < range.end ? block.column(columns, c) : negative_infinity();
        return z == negative_infinity() ? 0.0F : term(z);
      });
      sum = block.serial_sum(sum, terms, kLanes);
    }
    return sum;
  }
};

}  // namespace rlverify::kernels
