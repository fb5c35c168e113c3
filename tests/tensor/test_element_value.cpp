// SPDX-License-Identifier: Apache-2.0
// Values of single elements, with the corner cases of each small format from its specification.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tensor/element_value.h"

using namespace rlverify::tensor;

namespace {

ElementValue value_of(DType dtype, std::uint64_t bits) {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < bytes_per_element(dtype); ++i) {
    bytes.push_back(static_cast<std::byte>(i < 8 ? bits >> (8 * i) & 0xFFU : 0));
  }
  return element_value(dtype, bytes);
}
double real(DType dtype, std::uint64_t bits) {
  return std::get<double>(value_of(dtype, bits));
}

}  // namespace

TEST_CASE("floating-point formats") {
  CHECK(real(DType::kFloat16, 0x3c00) == 1.0);
  CHECK(real(DType::kFloat16, 0x0001) == 0x1p-24);
  CHECK(real(DType::kFloat16, 0x7bff) == 65504.0);
  CHECK(std::isinf(real(DType::kFloat16, 0xfc00)));
  CHECK(std::isnan(real(DType::kFloat16, 0x7e00)));
  CHECK(real(DType::kBfloat16, 0xbf80) == -1.0);
  CHECK(real(DType::kFloat32, 0x3fc00000) == 1.5);
  CHECK(real(DType::kFloat64, 0x3ff8000000000000) == 1.5);
  CHECK(std::signbit(real(DType::kFloat16, 0x8000)));
}

TEST_CASE("eight-bit floats") {
  CHECK(real(DType::kFloat8E4m3fn, 0x7e) == 448.0);
  CHECK(std::isnan(real(DType::kFloat8E4m3fn, 0xff)));
  CHECK(real(DType::kFloat8E4m3fn, 0x01) == 0x1p-9);
  CHECK(real(DType::kFloat8E5m2, 0x7b) == 57344.0);
  CHECK(std::isinf(real(DType::kFloat8E5m2, 0x7c)));
  CHECK(std::isnan(real(DType::kFloat8E5m2, 0x7d)));
  CHECK(real(DType::kFloat8E4m3fnuz, 0x7f) == 240.0);
  CHECK(std::isnan(real(DType::kFloat8E4m3fnuz, 0x80)));
  CHECK(real(DType::kFloat8E5m2fnuz, 0x7f) == 57344.0);
  CHECK(std::isnan(real(DType::kFloat8E5m2fnuz, 0x80)));
  CHECK(real(DType::kFloat8E8m0fnu, 127) == 1.0);
  CHECK(real(DType::kFloat8E8m0fnu, 0) == 0x1p-127);
  CHECK(std::isnan(real(DType::kFloat8E8m0fnu, 255)));
}

TEST_CASE("packed types have no bytes of their own") {
  CHECK(std::isnan(std::get<double>(element_value(DType::kFloat4E2m1, {}))));
  CHECK(std::isnan(std::get<double>(element_value(DType::kFloat6E3m2, {}))));
}

TEST_CASE("integers, bools and complex numbers") {
  CHECK(std::get<std::int64_t>(value_of(DType::kInt8, 0xff)) == -1);
  CHECK(std::get<std::int64_t>(value_of(DType::kUint8, 0xff)) == 255);
  CHECK(std::get<std::int64_t>(value_of(DType::kInt16, 0x8000)) == -32768);
  CHECK(std::get<std::int64_t>(value_of(DType::kUint32, 0xffffffff)) == 4294967295);
  CHECK(std::get<std::int64_t>(value_of(DType::kInt64, 0x8000000000000000)) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(std::get<std::uint64_t>(value_of(DType::kUint64, 0xffffffffffffffff)) ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(std::get<std::int64_t>(value_of(DType::kQint32, 0xfffffffe)) == -2);
  CHECK(std::get<bool>(value_of(DType::kBool, 2)));
  const auto complex = std::get<ComplexElement>(value_of(DType::kComplex64, 0xbf8000003f800000));
  CHECK(complex.real == 1.0);
  CHECK(complex.imaginary == -1.0);
  CHECK(std::get<ComplexElement>(value_of(DType::kComplex32, 0xbc003c00)).imaginary == -1.0);
}
