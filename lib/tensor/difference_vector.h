// SPDX-License-Identifier: Apache-2.0
// The first pass over pairs of IEEE elements in vectors (internal to tensor/difference.h). It counts in a form that
// vectors are good at; tensor/difference_elements.cpp turns the counts into a Difference and does what is left at the
// end of a block. Every level gives the same bits: integers have no order, and sums keep the sixteen lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/difference.h"

namespace rlverify::tensor {

enum class VectorLevel : std::uint8_t { kScalar, kAvx2, kAvx512 };

/// Those that this processor has and this build knows, scalar first, the best last.
[[nodiscard]] std::vector<VectorLevel> vector_levels();
[[nodiscard]] std::string_view vector_level_name(VectorLevel level);  ///< "scalar", "AVX2", "AVX-512"

enum class VectorFormat : std::uint8_t { kFloat16, kBfloat16, kFloat32, kFloat64 };

/// Chunks are what is looked at several times in a row: small enough for the first cache.
inline constexpr std::size_t kChunkBytes = 4096;

/// What a vector pass says of the first `values` values of a block.
struct VectorTotals {
  std::uint64_t values = 0;
  std::uint64_t different = 0;
  std::uint64_t different_finite = 0;  ///< both finite
  std::uint64_t different_zeros = 0;
  std::uint64_t nan_payload = 0;
  std::uint64_t nan_against_number = 0;
  std::uint64_t subnormal = 0;       ///< different, finite, at least one subnormal
  std::uint64_t within_one_ulp = 0;  ///< different, finite, neither both zero nor one subnormal
  std::uint64_t within_few_ulp = 0;  ///< the same up to 16, those of one included
  std::uint64_t finite_pairs = 0;
  std::uint64_t reference_finite = 0;
  std::uint64_t candidate_finite = 0;
  std::uint64_t max_ulp_distance = 0;
  std::uint64_t max_ulp_chunk = 0;  ///< the first that has it
  double max_abs_difference = 0;
  std::uint64_t max_abs_chunk = 0;
  std::optional<std::uint64_t> first_different_chunk;
  /// Smallest and largest finite value by sign and magnitude of its code (-1: the smallest negative number's code);
  /// low > high where there is none.
  std::int64_t reference_low = 0;
  std::int64_t reference_high = 0;
  std::int64_t candidate_low = 0;
  std::int64_t candidate_high = 0;
  std::array<double, kSumLanes> absolute_lanes{};
  std::array<double, kSumLanes> signed_lanes{};
};

/// Looks at as many of the `count` values as make whole steps; none at scalar level, or when they are more than one
/// block holds.
[[nodiscard]] VectorTotals vector_totals(VectorLevel level, VectorFormat format, const std::byte* reference,
                                         const std::byte* candidate, std::uint64_t count);

}  // namespace rlverify::tensor
