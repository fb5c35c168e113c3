// SPDX-License-Identifier: Apache-2.0
// The second pass over a pair of tensors: what is told only of tensors that are shown. It reads every block, equal ones
// too, since norms and quantiles are of all pairs. Sums are in double, in the order of tensor/difference.h (sixteen
// lanes in a block, blocks and parts ascending); counts and maxima have no order. So parts may be looked at by any
// thread, and joined in ascending order they give the same bits.
//
// A pair counts when both values are finite; a complex element counts as two values. Squares are not scaled: of float64
// values beyond 1e154 they are infinite.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensor/difference.h"
#include "tensor/difference_reader.h"

namespace rlverify::tensor {

inline constexpr std::size_t kHistogramBins = 64;
inline constexpr std::array<double, 4> kQuantiles = {0.5, 0.9, 0.99, 0.999};

/// d is candidate - reference.
struct DifferenceDetail {
  std::uint64_t finite_pairs = 0;
  double rms_difference = 0;
  /// Of the two tensors as vectors; NaN when one norm is 0 and the other isn't, 1 when both are.
  double cosine = 1;
  double max_relative_difference = 0;    ///< |d| / |reference| where the reference isn't 0
  std::uint64_t max_relative_index = 0;  ///< the first element that has it
  double reference_rms = 0;
  double candidate_rms = 0;
  std::uint64_t zero_differences = 0;
  /// Bin k counts |d| with floor(log2 |d|) = lowest_exponent + k; the first and the last also hold what lies beyond.
  /// The last one begins at the largest difference's power of two. |d| = 0 is in none; what is below 2^-1022 counts as
  /// of exponent -1023.
  int lowest_exponent = 0;
  std::array<std::uint64_t, kHistogramBins> histogram{};
  /// Quantiles of |d| (kQuantiles; the smallest value that this share of the pairs doesn't exceed), zeros included:
  /// rounded up by at most an eighth (to the upper edge of one of eight bins per power of two, or the largest
  /// difference where that is less). Differences below 2^-1022 come as at most 2^-1022.
  std::array<double, kQuantiles.size()> quantiles{};
};

/// What the second pass has collected of some parts; add() joins the parts that follow.
struct DetailSums {
  std::uint64_t finite_pairs = 0;
  std::uint64_t zero_differences = 0;
  double squared_difference = 0;
  double squared_reference = 0;
  double squared_candidate = 0;
  double product = 0;
  double max_relative_difference = 0;
  std::uint64_t max_relative_index = 0;
  /// |d| != 0 by exponent and the three highest bits of the fraction; empty or kMagnitudeBins long.
  std::vector<std::uint64_t> magnitudes;

  void add(const DetailSums& next);
};
inline constexpr std::size_t kMagnitudeBins = 1U << 14U;  ///< 11 bits of exponent, 3 of fraction

/// Part `part` of two tensors of one dtype and shape.
[[nodiscard]] DetailSums detail_part(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                                     BlockBuffers& buffers);

/// The statistics of all parts, joined in ascending order. `max_abs_difference` is the first pass's.
[[nodiscard]] DifferenceDetail finish_detail(const DetailSums& sums, double max_abs_difference);

/// The parts one after the other.
[[nodiscard]] DifferenceDetail difference_detail(const TensorBytes& reference, const TensorBytes& candidate,
                                                 const Difference& first_pass, BlockBuffers& buffers);

/// Calls `visit` with the indices of elements whose bits differ, ascending, in batches of at most a few thousand; ends
/// early when it returns false.
void for_each_different_batch(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                              const std::function<bool(std::span<const std::uint64_t>)>& visit);

/// The same, element by element.
void for_each_different_element(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                                const std::function<bool(std::uint64_t)>& visit);

}  // namespace rlverify::tensor
