// SPDX-License-Identifier: Apache-2.0
// Joining stretches, and the choice between the two passes over a block. Equal blocks never reach the element loop:
// that is what makes equal snapshots as cheap as memcmp.
#include "tensor/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "core/python_value.h"
#include "tensor/difference_elements.h"
#include "tensor/difference_format.h"

namespace rlverify::tensor {
namespace {

void widen(ValueRange& range, const ValueRange& other) {
  range.minimum = std::min(range.minimum, other.minimum);
  range.maximum = std::max(range.maximum, other.maximum);
}

template <typename Format>
std::string value_text(DType dtype, typename Format::Code code) {
  if (is_floating(dtype) || is_complex(dtype)) {
    return core::python_repr(Format::value(code));
  }
  if (dtype == DType::kBool && code <= 1) {
    return code != 0 ? "true" : "false";
  }
  return fmt::format("{}", code);
}

}  // namespace

std::string_view difference_class_name(DifferenceClass difference_class) {
  static constexpr std::array<std::string_view, kDifferenceClassCount> kNames = {
      "sign of zero", "NaN payload", "NaN against number", "infinity",
      "subnormal",    "1 ULP",       "2 to 16 ULP",        "more than 16 ULP"};
  return kNames.at(static_cast<std::size_t>(difference_class));
}

void Difference::add(const Difference& next) {
  elements += next.elements;
  different_elements += next.different_elements;
  for (std::size_t i = 0; i < class_counts.size(); ++i) {
    class_counts[i] += next.class_counts[i];
  }
  if (!first) {
    first = next.first;
  }
  if (next.max_ulp_distance > max_ulp_distance) {
    max_ulp_distance = next.max_ulp_distance;
    max_ulp_index = next.max_ulp_index;
  }
  if (next.max_abs_difference > max_abs_difference) {
    max_abs_difference = next.max_abs_difference;
    max_abs_index = next.max_abs_index;
  }
  sum_abs_difference += next.sum_abs_difference;
  sum_difference += next.sum_difference;
  finite_pairs += next.finite_pairs;
  reference_non_finite += next.reference_non_finite;
  candidate_non_finite += next.candidate_non_finite;
  blocks += next.blocks;
  different_blocks += next.different_blocks;
  widen(reference_range, next.reference_range);
  widen(candidate_range, next.candidate_range);
}

std::uint64_t block_elements(DType dtype) {
  // Eight elements are whole bytes in every format.
  return kBlockBytes / bits_per_element(dtype) * 8;
}

std::uint64_t part_elements(DType dtype) {
  return block_elements(dtype) * kBlocksPerPart;
}

Difference compare_block(DType dtype, std::uint64_t first_element, std::uint64_t count,
                         std::span<const std::byte> reference, std::span<const std::byte> candidate) {
  Difference out;
  out.blocks = 1;
  if (const EqualScan scan = scan_equal(dtype, count, reference, candidate); scan.equal) {
    out.elements = count;
    out.reference_non_finite = scan.non_finite;
    out.candidate_non_finite = scan.non_finite;
    out.finite_pairs = scan.finite_values;
    return out;
  }
  static const VectorLevel kBest = vector_levels().back();
  compare_elements(kBest, dtype, {first_element, count, reference, candidate}, out);
  out.different_blocks = out.different_elements > 0 ? 1 : 0;
  return out;
}

std::string element_text(DType dtype, std::span<const std::byte> element) {
  return visit_format(dtype, [&](auto format) -> std::string {
    using Format = decltype(format);
    using Code = typename Format::Code;
    std::array<Code, 2> codes{};
    const std::size_t components = is_complex(dtype) ? 2 : 1;
    std::memcpy(codes.data(), element.data(), components * sizeof(Code));
    const unsigned digits = (bits_per_element(dtype) / static_cast<unsigned>(components) + 3) / 4;
    const auto hex = [digits](Code code) {
      return fmt::format("0x{:0{}x}", static_cast<std::make_unsigned_t<Code>>(code), digits);
    };
    if (components == 2) {
      return fmt::format("{} + {}i ({}, {})", value_text<Format>(dtype, codes[0]), value_text<Format>(dtype, codes[1]),
                         hex(codes[0]), hex(codes[1]));
    }
    return fmt::format("{} ({})", value_text<Format>(dtype, codes[0]), hex(codes[0]));
  });
}

std::string index_text(std::span<const std::uint64_t> shape, std::uint64_t element_index) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = shape[i] == 0 ? 0 : element_index % shape[i];
    element_index = shape[i] == 0 ? 0 : element_index / shape[i];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace rlverify::tensor
