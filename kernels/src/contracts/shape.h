// SPDX-License-Identifier: Apache-2.0
// What every contract knows about a computation: sizes, ranks, the batch the rows stood in, and how a logit is read.
// Plain data, so that it travels to a GPU as a kernel argument.
#pragma once

#include "arithmetic/exp_log.h"
#include "arithmetic/storage.h"
#include "rlverify_kernels/contracts.h"

namespace rlverify::kernels {

/// Which of a system's exponentials a place uses. They are one function in the portable arithmetic; the native flavour
/// of CUDA tells them apart: CUDA's expf, CUDA's __expf, Triton's tl.exp.
enum class ExpKind : std::uint8_t { kAccurate, kFast, kTriton };

/// Lanes x elements of RL-Kernel's tile kernels.
enum class Ws2Tree : std::uint8_t { k128x4, k64x8, k128x8 };

/// Sizes of the computation. A "unit" is the range of columns that one partial sum covers: a tile, a shard or a split.
struct Shape {
  std::int64_t real_vocab = 0;
  std::int64_t padded_vocab = 0;
  std::int64_t batch_rows = 0;       // rows of the framework's call
  std::int64_t first_batch_row = 0;  // place in it of row 0
  int ranks = 1;
  int multiprocessors = 132;
  StorageType storage = StorageType::kFloat32;
  Ws2Tree ws2_tree = Ws2Tree::k128x4;
  CollectiveSetting collective;
};

/// Columns [begin, end) of a row.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// How stored logits become the fp32 numbers that a contract sums: widening, then the contract's temperature rule.
struct LogitTransform {
  StorageType storage = StorageType::kFloat32;  // how the values lie in memory
  StorageType logical =
      StorageType::kFloat32;  // what the system held them in (differs for hidden x weight, kept as fp32)
  TemperatureRule rule = TemperatureRule::kMultiplyReciprocal;
  bool active = false;      // false: the rule changes nothing and is skipped
  float divisor = 1.0F;     // fp32(T)
  float reciprocal = 1.0F;  // fp32(1) / fp32(T)
  double divisor_fp64 = 1.0;
};

RLV_INLINE std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
RLV_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// Columns of one rank: the padded vocabulary divided by the number of ranks.
RLV_INLINE std::int64_t shard_columns(const Shape& shape) {
  return shape.padded_vocab / shape.ranks;
}

/// Range [index*width, +width) cut at `limit`; empty ranges have begin == end.
RLV_INLINE ColumnRange clipped_range(std::int64_t index, std::int64_t width, std::int64_t limit) {
  const std::int64_t begin = smaller(index * width, limit);
  return {begin, smaller(begin + width, limit)};
}

/// One widened logit after the temperature rule.
RLV_INLINE float transform_logit(float z, const LogitTransform& transform) {
  if (!transform.active)
    return z;
  switch (transform.rule) {
    case TemperatureRule::kDivide:
      return z / transform.divisor;
    case TemperatureRule::kDivideRoundBf16:
      return widen_bf16(narrow_bf16(widen_bf16(narrow_bf16(z)) / transform.divisor));
    case TemperatureRule::kMultiplyRoundToStorage:
      return round_to_storage(z * transform.reciprocal, transform.logical);
    default:
      return z * transform.reciprocal;
  }
}

/// Column `column` of the row that starts at `row`, as the fp32 number the contract sums.
RLV_INLINE float load_logit(const void* row, std::int64_t column, const LogitTransform& transform) {
  return transform_logit(load_storage(row, transform.storage, column), transform);
}

/// The same for the fp64 reference: stored value over T, in fp64.
RLV_INLINE double load_logit_fp64(const void* row, std::int64_t column, const LogitTransform& transform) {
  const double z = static_cast<double>(load_storage(row, transform.storage, column));
  return transform.active ? z / transform.divisor_fp64 : z;
}

/// Which columns the lanes of one sweep visit. Chunk k is [first + k*stride, + threads*elements); inside it lane i owns
/// the `elements` columns at first + k*stride + i*elements. Columns outside [low, high) are skipped. `first` may lie
/// below `low`.
struct Sweep {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// What one unit contributes: its maximum and its sum of exponentials (or whatever a contract puts in their place).
struct Partial {
  float max = 0.0F;
  float sum = 0.0F;
};

/// The number that a unit's logits are compared with: its maximum, or 0 when all of them are -inf, so that such a unit
/// sums to 0 while a NaN among them still shows.
RLV_INLINE float exp_reference(float max) {
  return max == negative_infinity() ? 0.0F : max;
}

/// What a merge is given: one row's partial maxima and sums in unit order, and its target logit.
struct MergeInput {
  const float* maxima = nullptr;
  const float* sums = nullptr;
  int units = 0;
  std::int64_t batch_row = 0;  // place of the row in the framework's batch
  float global_max = 0.0F;     // contracts whose sums are taken against the maximum over all ranks
  float target_logit = 0.0F;
  bool target_in_real = false;    // 0 <= target < real vocabulary
  bool target_in_padded = false;  // 0 <= target < padded vocabulary
  bool target_ignored = false;    // target == -100
};

/// Fills in what a merge must know of the row's target.
RLV_INLINE void describe_target(MergeInput& in, std::int64_t target, const Shape& shape, const void* row,
                                const LogitTransform& transform) {
  in.target_in_real = target >= 0 && target < shape.real_vocab;
  in.target_in_padded = target >= 0 && target < shape.padded_vocab;
  in.target_ignored = target == -100;
  if (in.target_in_padded)
    in.target_logit = load_logit(row, target, transform);
}

/// The summand of every log-sum-exp: exp(z - max), a rounded subtraction and then the exponential.
template <ExpKind Kind = ExpKind::kAccurate>
struct ExpTerm {
  float max = 0.0F;
  template <class Ops>
  RLV_MEMBER typename Ops::Vector operator()(Ops ops, typename Ops::Vector z) const {
    return ops.template exp_nonpositive<Kind>(ops.subtract(z, ops.splat(max)));
  }
};

/// What an entropy is computed from: the row's log-sum-exp, and its first unit's maximum and sum.
struct EntropyInput {
  float lse = 0.0F;
  float max = 0.0F;
  float sum = 0.0F;
};

/// exp(z - lse) * (lse - z), each step rounded; +0 for z = -inf, whose exponential is 0 whatever the finite factor is.
struct EntropyTerm {
  float lse = 0.0F;
  template <class Ops>
  RLV_MEMBER typename Ops::Vector operator()(Ops ops, typename Ops::Vector z) const {
    const auto difference = ops.subtract(z, ops.splat(lse));
    const auto probability = ops.template exp_nonpositive<ExpKind::kAccurate>(difference);
    const auto finite = ops.maximum(ops.splat(-1.0e30F), difference);
    return ops.multiply(probability, ops.subtract(ops.splat(0.0F), finite));
  }
};

}  // namespace rlverify::kernels
