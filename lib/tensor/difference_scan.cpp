// SPDX-License-Identifier: Apache-2.0
// Counting non-finite elements is a masked comparison per element, which compilers turn into vector code; the count is kept in the elements' own width for a stretch
// that can't overflow it. Done on pieces that memcmp has just brought into the first-level cache, it costs next to nothing.
#include <algorithm>
#include <cstring>

#include "tensor/difference_elements.h"
#include "tensor/element.h"

namespace rlverify::tensor {
namespace {

constexpr std::size_t kPieceBytes = 16U << 10U;

/// Counts elements with (code & mask) == pattern.
template <typename Code>
std::uint64_t count_masked(std::span<const std::byte> bytes, Code mask, Code pattern) {
  // 255 codes of one byte are the shortest stretch whose count can't overflow its own width in a single lane; vectors have many lanes.
  constexpr std::size_t kStretch = sizeof(Code) == 1 ? 255 : 16384;
  const std::size_t count = bytes.size() / sizeof(Code);
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, count);
    Code found = 0;
    for (std::size_t i = begin; i < end; ++i) {
      found = static_cast<Code>(found + static_cast<Code>((load_element<Code>(bytes.data() + i * sizeof(Code)) & mask) == pattern ? 1 : 0));
    }
    total += found;
  }
  return total;
}

/// Elements of two components, of which at least one matches.
template <typename Code>
std::uint64_t count_masked_pairs(std::span<const std::byte> bytes, Code mask) {
  std::uint64_t total = 0;
  for (std::size_t at = 0; at + 2 * sizeof(Code) <= bytes.size(); at += 2 * sizeof(Code)) {
    const bool real = (load_element<Code>(bytes.data() + at) & mask) == mask;
    const bool imaginary = (load_element<Code>(bytes.data() + at + sizeof(Code)) & mask) == mask;
    total += real || imaginary ? 1 : 0;
  }
  return total;
}

template <typename Code>
std::uint64_t count_exponent(std::span<const std::byte> bytes, Code exponent_mask) {
  return count_masked<Code>(bytes, exponent_mask, exponent_mask);
}

}  // namespace

std::uint64_t count_non_finite(DType dtype, std::span<const std::byte> elements) {
  switch (dtype) {
    case DType::kFloat16: return count_exponent<std::uint16_t>(elements, 0x7C00);
    case DType::kBfloat16: return count_exponent<std::uint16_t>(elements, 0x7F80);
    case DType::kFloat32: return count_exponent<std::uint32_t>(elements, 0x7F800000U);
    case DType::kFloat64: return count_exponent<std::uint64_t>(elements, 0x7FF0000000000000ULL);
    case DType::kFloat8E5m2: return count_exponent<std::uint8_t>(elements, 0x7C);
    case DType::kFloat8E4m3fn: return count_exponent<std::uint8_t>(elements, 0x7F);
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E5m2fnuz: return count_masked<std::uint8_t>(elements, 0xFF, 0x80);
    case DType::kFloat8E8m0fnu: return count_exponent<std::uint8_t>(elements, 0xFF);
    case DType::kComplex32: return count_masked_pairs<std::uint16_t>(elements, 0x7C00);
    case DType::kComplex64: return count_masked_pairs<std::uint32_t>(elements, 0x7F800000U);
    case DType::kComplex128: return count_masked_pairs<std::uint64_t>(elements, 0x7FF0000000000000ULL);
    default: return 0;  // integers; F4 and F6 have neither NaN nor infinity
  }
}

std::uint64_t count_finite_values(DType dtype, std::uint64_t count, std::span<const std::byte> elements, std::uint64_t non_finite) {
  if (!is_complex(dtype)) {
    return count - non_finite;
  }
  const DType component = dtype == DType::kComplex32 ? DType::kFloat16 : dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  return 2 * count - (non_finite == 0 ? 0 : count_non_finite(component, elements));
}

bool equal_and_finite(DType dtype, std::span<const std::byte> reference, std::span<const std::byte> candidate, std::uint64_t& non_finite) {
  non_finite = 0;
  // A piece is a multiple of every element size.
  for (std::size_t at = 0; at < reference.size(); at += kPieceBytes) {
    const std::size_t size = std::min(kPieceBytes, reference.size() - at);
    if (std::memcmp(reference.data() + at, candidate.data() + at, size) != 0) {
      return false;
    }
    non_finite += count_non_finite(dtype, reference.subspan(at, size));
  }
  return true;
}

}  // namespace rlverify::tensor
