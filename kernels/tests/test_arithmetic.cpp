// SPDX-License-Identifier: Apache-2.0
// The portable exponential, logarithm and storage conversions. exp_log_check runs the whole range; here are samples and
// every edge.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "arithmetic/exp_log_fp64.h"
#include "arithmetic/storage.h"

namespace {

using namespace rlverify::kernels;

double ulp_error(float result, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(static_cast<double>(result) - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

float bits(std::uint32_t value) {
  return float_of_bits(value);
}

}  // namespace

TEST_CASE("exp_portable has the stated values at its edges", "[arithmetic]") {
  CHECK(bits_of(exp_portable(0.0F)) == 0x3F800000U);
  CHECK(bits_of(exp_portable(-0.0F)) == 0x3F800000U);
  CHECK(bits_of(exp_portable(bits(0xC2CFF1B4U))) == 1U);
  CHECK(bits_of(exp_portable(bits(0xC2CFF1B5U))) == 0U);
  CHECK(bits_of(exp_portable(-std::numeric_limits<float>::infinity())) == 0U);
  CHECK(bits_of(exp_portable(-3.4e38F)) == 0U);
  CHECK(std::isinf(exp_portable(bits(0x42B17218U))));
  CHECK_FALSE(std::isinf(exp_portable(bits(0x42B17217U))));
  CHECK(std::isinf(exp_portable(std::numeric_limits<float>::infinity())));
  CHECK(std::isnan(exp_portable(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(exp_portable(bits(0xFF800001U))));
}

TEST_CASE("exp_portable stays within its stated error", "[arithmetic]") {
  double max_negative = 0.0;
  for (std::uint32_t i = bits_of(-0.0F); i <= bits_of(-87.3F); i += 1009U) {
    const float x = float_of_bits(i);
    max_negative = std::max(max_negative, ulp_error(exp_portable(x), std::exp(static_cast<double>(x))));
  }
  CHECK(max_negative <= 0.8914);
  CHECK(max_negative > 0.8);
  double max_positive = 0.0;
  for (std::uint32_t i = 0; i <= 0x42B17217U; i += 1009U) {
    const float x = float_of_bits(i);
    max_positive = std::max(max_positive, ulp_error(exp_portable(x), std::exp(static_cast<double>(x))));
  }
  CHECK(max_positive <= 0.8962);
  // The places of the largest errors, found by the exhaustive run.
  CHECK(ulp_error(exp_portable(-5.84864187F), std::exp(static_cast<double>(-5.84864187F))) ==
        Approx(0.8914).margin(2e-4));
  CHECK(ulp_error(exp_portable(26.7221527F), std::exp(static_cast<double>(26.7221527F))) ==
        Approx(0.8961).margin(2e-4));
}

TEST_CASE("log_portable follows CUDA's logf", "[arithmetic]") {
  CHECK(bits_of(log_portable(1.0F)) == 0U);
  CHECK(log_portable(0.0F) == -std::numeric_limits<float>::infinity());
  CHECK(log_portable(-0.0F) == -std::numeric_limits<float>::infinity());
  CHECK(log_portable(std::numeric_limits<float>::infinity()) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(log_portable(-1.0F)));
  CHECK(std::isnan(log_portable(std::numeric_limits<float>::quiet_NaN())));
  CHECK(log_portable(bits(1U)) == Approx(-103.2789));
  double max = 0.0;
  for (std::uint32_t i = 1; i < 0x7F800000U; i += 2003U) {
    const float x = float_of_bits(i);
    max = std::max(max, ulp_error(log_portable(x), std::log(static_cast<double>(x))));
  }
  CHECK(max <= 0.8643);
  CHECK(ulp_error(log_portable(0.639475524F), std::log(static_cast<double>(0.639475524F))) ==
        Approx(0.8642).margin(2e-4));
}

TEST_CASE("fp64 exponential and logarithm are good to a few ulp", "[arithmetic]") {
  for (double x = -740.0; x <= 0.0; x += 0.37) {
    const double exact = std::exp(x);
    CHECK(std::fabs(exp_portable_fp64(x) - exact) <= 4e-16 * exact + 5e-324);
  }
  for (double x = 1.0; x < 3e5; x *= 1.0137)
    CHECK(log_portable_fp64(x) == Approx(std::log(x)).epsilon(1e-15).margin(1e-16));
  CHECK(std::isnan(exp_portable_fp64(std::numeric_limits<double>::quiet_NaN())));
  CHECK(exp_portable_fp64(-std::numeric_limits<double>::infinity()) == 0.0);
}

TEST_CASE("max_number drops NaN and prefers +0 in either order", "[arithmetic]") {
  const float nan = canonical_nan();
  CHECK(max_number(nan, 1.0F) == 1.0F);
  CHECK(max_number(1.0F, nan) == 1.0F);
  CHECK(bits_of(max_number(0.0F, -0.0F)) == 0U);
  CHECK(bits_of(max_number(-0.0F, 0.0F)) == 0U);
  CHECK(bits_of(max_number(-0.0F, -0.0F)) == 0x80000000U);
  CHECK(max_number(-2.0F, -1.0F) == -1.0F);
}

TEST_CASE("bf16 and fp16 survive a round trip", "[arithmetic]") {
  for (std::uint32_t i = 0; i < 65536U; ++i) {
    const auto stored = static_cast<std::uint16_t>(i);
    const float wide = widen_bf16(stored);
    if (wide == wide)
      CHECK(narrow_bf16(wide) == stored);
    const float half = widen_fp16(stored);
    if (half == half)
      CHECK(narrow_fp16(half) == stored);
  }
}

TEST_CASE("fp16 widening is exact", "[arithmetic]") {
  CHECK(widen_fp16(0x0001U) == 0x1p-24F);
  CHECK(widen_fp16(0x03FFU) == 1023.0F * 0x1p-24F);
  CHECK(widen_fp16(0x0400U) == 0x1p-14F);
  CHECK(widen_fp16(0x3C00U) == 1.0F);
  CHECK(widen_fp16(0x7BFFU) == 65504.0F);
  CHECK(std::isinf(widen_fp16(0x7C00U)));
  CHECK(std::isnan(widen_fp16(0x7C01U)));
  CHECK(bits_of(widen_fp16(0x8000U)) == 0x80000000U);
}

TEST_CASE("narrowing rounds to nearest, ties to even", "[arithmetic]") {
  CHECK(narrow_bf16(bits(0x3F808000U)) == 0x3F80U);
  CHECK(narrow_bf16(bits(0x3F818000U)) == 0x3F82U);
  CHECK(narrow_bf16(bits(0x3F808001U)) == 0x3F81U);
  CHECK(narrow_bf16(bits(0x7F7FFFFFU)) == 0x7F80U);
  CHECK(narrow_bf16(canonical_nan()) == 0x7FC0U);
  CHECK(narrow_fp16(1.0F + 0x1p-11F) == 0x3C00U);
  CHECK(narrow_fp16(1.0F + 3 * 0x1p-11F) == 0x3C02U);
  CHECK(narrow_fp16(65519.996F) == 0x7BFFU);
  CHECK(narrow_fp16(65520.0F) == 0x7C00U);
  CHECK(narrow_fp16(0x1p-25F) == 0x0000U);
  CHECK(narrow_fp16(0x1.8p-24F) == 0x0002U);
  CHECK(narrow_fp16(-0x1p-26F) == 0x8000U);
}
