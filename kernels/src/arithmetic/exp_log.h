// SPDX-License-Identifier: Apache-2.0
// Exponential and logarithm in fp32, the same bits on every CPU and GPU: only add, multiply, fma and shifts, fma
// written out, contraction off. The logarithm is CUDA's logf step by step (docs/kernels.md, "Arithmetic"). The
// exponential is a polynomial of our own, because CUDA's expf ends in a hardware approximation that has no public
// description.
#pragma once

#include "arithmetic/portable.h"

namespace rlverify::kernels {

/// Constants of exp_portable as fp32 bit patterns (docs/kernels.md, "Arithmetic"); the vector code uses the same ones.
struct ExpConstants {
  static constexpr std::uint32_t kLog2E = 0x3FB8AA3BU;
  static constexpr std::uint32_t kRoundingMagic =
      0x4B400000U;  // 1.5 * 2^23: adding it rounds to an integer, ties to even
  static constexpr std::uint32_t kMinusLn2High = 0xBF317218U;
  static constexpr std::uint32_t kMinusLn2Low = 0x3102E308U;
  static constexpr std::uint32_t kP6 = 0x3AB5B721U;
  static constexpr std::uint32_t kP5 = 0x3C0917C4U;
  static constexpr std::uint32_t kP4 = 0x3D2AAB44U;
  static constexpr std::uint32_t kP3 = 0x3E2AAA52U;
  static constexpr std::uint32_t kHalf = 0x3F000000U;
  static constexpr std::uint32_t kOne = 0x3F800000U;
  static constexpr float kLowest = -104.0F;
  static constexpr float kHighest = 89.0F;
};

/// e^x for every fp32 x, at most 0.8961 ulp off; +-0 gives 1, -inf +0, x >= 88.7228394 +inf, NaN NaN. Denormals are
/// kept.
RLV_INLINE float exp_portable(float x) {
  using C = ExpConstants;
  // Comparisons are false on NaN, so NaN stays.
  x = x < C::kLowest ? C::kLowest : x;
  x = x > C::kHighest ? C::kHighest : x;
  const float magic = float_of_bits(C::kRoundingMagic);
  const float t = fused_multiply_add(x, float_of_bits(C::kLog2E), magic);
  const float n = t - magic;
  float r = fused_multiply_add(n, float_of_bits(C::kMinusLn2High), x);
  r = fused_multiply_add(n, float_of_bits(C::kMinusLn2Low), r);
  float p = float_of_bits(C::kP6);
  p = fused_multiply_add(p, r, float_of_bits(C::kP5));
  p = fused_multiply_add(p, r, float_of_bits(C::kP4));
  p = fused_multiply_add(p, r, float_of_bits(C::kP3));
  p = fused_multiply_add(p, r, float_of_bits(C::kHalf));
  p = fused_multiply_add(p, r, 1.0F);
  p = fused_multiply_add(p, r, 1.0F);
  // Two multiplications by powers of two, so that a denormal result is rounded once and 2^128 never has to exist.
  const std::int32_t k = static_cast<std::int32_t>(bits_of(t) - C::kRoundingMagic);
  const std::int32_t a = k >> 1;
  const std::uint32_t b = static_cast<std::uint32_t>(k) - static_cast<std::uint32_t>(a);
  const float scale_a = float_of_bits((static_cast<std::uint32_t>(a) + 127U) << 23U);
  const float scale_b = float_of_bits((b + 127U) << 23U);
  return (p * scale_a) * scale_b;
}

/// Natural logarithm, CUDA 13.0's logf bit for bit, at most 0.86 ulp off; 0 gives -inf, negative numbers NaN.
RLV_INLINE float log_portable(float x) {
  if (x == 0.0F)
    return negative_infinity();
  if (bits_of(x) >= 0x7F800000U) {  // inf, NaN and everything negative
    const float infinity = float_of_bits(0x7F800000U);
    return fused_multiply_add(x, infinity, infinity);
  }
  float exponent_bias = 0.0F;
  if (x < float_of_bits(0x00800000U)) {
    x *= 8388608.0F;
    exponent_bias = -23.0F;
  }
  const std::uint32_t i = bits_of(x);
  const std::uint32_t d = (i - 0x3F2AAAABU) & 0xFF800000U;
  const float f = float_of_bits(i - d) - 1.0F;
  const float e =
      fused_multiply_add(static_cast<float>(static_cast<std::int32_t>(d)), float_of_bits(0x34000000U), exponent_bias);
  float p = float_of_bits(0xBE055027U);
  p = fused_multiply_add(p, f, float_of_bits(0x3E1039F6U));
  p = fused_multiply_add(p, f, float_of_bits(0xBDF8CDCCU));
  p = fused_multiply_add(p, f, float_of_bits(0x3E0F2955U));
  p = fused_multiply_add(p, f, float_of_bits(0xBE2AD8B9U));
  p = fused_multiply_add(p, f, float_of_bits(0x3E4CED0BU));
  p = fused_multiply_add(p, f, float_of_bits(0xBE7FFF22U));
  p = fused_multiply_add(p, f, float_of_bits(0x3EAAAA78U));
  p = fused_multiply_add(p, f, float_of_bits(0xBF000000U));
  p = p * f;
  p = fused_multiply_add(p, f, f);
  return fused_multiply_add(e, float_of_bits(0x3F317218U), p);
}

}  // namespace rlverify::kernels
