// SPDX-License-Identifier: Apache-2.0
// Every level of vector code gives the bits of the scalar loop: all counts, places, sums and ranges, for any length and
// any address.
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "tensor/difference_elements.h"
#include "tensor/difference_vector.h"

using namespace rlverify::tensor;

namespace {

struct Format {
  DType dtype;
  unsigned bits;
  unsigned fraction_bits;
};
constexpr std::array<Format, 4> kFormats = {
    {{DType::kFloat16, 16, 10}, {DType::kBfloat16, 16, 7}, {DType::kFloat32, 32, 23}, {DType::kFloat64, 64, 52}}};

/// Bytes of both sides, at an address that no vector is aligned to.
struct Pair {
  std::vector<std::byte> reference{1};
  std::vector<std::byte> candidate{1};
  std::uint64_t count = 0;

  void add(const Format& format, std::uint64_t a, std::uint64_t b) {
    const std::size_t size = format.bits / 8;
    const auto append = [size](std::vector<std::byte>& bytes, std::uint64_t code) {
      bytes.resize(bytes.size() + size);
      std::memcpy(bytes.data() + bytes.size() - size, &code, size);
    };
    append(reference, a);
    append(candidate, b);
    ++count;
  }
  [[nodiscard]] BlockPair block() const {
    return {1000, count, std::span(reference).subspan(1), std::span(candidate).subspan(1)};
  }
};

/// Zeros, the ends of the subnormal and the normal numbers, infinity and NaN, of both signs.
std::uint64_t special(const Format& format, std::mt19937_64& random) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
  const std::uint64_t normal = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t infinity = sign - normal;
  const std::array<std::uint64_t, 10> codes = {
      0, 1, 2, normal - 1, normal, infinity, infinity - 1, infinity + 1, sign - 1, normal + 7};
  return codes[random() % codes.size()] | (random() % 2 == 0 ? sign : 0);
}

/// A normal number: neither the lowest nor the highest exponent.
std::uint64_t normal(const Format& format, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
  const std::uint64_t least = std::uint64_t{1} << format.fraction_bits;
  return (bits & sign) | (least + (bits & (sign - 1)) % (sign - 2 * least));
}

enum class Content { kBits, kSpecial, kMixed, kNormal, kRare, kOneUlp, kOneDifference, kEqual };
constexpr std::array<Content, 8> kContents = {Content::kNormal,        Content::kRare,  Content::kBits,
                                              Content::kSpecial,       Content::kMixed, Content::kOneUlp,
                                              Content::kOneDifference, Content::kEqual};

Pair random_pair(const Format& format, Content content, std::uint64_t count, std::mt19937_64& random) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - format.bits);
  Pair pair;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random() & mask;
    const std::uint64_t near = (bits & ~(mask >> 2U)) | (mask >> 4U);
    switch (content) {
      case Content::kBits:
        pair.add(format, bits, random() & mask);
        break;
      case Content::kSpecial:
        pair.add(format, special(format, random), special(format, random));
        break;
      case Content::kMixed:
        pair.add(format, random() % 50 == 0 ? special(format, random) : near,
                 random() % 50 == 0 ? special(format, random) : (near + random() % 40) & mask);
        break;
      case Content::kNormal:
        pair.add(format, normal(format, bits), normal(format, random() % 4 == 0 ? random() : bits + random() % 20));
        break;
      case Content::kRare:
        pair.add(format, random() % 9000 == 0 ? special(format, random) : normal(format, bits),
                 random() % 9000 == 0 ? special(format, random) : normal(format, bits + 1));
        break;
      case Content::kOneUlp:
        pair.add(format, bits & (mask >> 2U), (bits & (mask >> 2U)) + 1);
        break;
      case Content::kOneDifference:
        pair.add(format, near, i == count / 3 ? near ^ 1U : near);
        break;
      case Content::kEqual:
        pair.add(format, bits, bits);
        break;
    }
  }
  return pair;
}

Difference at_level(VectorLevel level, DType dtype, const Pair& pair) {
  Difference difference;
  compare_elements(level, dtype, pair.block(), difference);
  return difference;
}

std::uint64_t bits_of(double value) {
  // The sign of a NaN that infinity - infinity made is the compiler's choice of operands.
  return value != value ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
}

void check_same(const Difference& found, const Difference& wanted) {
  CHECK(found.elements == wanted.elements);
  CHECK(found.different_elements == wanted.different_elements);
  CHECK(found.class_counts == wanted.class_counts);
  CHECK(found.max_ulp_distance == wanted.max_ulp_distance);
  CHECK(found.max_ulp_index == wanted.max_ulp_index);
  CHECK(bits_of(found.max_abs_difference) == bits_of(wanted.max_abs_difference));
  CHECK(found.max_abs_index == wanted.max_abs_index);
  CHECK(bits_of(found.sum_abs_difference) == bits_of(wanted.sum_abs_difference));
  CHECK(bits_of(found.sum_difference) == bits_of(wanted.sum_difference));
  CHECK(found.finite_pairs == wanted.finite_pairs);
  CHECK(found.reference_non_finite == wanted.reference_non_finite);
  CHECK(found.candidate_non_finite == wanted.candidate_non_finite);
  CHECK(bits_of(found.reference_range.minimum) == bits_of(wanted.reference_range.minimum));
  CHECK(bits_of(found.reference_range.maximum) == bits_of(wanted.reference_range.maximum));
  CHECK(bits_of(found.candidate_range.minimum) == bits_of(wanted.candidate_range.minimum));
  CHECK(bits_of(found.candidate_range.maximum) == bits_of(wanted.candidate_range.maximum));
  REQUIRE(found.first.has_value() == wanted.first.has_value());
  if (wanted.first) {
    CHECK(found.first->element_index == wanted.first->element_index);
    CHECK(found.first->reference == wanted.first->reference);
    CHECK(found.first->candidate == wanted.first->candidate);
    CHECK(found.first->difference_class == wanted.first->difference_class);
    CHECK(found.first->ulp_distance == wanted.first->ulp_distance);
  }
}

void check_levels(const Format& format, Content content, std::uint64_t count, std::mt19937_64& random) {
  const Pair pair = random_pair(format, content, count, random);
  const Difference wanted = at_level(VectorLevel::kScalar, format.dtype, pair);
  REQUIRE(wanted.elements == count);
  for (const VectorLevel level : vector_levels()) {
    INFO(torch_name(format.dtype) << ", content " << static_cast<int>(content) << ", " << count << " elements, "
                                  << vector_level_name(level));
    check_same(at_level(level, format.dtype, pair), wanted);
  }
}

}  // namespace

TEST_CASE("all vector levels give the bits of the scalar loop", "[difference][vector]") {
  std::mt19937_64 random(1);
  for (const Format& format : kFormats) {
    const std::uint64_t chunk = kChunkBytes / (format.bits / 8);
    for (const Content content : kContents) {
      for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{15}, std::uint64_t{16}, std::uint64_t{63},
                                        std::uint64_t{64}, std::uint64_t{129}, chunk - 1, chunk, 5 * chunk + 37}) {
        check_levels(format, content, count, random);
      }
      check_levels(format, content, block_elements(format.dtype), random);
      check_levels(format, content, block_elements(format.dtype) - 3, random);
    }
  }
}

TEST_CASE("whole blocks of one class don't overflow a lane's count", "[difference][vector]") {
  for (const Format& format : kFormats) {
    const std::uint64_t count = block_elements(format.dtype);
    const std::uint64_t nan = (std::uint64_t{1} << (format.bits - 1)) - 1;
    Pair pair;
    for (std::uint64_t i = 0; i < count; ++i) {
      pair.add(format, nan, nan - 1);
    }
    for (const VectorLevel level : vector_levels()) {
      INFO(torch_name(format.dtype) << ", " << vector_level_name(level));
      const Difference difference = at_level(level, format.dtype, pair);
      CHECK(difference.class_counts[static_cast<std::size_t>(DifferenceClass::kNanPayload)] == count);
      CHECK(difference.different_elements == count);
      CHECK(difference.candidate_non_finite == count);
      CHECK(difference.finite_pairs == 0);
      CHECK(difference.reference_range.empty());
    }
  }
}

TEST_CASE("the first of equal largest differences is named", "[difference][vector]") {
  // The same distance in many chunks and lanes.
  Pair pair;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    pair.add(kFormats[2], 0x3F800000U,
             i == 4321 || i % 1000 == 999 ? (i < 4000 ? 0x3F800001U : 0x3F800100U) : 0x3F800000U);
  }
  for (const VectorLevel level : vector_levels()) {
    INFO(vector_level_name(level));
    const Difference difference = at_level(level, DType::kFloat32, pair);
    CHECK(difference.first->element_index == 1000 + 999);
    CHECK(difference.max_ulp_index == 1000 + 4321);
    CHECK(difference.max_abs_index == 1000 + 4321);
  }
}

TEST_CASE("a zero at the end of a range is +0, whichever came first", "[difference][vector]") {
  for (const bool negative_first : {false, true}) {
    Pair pair;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t zero = (i < 128) == negative_first ? 0x80000000U : 0;
      pair.add(kFormats[2], zero, i == 7 ? 0x3F800000U : zero);
    }
    for (const VectorLevel level : vector_levels()) {
      const Difference difference = at_level(level, DType::kFloat32, pair);
      CHECK(std::bit_cast<std::uint64_t>(difference.reference_range.minimum) == 0);
      CHECK(std::bit_cast<std::uint64_t>(difference.reference_range.maximum) == 0);
    }
  }
}
