// SPDX-License-Identifier: Apache-2.0
// Both passes against libtorch's operations, over random tensors of every dtype with planted NaN payloads, signed
// zeros, infinities and subnormals. Counts, places, extremes and ranges are equal; a sum of n terms is within n * 2^-52
// times the sum of their magnitudes, which holds for any two orders of adding.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "core/byte_source.h"
#include "libtorch_oracle.h"
#include "tensor/difference_detail.h"

using namespace rlverify;
using namespace rlverify::tensor;
using test::OracleAnswer;
using test::OracleFormat;

namespace {

enum class Nan { kNone, kIeee, kAllOnes, kMinusZero };

/// A floating format, for planting and (the small ones) for the table.
struct Layout {
  unsigned exponent_bits;
  unsigned fraction_bits;
  int bias;
  Nan nan;
};

struct Case {
  DType dtype;
  std::string name;  ///< as the oracle knows it
  unsigned bits;
  unsigned components = 1;
  std::optional<Layout> layout = std::nullopt;  ///< none for integers
  bool has_table = false;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = [] {
    const Layout half{5, 10, 15, Nan::kIeee};
    const Layout single{8, 23, 127, Nan::kIeee};
    const Layout twice{11, 52, 1023, Nan::kIeee};
    return std::vector<Case>{{DType::kBool, "bool", 8},
                             {DType::kUint8, "uint8", 8},
                             {DType::kInt8, "int8", 8},
                             {DType::kInt16, "int16", 16},
                             {DType::kUint16, "uint16", 16},
                             {DType::kInt32, "int32", 32},
                             {DType::kUint32, "uint32", 32},
                             {DType::kInt64, "int64", 64},
                             {DType::kUint64, "uint64", 64},
                             {DType::kQint8, "int8", 8},
                             {DType::kQuint8, "uint8", 8},
                             {DType::kQint32, "int32", 32},
                             {DType::kFloat16, "float16", 16, 1, half},
                             {DType::kBfloat16, "bfloat16", 16, 1, Layout{8, 7, 127, Nan::kIeee}},
                             {DType::kFloat32, "float32", 32, 1, single},
                             {DType::kFloat64, "float64", 64, 1, twice},
                             {DType::kComplex32, "complex32", 16, 2, half},
                             {DType::kComplex64, "complex64", 32, 2, single},
                             {DType::kComplex128, "complex128", 64, 2, twice},
                             {DType::kFloat8E4m3fn, "e4m3fn", 8, 1, Layout{4, 3, 7, Nan::kAllOnes}, true},
                             {DType::kFloat8E5m2, "e5m2", 8, 1, Layout{5, 2, 15, Nan::kIeee}, true},
                             {DType::kFloat8E4m3fnuz, "e4m3fnuz", 8, 1, Layout{4, 3, 8, Nan::kMinusZero}, true},
                             {DType::kFloat8E5m2fnuz, "e5m2fnuz", 8, 1, Layout{5, 2, 16, Nan::kMinusZero}, true},
                             {DType::kFloat8E8m0fnu, "e8m0fnu", 8, 1, Layout{8, 0, 127, Nan::kAllOnes}, true},
                             {DType::kFloat4E2m1, "e2m1", 4, 1, Layout{2, 1, 1, Nan::kNone}, true},
                             {DType::kFloat6E2m3, "e2m3", 6, 1, Layout{2, 3, 1, Nan::kNone}, true},
                             {DType::kFloat6E3m2, "e3m2", 6, 1, Layout{3, 2, 3, Nan::kNone}, true}};
  }();
  return kCases;
}

bool has_sign(const Case& format) {
  return format.dtype != DType::kFloat8E8m0fnu;
}

/// The value of a code of a small format, from its fields.
double small_value(const Case& format, unsigned code) {
  if (!has_sign(format)) {
    return code == 0xFF ? NAN : std::ldexp(1.0, static_cast<int>(code) - 127);
  }
  const Layout& layout = *format.layout;
  const unsigned fraction_end = 1U << layout.fraction_bits;
  const unsigned exponent_end = 1U << layout.exponent_bits;
  const unsigned magnitude = code % (fraction_end * exponent_end);
  const double sign = code == magnitude ? 1 : -1;
  if (layout.nan == Nan::kMinusZero && sign < 0 && magnitude == 0) {
    return NAN;
  }
  if (layout.nan == Nan::kAllOnes && magnitude == fraction_end * exponent_end - 1) {
    return NAN;
  }
  const unsigned exponent = magnitude / fraction_end;
  const unsigned fraction = magnitude % fraction_end;
  if (layout.nan == Nan::kIeee && exponent == exponent_end - 1) {
    return fraction == 0 ? sign * INFINITY : NAN;
  }
  const double significand = static_cast<double>(fraction) / fraction_end + (exponent == 0 ? 0 : 1);
  return sign * std::ldexp(significand, std::max(static_cast<int>(exponent), 1) - layout.bias);
}

OracleFormat oracle_format(const Case& format) {
  OracleFormat out;
  out.dtype = format.name;
  out.bits = format.bits;
  out.components = format.components;
  out.has_sign = has_sign(format);
  if (format.layout && out.has_sign) {
    out.min_normal = std::ldexp(1.0, 1 - format.layout->bias);
  }
  for (unsigned code = 0; format.has_table && code < 1U << format.bits; ++code) {
    out.table.push_back(small_value(format, code));
  }
  return out;
}

/// Random codes, one of a few near each other or one that is special.
class Codes {
 public:
  Codes(const Case& format, std::uint32_t seed) : format_(format), random_(seed) {}

  std::uint64_t reference() { return random_() % 16 == 0 ? special() : ordinary(random_()); }
  std::uint64_t candidate(std::uint64_t reference) {
    switch (random_() % 8) {
      case 0:
        return special();
      case 1:
        return ordinary(random_());
      case 2:
        return ordinary(reference + 1);
      case 3:
        return ordinary(reference - random_() % 20);
      case 4:
        return (reference ^ (std::uint64_t{1} << (format_.bits - 1))) & mask();
      default:
        return reference;
    }
  }

 private:
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - format_.bits); }

  /// Doubles keep away from the end of the line, where a sum's overflow depends on the order.
  [[nodiscard]] std::uint64_t ordinary(std::uint64_t bits) const {
    bits &= mask();
    return format_.bits == 64 && format_.layout ? bits & ~0x3000000000000000ULL : bits;
  }

  std::uint64_t special() {
    if (!format_.layout) {
      const std::array<std::uint64_t, 4> codes = {0, 1, mask() >> 1U, (mask() >> 1U) + 1};
      return codes[random_() % codes.size()];
    }
    const std::uint64_t sign = std::uint64_t{1} << (format_.bits - 1);
    const std::uint64_t normal = std::uint64_t{1} << format_.layout->fraction_bits;
    const std::uint64_t infinity = sign - normal;
    const std::array<std::uint64_t, 8> codes = {0, 0, 1, normal - 1, normal, infinity, infinity + 1, sign - 1};
    return (codes[random_() % codes.size()] | (random_() % 2 == 0 ? sign : 0)) & mask();
  }

  const Case& format_;
  std::mt19937_64 random_;
};

/// As the reader has them: F4 and F6 packed from the low end.
std::string packed(const Case& format, const std::string& codes) {
  if (format.bits >= 8) {
    return codes;
  }
  std::string out((codes.size() * format.bits + 7) / 8, '\0');
  for (std::size_t i = 0; i < codes.size() * format.bits; ++i) {
    const auto code = static_cast<unsigned char>(codes[i / format.bits]);
    out[i / 8] = static_cast<char>(out[i / 8] | ((code >> (i % format.bits) & 1) << (i % 8)));
  }
  return out;
}

/// A tensor in memory, at an odd address.
struct Held {
  core::MemorySource source;
  TensorRef ref;

  Held(const Case& format, std::uint64_t count, const std::string& codes)
      : source("held", "xyz" + packed(format, codes)) {
    ref.dtype = format.dtype;
    ref.element_count = count;
    ref.shape = {count};
    ref.strides = {1};
    ref.data_offset = 3;
    ref.storage_bytes = source.size() - 3;
  }
  [[nodiscard]] TensorBytes bytes() const { return {&source, &ref}; }
};

void check_sum(double found, double wanted, double magnitudes, std::int64_t terms) {
  if (!std::isfinite(wanted)) {
    CHECK((found == wanted || (std::isnan(found) && std::isnan(wanted))));
    return;
  }
  CHECK(std::abs(found - wanted) <= static_cast<double>(terms) * 0x1p-52 * magnitudes);
}

void check_range(const ValueRange& found, const std::array<double, 2>& wanted) {
  CHECK(found.minimum == wanted[0]);
  CHECK(found.maximum == wanted[1]);
}

void check_first_pass(const Difference& found, const OracleAnswer& wanted) {
  CHECK(found.equal() == (wanted.different_elements == 0));
  CHECK(found.different_elements == static_cast<std::uint64_t>(wanted.different_elements));
  for (std::size_t i = 0; i < kDifferenceClassCount; ++i) {
    INFO(difference_class_name(static_cast<DifferenceClass>(i)));
    CHECK(found.class_counts[i] == static_cast<std::uint64_t>(wanted.class_counts[i]));
  }
  REQUIRE(found.first.has_value() == (wanted.first_index >= 0));
  if (found.first) {
    CHECK(found.first->element_index == static_cast<std::uint64_t>(wanted.first_index));
  }
  CHECK(found.max_ulp_distance == wanted.max_ulp_distance);
  CHECK(found.max_ulp_index == static_cast<std::uint64_t>(wanted.max_ulp_index));
  CHECK(found.max_abs_difference == wanted.max_abs_difference);
  CHECK(found.max_abs_index == static_cast<std::uint64_t>(wanted.max_abs_index));
  CHECK(found.finite_pairs == static_cast<std::uint64_t>(wanted.finite_pairs));
  CHECK(found.reference_non_finite == static_cast<std::uint64_t>(wanted.reference_non_finite));
  CHECK(found.candidate_non_finite == static_cast<std::uint64_t>(wanted.candidate_non_finite));
  check_range(found.reference_range, wanted.reference_range);
  check_range(found.candidate_range, wanted.candidate_range);
  check_sum(found.sum_abs_difference, wanted.sum_abs_difference, wanted.sum_abs_difference, wanted.finite_pairs);
  check_sum(found.sum_difference, wanted.sum_difference, wanted.sum_abs_difference, wanted.finite_pairs);
}

void check_histogram(const DifferenceDetail& found, const OracleAnswer& wanted) {
  std::array<std::uint64_t, kHistogramBins> bins{};
  for (std::size_t i = 0; i < wanted.exponents.size(); ++i) {
    const int bin = std::max(static_cast<int>(i) + test::kOracleLowestExponent, -1023) - found.lowest_exponent;
    bins[static_cast<std::size_t>(std::clamp(bin, 0, static_cast<int>(kHistogramBins) - 1))] +=
        static_cast<std::uint64_t>(wanted.exponents[i]);
  }
  CHECK(found.histogram == bins);
  if (wanted.max_abs_difference > 0) {
    CHECK(found.lowest_exponent ==
          std::max(std::ilogb(wanted.max_abs_difference), -1023) - static_cast<int>(kHistogramBins) + 1);
  }
}

/// Roots and ratios of sums: a few roundings beyond the sums' own.
void check_second_pass(const DifferenceDetail& found, const OracleAnswer& wanted) {
  const auto pairs = static_cast<double>(wanted.finite_pairs);
  const double bound = (pairs + 8) * 0x1p-52;
  const auto rms = [pairs](double squares) { return pairs == 0 ? 0 : std::sqrt(squares / pairs); };
  CHECK(found.finite_pairs == static_cast<std::uint64_t>(wanted.finite_pairs));
  CHECK(found.zero_differences == static_cast<std::uint64_t>(wanted.zero_differences));
  CHECK(found.rms_difference == Approx(rms(wanted.squared_difference)).epsilon(bound));
  CHECK(found.reference_rms == Approx(rms(wanted.squared_reference)).epsilon(bound));
  CHECK(found.candidate_rms == Approx(rms(wanted.squared_candidate)).epsilon(bound));
  CHECK(found.max_relative_difference == wanted.max_relative_difference);
  if (wanted.max_relative_difference > 0) {
    CHECK(found.max_relative_index == static_cast<std::uint64_t>(wanted.max_relative_index));
  }
  const double norms = std::sqrt(wanted.squared_reference) * std::sqrt(wanted.squared_candidate);
  if (norms > 0) {
    CHECK(std::abs(found.cosine - wanted.product / norms) <= 4 * bound * (wanted.sum_abs_product / norms + 1));
  }
  for (std::size_t i = 0; i < found.quantiles.size(); ++i) {
    CHECK(found.quantiles[i] >= wanted.quantiles[i]);
    // Below the least normal double, a bin is as wide as the first octave's.
    CHECK(found.quantiles[i] <= std::max(wanted.quantiles[i] * 1.125, wanted.quantiles[i] > 0 ? 0x1p-1022 : 0.0));
  }
  check_histogram(found, wanted);
}

void check_case(const Case& format, std::uint64_t count, bool all_equal, std::uint32_t seed) {
  INFO(format.name << " (" << static_cast<int>(format.dtype) << "), " << count << " elements, seed " << seed);
  Codes random(format, seed);
  std::string reference;
  std::string candidate;
  const std::size_t size = format.bits < 8 ? 1 : format.bits / 8;
  for (std::uint64_t i = 0; i < count * format.components; ++i) {
    const std::uint64_t a = random.reference();
    const std::uint64_t b = all_equal ? a : random.candidate(a);
    reference.append(reinterpret_cast<const char*>(&a), size);
    candidate.append(reinterpret_cast<const char*>(&b), size);
  }
  const auto as_bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  const OracleAnswer wanted = test::ask_libtorch(oracle_format(format), as_bytes(reference), as_bytes(candidate));
  const Held left(format, count, reference);
  const Held right(format, count, candidate);
  BlockBuffers buffers;
  Difference found = compare_tensors(left.bytes(), right.bytes(), buffers);
  for (std::uint64_t part = 0; part < part_count(left.ref); ++part) {
    extend_ranges(left.bytes(), right.bytes(), part, buffers, found);
  }
  CHECK(found.elements == count);
  check_first_pass(found, wanted);
  check_second_pass(difference_detail(left.bytes(), right.bytes(), found, buffers), wanted);
  std::vector<std::int64_t> indices;
  for_each_different_batch(left.bytes(), right.bytes(), buffers, [&](std::span<const std::uint64_t> batch) {
    indices.insert(indices.end(), batch.begin(), batch.end());
    return true;
  });
  CHECK(indices == wanted.different_indices);
}

}  // namespace

TEST_CASE("differences are what libtorch's operations say, for every dtype", "[difference][oracle]") {
  CHECK(cases().size() == kDTypeCount);
  for (const Case& format : cases()) {
    // Sub-byte types come in whole bytes: multiples of four elements.
    const std::uint64_t some = format.bits < 8 ? 4 : 1;
    for (const std::uint64_t count : {some, 16 * some, std::uint64_t{1000}, std::uint64_t{20'004}}) {
      check_case(format, count, false, static_cast<std::uint32_t>(count));
    }
    check_case(format, 1000, true, 5);
  }
}

TEST_CASE("tensors that end inside a block are what libtorch says", "[difference][oracle]") {
  for (const Case& format : cases()) {
    check_case(format, block_elements(format.dtype) + 20, false, 9);
  }
}

TEST_CASE("tensors of several parts are what libtorch says", "[difference][oracle]") {
  for (const Case& format : cases()) {
    if (format.dtype == DType::kFloat64) {
      check_case(format, part_elements(format.dtype) + block_elements(format.dtype) + 21, false, 10);
    }
  }
}
