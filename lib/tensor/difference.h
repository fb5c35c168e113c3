// SPDX-License-Identifier: Apache-2.0
// How two tensors of one dtype and shape differ, block by block. Equal bytes are decided first and cost a memcmp; only
// blocks that differ are looked at element by element. The summation order is part of the interface, so that a sum is
// the same for any number of threads and any SIMD width:
//   in a block   element i (counted from the block's first) is added to lane i mod 16; the lanes are then added
//   pairwise (0+8, 1+9, ... then +4, +2, +1) in a part    blocks in ascending order in a tensor  parts in ascending
//   order
// A block is kBlockBytes of elements, a part is kBlocksPerPart blocks, both counted from the tensor's first element.
// All sums are in double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"

namespace rlverify::tensor {

inline constexpr std::size_t kBlockBytes =
    1U << 20U;  // what the kernel copies out of the page cache at the least cost per byte
inline constexpr std::uint64_t kBlocksPerPart = 32;
inline constexpr std::size_t kSumLanes = 16;

/// Classes of a pair of elements whose bits differ; the first that applies. Complex elements are judged by component.
enum class DifferenceClass : std::uint8_t {
  kSignOfZero,        ///< both are zero
  kNanPayload,        ///< both are NaN
  kNanAgainstNumber,  ///< one is NaN
  kInfinity,          ///< one is infinite, or both with opposite signs
  kSubnormal,         ///< one is subnormal
  kOneUlp,            ///< neighbours (integers: differ by one)
  kFewUlp,            ///< 2 to 16 apart
  kManyUlp,           ///< more
};
inline constexpr std::size_t kDifferenceClassCount = 8;
[[nodiscard]] std::string_view difference_class_name(
    DifferenceClass difference_class);  ///< "sign of zero", "1 ULP", ...

/// A pair of elements as they lie in the two tensors.
struct FirstDifference {
  std::uint64_t element_index = 0;        ///< in C order
  std::array<std::byte, 16> reference{};  ///< bytes_per_element(dtype) of them; a sub-byte element's code in the first
  std::array<std::byte, 16> candidate{};
  DifferenceClass difference_class = DifferenceClass::kManyUlp;
  std::uint64_t ulp_distance = 0;  ///< 0 where it has no meaning
};

/// Smallest and largest finite value; empty (minimum > maximum) where there is none.
struct ValueRange {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  [[nodiscard]] bool empty() const { return minimum > maximum; }
  /// A zero counts as +0, so that its sign doesn't hang on the order.
  void include(double value) {
    value += 0.0;
    minimum = value < minimum ? value : minimum;
    maximum = value > maximum ? value : maximum;
  }
};

/// What was found in the elements looked at so far; add() joins the next stretch.
/// Values are candidate - reference, over pairs that are both finite; integers above 2^53 are rounded to double first.
struct Difference {
  std::uint64_t elements = 0;            ///< compared; a complex element is one
  std::uint64_t different_elements = 0;  ///< whose bits differ
  std::array<std::uint64_t, kDifferenceClassCount>
      class_counts{};  ///< complex: of components, so that the sum may be larger
  std::optional<FirstDifference> first;
  std::uint64_t max_ulp_distance = 0;  ///< over pairs that are both finite
  std::uint64_t max_ulp_index = 0;     ///< the first element that has it
  double max_abs_difference = 0;
  std::uint64_t max_abs_index = 0;  ///< the first element that has it
  double sum_abs_difference = 0;
  double sum_difference = 0;       ///< signed
  std::uint64_t finite_pairs = 0;  ///< pairs (complex: of components) that are both finite: the divisor of the means
  std::uint64_t reference_non_finite = 0;  ///< elements that are NaN or infinite (complex: in either component)
  std::uint64_t candidate_non_finite = 0;
  std::uint64_t blocks = 0;            ///< compared
  std::uint64_t different_blocks = 0;  ///< that were looked at element by element
  ValueRange reference_range;  ///< over the blocks that differ; extend_ranges (difference_reader.h) completes it
  ValueRange candidate_range;

  [[nodiscard]] bool equal() const { return different_elements == 0; }
  [[nodiscard]] double mean_abs_difference() const {
    return finite_pairs == 0 ? 0 : sum_abs_difference / static_cast<double>(finite_pairs);
  }
  [[nodiscard]] double mean_difference() const {
    return finite_pairs == 0 ? 0 : sum_difference / static_cast<double>(finite_pairs);
  }
  /// Joins what follows (in element order).
  void add(const Difference& next);
};

/// One block of both sides: `count` elements, ceil(count * bits / 8) bytes each.
struct BlockPair {
  std::uint64_t first_element = 0;  ///< its place in the tensor
  std::uint64_t count = 0;
  std::span<const std::byte> reference;
  std::span<const std::byte> candidate;
};

/// Number of elements in a block: kBlockBytes of them (a multiple of eight, so that blocks of sub-byte types end at
/// whole bytes).
[[nodiscard]] std::uint64_t block_elements(DType dtype);
/// block_elements * kBlocksPerPart.
[[nodiscard]] std::uint64_t part_elements(DType dtype);

/// Counts NaN and infinity in whole elements. 0 for integers and bool.
[[nodiscard]] std::uint64_t count_non_finite(DType dtype, std::span<const std::byte> elements);

/// Compares `count` elements of one block; the spans hold ceil(count * bits / 8) bytes each. `first_element` is the
/// index of the first in its tensor. Equal bytes: only elements, finite_pairs and non-finite counts are set.
[[nodiscard]] Difference compare_block(DType dtype, std::uint64_t first_element, std::uint64_t count,
                                       std::span<const std::byte> reference, std::span<const std::byte> candidate);

/// Widens `range` by the finite values of whole elements (complex: of components).
void extend_range(DType dtype, std::uint64_t count, std::span<const std::byte> elements, ValueRange& range);

/// One element for people: "0.5 (0x3f00)", "-0.0 (0x80000000)", "nan (0x7fc1)", "3" for integers; the decimal is the
/// shortest that reads back as the same double.
[[nodiscard]] std::string element_text(DType dtype, std::span<const std::byte> element);
/// The index of an element in C order as "[3, 17]"; "[]" for a scalar.
[[nodiscard]] std::string index_text(std::span<const std::uint64_t> shape, std::uint64_t element_index);

}  // namespace rlverify::tensor
