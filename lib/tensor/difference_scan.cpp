// SPDX-License-Identifier: Apache-2.0
// Equality and the search for non-finite elements in one loop: both need every byte once, and the loop waits for
// memory, not for arithmetic. The body is plain code that compilers turn into vector code; it is compiled for three
// instruction sets and the widest that the processor has is taken. All of it is integer arithmetic, so every width
// gives the same answer.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "tensor/difference_elements.h"
#include "tensor/element.h"

namespace rlverify::tensor {
namespace {

/// What is looked for in one element: not finite when (code & mask) == pattern.
template <typename Code>
struct NonFinite {
  Code mask;
  Code pattern;
};

struct Scan {
  bool equal = true;
  std::uint64_t non_finite = 0;
};

/// Elements before the next cache line.
template <typename Code>
std::size_t elements_to_cache_line(const std::byte* elements) {
  constexpr std::size_t kCacheLineBytes = 64;
  const std::size_t past = std::bit_cast<std::uintptr_t>(elements) % kCacheLineBytes;
  return (kCacheLineBytes - past) % kCacheLineBytes / sizeof(Code);
}

/// The loop. Counts are kept in the elements' own width, for stretches short enough for the narrowest vector not to
/// overflow them.
template <typename Code>
[[gnu::always_inline]] inline Scan scan(const std::byte* reference, const std::byte* candidate, std::size_t bytes,
                                        NonFinite<Code> wanted) {
  constexpr std::size_t kStretch = sizeof(Code) == 1 ? 128 : 8192;
  const std::size_t count = bytes / sizeof(Code);
  Code difference = 0;
  Scan result;
  // The first stretch ends at a cache line of the reference: a vector that spans two lines costs two accesses.
  std::size_t end = std::min(elements_to_cache_line<Code>(reference), count);
  for (std::size_t begin = 0; begin < count; begin = end, end = std::min(begin + kStretch, count)) {
    Code found = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Code a = load_element<Code>(reference + i * sizeof(Code));
      const Code b = load_element<Code>(candidate + i * sizeof(Code));
      difference = static_cast<Code>(difference | (a ^ b));
      found =
          static_cast<Code>(found + static_cast<Code>(static_cast<Code>(a & wanted.mask) == wanted.pattern ? 1 : 0));
    }
    result.non_finite += found;
    if (difference != 0) {
      // What has been counted is of no use then: the elements are looked at one by one.
      result.equal = false;
      return result;
    }
  }
  return result;
}

template <typename Code>
Scan scan_baseline(const std::byte* reference, const std::byte* candidate, std::size_t bytes, NonFinite<Code> wanted) {
  return scan<Code>(reference, candidate, bytes, wanted);
}

#if defined(__x86_64__)
// GCC takes vectors of half the width unless it is told otherwise; clang 14 has no such word in the attribute.
#if defined(__clang__)
#define RLVERIFY_AVX512 "avx512f,avx512bw,avx512vl"
#else
#define RLVERIFY_AVX512 "avx512f,avx512bw,avx512vl,prefer-vector-width=512"
#endif
template <typename Code>
[[gnu::target("avx2")]] Scan scan_avx2(const std::byte* reference, const std::byte* candidate, std::size_t bytes,
                                       NonFinite<Code> wanted) {
  return scan<Code>(reference, candidate, bytes, wanted);
}
template <typename Code>
[[gnu::target(RLVERIFY_AVX512)]] Scan scan_avx512(const std::byte* reference, const std::byte* candidate,
                                                  std::size_t bytes, NonFinite<Code> wanted) {
  return scan<Code>(reference, candidate, bytes, wanted);
}
#endif

template <typename Code>
Scan scan_best(std::span<const std::byte> reference, std::span<const std::byte> candidate, NonFinite<Code> wanted) {
  using Function = Scan (*)(const std::byte*, const std::byte*, std::size_t, NonFinite<Code>);
  static const Function kFunction = []() -> Function {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      return scan_avx512<Code>;
    }
    if (__builtin_cpu_supports("avx2")) {
      return scan_avx2<Code>;
    }
#endif
    return scan_baseline<Code>;
  }();
  return kFunction(reference.data(), candidate.data(), reference.size(), wanted);
}

/// Elements of two components, of which at least one is not finite.
template <typename Code>
std::uint64_t count_pairs(std::span<const std::byte> bytes, Code exponent) {
  std::uint64_t total = 0;
  for (std::size_t at = 0; at + 2 * sizeof(Code) <= bytes.size(); at += 2 * sizeof(Code)) {
    const bool real = (load_element<Code>(bytes.data() + at) & exponent) == exponent;
    const bool imaginary = (load_element<Code>(bytes.data() + at + sizeof(Code)) & exponent) == exponent;
    total += real || imaginary ? 1 : 0;
  }
  return total;
}

/// Scan of two sides; complex types come by their components, for types that are always finite nothing can be found.
Scan scan_pair(DType dtype, std::span<const std::byte> reference, std::span<const std::byte> candidate) {
  const auto exponent = [&](auto mask) { return scan_best<decltype(mask)>(reference, candidate, {mask, mask}); };
  switch (dtype) {
    case DType::kFloat16:
    case DType::kComplex32:
      return exponent(std::uint16_t{0x7C00});
    case DType::kBfloat16:
      return exponent(std::uint16_t{0x7F80});
    case DType::kFloat32:
    case DType::kComplex64:
      return exponent(std::uint32_t{0x7F800000U});
    case DType::kFloat64:
    case DType::kComplex128:
      return exponent(std::uint64_t{0x7FF0000000000000ULL});
    case DType::kFloat8E5m2:
      return exponent(std::uint8_t{0x7C});
    case DType::kFloat8E4m3fn:
      return exponent(std::uint8_t{0x7F});
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E5m2fnuz:
      return scan_best<std::uint8_t>(reference, candidate, {0xFF, 0x80});
    case DType::kFloat8E8m0fnu:
      return exponent(std::uint8_t{0xFF});
    default:
      return {reference.empty() || std::memcmp(reference.data(), candidate.data(), reference.size()) == 0, 0};
  }
}

}  // namespace

std::uint64_t count_non_finite(DType dtype, std::span<const std::byte> elements) {
  switch (dtype) {
    case DType::kComplex32:
      return count_pairs<std::uint16_t>(elements, 0x7C00);
    case DType::kComplex64:
      return count_pairs<std::uint32_t>(elements, 0x7F800000U);
    case DType::kComplex128:
      return count_pairs<std::uint64_t>(elements, 0x7FF0000000000000ULL);
    default:
      break;
  }
  return is_floating(dtype) && bytes_per_element(dtype) != 0 ? scan_pair(dtype, elements, elements).non_finite : 0;
}

EqualScan scan_equal(DType dtype, std::uint64_t count, std::span<const std::byte> reference,
                     std::span<const std::byte> candidate) {
  const Scan scan = scan_pair(dtype, reference, candidate);
  const std::uint64_t values = is_complex(dtype) ? 2 * count : count;
  EqualScan result{scan.equal, scan.non_finite, values - scan.non_finite};
  if (scan.equal && is_complex(dtype) && scan.non_finite > 0) {
    result.non_finite = count_non_finite(dtype, reference);
  }
  return result;
}

}  // namespace rlverify::tensor
