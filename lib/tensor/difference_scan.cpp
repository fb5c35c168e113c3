// SPDX-License-Identifier: Apache-2.0
// Equality and the search for non-finite elements in one pass: both need every byte once, and the pass waits for
// memory, not for arithmetic. What decides is the order in which the lines of both files are asked for. A few lines of
// the reference, searched in the widest vectors, then the same lines of the candidate in narrow ones is as fast as
// memcmp of the same mappings; one loop over both with wide vectors was 4 % slower, two places of a block in turn 4 %
// slower where the memory is fast, and every prefetch that was tried was worse. The body is compiled for three
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

template <typename Code>
[[gnu::always_inline]] inline std::uint64_t count_elements(const std::byte* elements, std::size_t count,
                                                           NonFinite<Code> wanted) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Code code = load_element<Code>(elements + i * sizeof(Code));
    found += static_cast<Code>(code & wanted.mask) == wanted.pattern ? 1U : 0U;
  }
  return found;
}

/// So much is read of the reference, then of the candidate.
constexpr std::size_t kPieceBytes = 256;
/// So much is compared until the loop looks whether all was equal.
constexpr std::size_t kStretchBytes = 16 * kPieceBytes;

/// What the vectors have met.
template <typename Code>
struct Met {
  using Codes [[gnu::vector_size(64)]] = Code;
  using Bits [[gnu::vector_size(32)]] = std::uint64_t;
  /// Each lane has the smallest distance from the pattern: zero where an element had it.
  Codes nearest = ~Codes{};
  Bits difference{};
};

template <typename Code>
[[gnu::always_inline]] inline void scan_piece(const std::byte* reference, const std::byte* candidate,
                                              NonFinite<Code> wanted, Met<Code>& met) {
  using Codes = typename Met<Code>::Codes;
  using Bits = typename Met<Code>::Bits;
  for (std::size_t at = 0; at < kPieceBytes; at += sizeof(Codes)) {
    Codes codes;
    std::memcpy(&codes, reference + at, sizeof codes);
    const Codes distance = (codes & wanted.mask) ^ wanted.pattern;
    met.nearest = distance < met.nearest ? distance : met.nearest;
  }
  for (std::size_t at = 0; at < kPieceBytes; at += sizeof(Bits)) {
    Bits a;
    Bits b;
    std::memcpy(&a, reference + at, sizeof a);
    std::memcpy(&b, candidate + at, sizeof b);
    met.difference |= a ^ b;
  }
}

template <typename Code>
[[gnu::always_inline]] inline bool is_equal(const Met<Code>& met) {
  return (met.difference[0] | met.difference[1] | met.difference[2] | met.difference[3]) == 0;
}

template <typename Code>
[[gnu::always_inline]] inline bool has_pattern(const Met<Code>& met) {
  for (std::size_t lane = 0; lane < sizeof met.nearest / sizeof(Code); ++lane) {
    if (met.nearest[lane] == 0) {
      return true;
    }
  }
  return false;
}

/// The pass over a block. Once the sides differ it ends: what has been counted is of no use then, the elements are
/// looked at one by one. Elements that aren't finite are rare, so they are counted only where there is one.
template <typename Code>
[[gnu::always_inline]] inline Scan scan(const std::byte* reference, const std::byte* candidate, std::size_t bytes,
                                        NonFinite<Code> wanted) {
  // Vectors begin at a cache line of the reference: one that spans two lines costs two accesses.
  const std::size_t begin = std::min(elements_to_cache_line<Code>(reference) * sizeof(Code), bytes);
  const std::size_t end = begin + (bytes - begin) / kStretchBytes * kStretchBytes;
  Met<Code> met;
  for (std::size_t at = begin; at < end;) {
    for (const std::size_t stretch_end = at + kStretchBytes; at < stretch_end; at += kPieceBytes) {
      scan_piece<Code>(reference + at, candidate + at, wanted, met);
    }
    if (!is_equal(met)) {
      return {false, 0};
    }
  }
  if (std::memcmp(reference, candidate, begin) != 0 ||
      std::memcmp(reference + end, candidate + end, bytes - end) != 0) {
    return {false, 0};
  }
  std::uint64_t non_finite = count_elements<Code>(reference, begin / sizeof(Code), wanted) +
                             count_elements<Code>(reference + end, (bytes - end) / sizeof(Code), wanted);
  if (has_pattern(met)) {
    non_finite += count_elements<Code>(reference + begin, (end - begin) / sizeof(Code), wanted);
  }
  return {true, non_finite};
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
  if (reference.empty()) {
    return {};  // there may be no address to compare at
  }
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
      return {std::memcmp(reference.data(), candidate.data(), reference.size()) == 0, 0};
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
