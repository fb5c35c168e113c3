// SPDX-License-Identifier: Apache-2.0
// Most parts are decided by what the first pass knows of them: nothing differs, or even the largest difference is
// within the tolerance. Only the others are read again.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "diff/tolerances.h"
#include "tensor/difference_format.h"

namespace rlverify::diff {
namespace {

using tensor::Difference;
using tensor::DifferenceClass;

std::uint64_t class_count(const Difference& difference, DifferenceClass which) {
  return difference.class_counts.at(static_cast<std::size_t>(which));
}

/// Whether a format's steps are its differences.
template <typename Format>
inline constexpr bool is_integer_format = false;
template <typename Integer>
inline constexpr bool is_integer_format<tensor::IntegerFormat<Integer>> = true;

/// Whether a finite pair or one with NaN or infinity lies outside.
template <typename Format>
bool outside(typename Format::Code reference, typename Format::Code candidate, const Tolerance& tolerance) {
  if (reference == candidate || tolerance.exact()) {
    return reference != candidate;
  }
  if (Format::kind(reference) >= tensor::ElementKind::kInfinite ||
      Format::kind(candidate) >= tensor::ElementKind::kInfinite) {
    return true;
  }
  const double value = Format::value(reference);
  // Two integers beyond 2^53 can be one double.
  const double distance = is_integer_format<Format> ? static_cast<double>(Format::ulp_distance(reference, candidate))
                                                    : std::abs(Format::value(candidate) - value);
  return !(distance <= tolerance.atol + tolerance.rtol * std::abs(value)) &&
         Format::ulp_distance(reference, candidate) > tolerance.ulp;
}

/// The pair at component `at` of the two blocks.
template <typename Format>
std::optional<tensor::FirstDifference> element_pair(tensor::DType dtype, std::uint64_t element_index, std::uint64_t at,
                                                    std::span<const std::byte> reference,
                                                    std::span<const std::byte> candidate) {
  using Code = typename Format::Code;
  std::array<Code, 2> left{};
  std::array<Code, 2> right{};
  for (std::size_t c = 0; c < (tensor::is_complex(dtype) ? 2U : 1U); ++c) {
    left.at(c) = Format::load(reference.data(), at + c);
    right.at(c) = Format::load(candidate.data(), at + c);
  }
  return tensor::compare_block(dtype, element_index, 1, std::as_bytes(std::span(left)), std::as_bytes(std::span(right)))
      .first;
}

bool decided_within(tensor::DType dtype, const Difference& difference, const Tolerance& tolerance) {
  const bool non_finite = class_count(difference, DifferenceClass::kNanPayload) +
                              class_count(difference, DifferenceClass::kNanAgainstNumber) +
                              class_count(difference, DifferenceClass::kInfinity) >
                          0;
  const double max_abs =
      tensor::is_integer(dtype) ? static_cast<double>(difference.max_ulp_distance) : difference.max_abs_difference;
  return !non_finite && (max_abs <= tolerance.atol || difference.max_ulp_distance <= tolerance.ulp);
}

}  // namespace

void OutsideCount::add(const OutsideCount& next) {
  elements += next.elements;
  if (!first) {
    first = next.first;
  }
}

OutsideCount count_outside(tensor::DType dtype, std::uint64_t first_element, std::uint64_t count,
                           std::span<const std::byte> reference, std::span<const std::byte> candidate,
                           const Tolerance& tolerance) {
  OutsideCount out;
  const std::uint64_t components = tensor::is_complex(dtype) ? 2 : 1;
  tensor::visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    for (std::uint64_t i = 0; i < count; ++i) {
      bool any = false;
      for (std::uint64_t c = i * components; c < (i + 1) * components; ++c) {
        any = any || outside<Format>(Format::load(reference.data(), c), Format::load(candidate.data(), c), tolerance);
      }
      if (!any) {
        continue;
      }
      ++out.elements;
      if (!out.first) {
        out.first = element_pair<Format>(dtype, first_element + i, i * components, reference, candidate);
      }
    }
  });
  return out;
}

OutsideCount count_outside(const tensor::TensorBytes& reference, const tensor::TensorBytes& candidate,
                           std::uint64_t part, const Difference& difference, const Tolerance& tolerance,
                           tensor::BlockBuffers& buffers) {
  if (difference.equal() || (!tolerance.exact() && decided_within(reference.ref->dtype, difference, tolerance))) {
    return {};
  }
  if (tolerance.exact()) {
    return {difference.different_elements, difference.first};
  }
  OutsideCount out;
  tensor::for_each_block_pair(reference, candidate, part, buffers, [&](const tensor::BlockPair& block) {
    if (std::memcmp(block.reference.data(), block.candidate.data(), block.reference.size()) != 0) {
      out.add(count_outside(reference.ref->dtype, block.first_element, block.count, block.reference, block.candidate,
                            tolerance));
    }
    return true;
  });
  return out;
}

}  // namespace rlverify::diff
