// SPDX-License-Identifier: Apache-2.0
// What libtorch's operations say of two tensors, in numbers; no torch header is needed to ask.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rlverify::tensor::test {

/// How codes are read. Types that libtorch 1.13 has are viewed as its own; others come with the values of all their
/// codes.
struct OracleFormat {
  std::string dtype;        ///< "float32", or the like; of a complex type its own name
  unsigned bits = 0;        ///< of one value (complex: of a component); sub-byte codes come one in a byte
  unsigned components = 1;  ///< 2 for complex types
  bool has_sign = true;     ///< the highest bit of a floating code
  double min_normal = 0;    ///< floating types: numbers below it are subnormal
  std::vector<double> table;
};

struct OracleAnswer {
  std::int64_t different_elements = 0;
  std::array<std::int64_t, 8> class_counts{};  ///< in the order of DifferenceClass
  std::int64_t first_index = -1;
  std::uint64_t max_ulp_distance = 0;
  std::int64_t max_ulp_index = 0;
  double max_abs_difference = 0;
  std::int64_t max_abs_index = 0;
  double sum_abs_difference = 0;
  double sum_difference = 0;
  std::int64_t finite_pairs = 0;
  std::int64_t reference_non_finite = 0;
  std::int64_t candidate_non_finite = 0;
  std::array<double, 2> reference_range{};  ///< minimum, maximum; infinities where nothing is finite
  std::array<double, 2> candidate_range{};

  double squared_difference = 0;
  double squared_reference = 0;
  double squared_candidate = 0;
  double product = 0;
  double sum_abs_product = 0;
  std::int64_t zero_differences = 0;
  double max_relative_difference = 0;
  std::int64_t max_relative_index = 0;
  std::vector<std::int64_t> exponents;  ///< count of |d| != 0 by floor(log2 |d|), from kOracleLowestExponent on
  std::array<double, 4> quantiles{};    ///< 0.5, 0.9, 0.99, 0.999 of |d|, exact
  std::vector<std::int64_t> different_indices;
};
inline constexpr int kOracleLowestExponent = -1100;

[[nodiscard]] OracleAnswer ask_libtorch(const OracleFormat& format, std::span<const std::byte> reference,
                                        std::span<const std::byte> candidate);

}  // namespace rlverify::tensor::test
