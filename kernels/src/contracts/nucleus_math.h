// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm and reciprocal of RL-Kernel's sparse nucleus scorer (rl_kernel_sparse_nucleus.h): add,
// multiply, fma and integers only, so the same bits everywhere. Their products are fused into the sums they feed, which
// the system leaves to its compiler. No denormals or NaN are looked after, except that a NaN stays one.
#pragma once

#include "arithmetic/portable.h"

namespace rlverify::kernels {

/// 1/x for normal positive x: a guess from the bits, then four Newton steps y * (2 - x*y).
RLV_INLINE float nucleus_reciprocal(float x) {
  float y = float_of_bits(0x7EF311C3U - bits_of(x));
  for (int step = 0; step < 4; ++step)
    y = y * fused_multiply_add(-x, y, 2.0F);
  return y;
}

/// e^x: k = floor(x log2 e + 0.5), held in [-126, 126]; Taylor polynomial of degree 10 in r = x - k ln 2; times 2^k.
/// Below -87 the remainder grows and the value is no longer e^x (at about -3e5 the polynomial overflows): a nucleus has
/// no such gaps.
RLV_INLINE float nucleus_exp(float x) {
  const float scaled = fused_multiply_add(x, 1.4426950408889634F, 0.5F);
  float k = scaled < -126.0F ? -126.0F : scaled;
  k = k > 126.0F ? 126.0F : k;
  if (!(k == k))
    return canonical_nan();
  const int truncated = static_cast<int>(k);
  const int exponent = static_cast<float>(truncated) > k ? truncated - 1 : truncated;
  const float n = static_cast<float>(exponent);
  float r = fused_multiply_add(n, -0.693145751953125F, x);
  r = fused_multiply_add(n, -1.428606765330187e-6F, r);
  float p = static_cast<float>(1.0 / 3628800.0);
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 362880.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 40320.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 5040.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 720.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 120.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 24.0));
  p = fused_multiply_add(p, r, static_cast<float>(1.0 / 6.0));
  p = fused_multiply_add(p, r, 0.5F);
  p = fused_multiply_add(p, r, 1.0F);
  p = fused_multiply_add(p, r, 1.0F);
  return p * float_of_bits(static_cast<std::uint32_t>(exponent + 127) << 23U);
}

/// log x for normal positive x (a sum that holds E(0) = 1): mantissa m in (sqrt 1/2, sqrt 2], q = (m-1)/(m+1),
/// 2q (1 + q^2/3 + ... + q^12/13) + e ln 2.
RLV_INLINE float nucleus_log(float x) {
  if (!(x == x))
    return x;
  const std::uint32_t bits = bits_of(x);
  int exponent = static_cast<int>((bits >> 23U) & 0xFFU) - 127;
  float m = float_of_bits((bits & 0x007FFFFFU) | 0x3F800000U);
  if (m > 1.4142135623730951F) {
    m = m * 0.5F;
    ++exponent;
  }
  const float q = (m - 1.0F) * nucleus_reciprocal(m + 1.0F);
  const float square = q * q;
  float series = static_cast<float>(1.0 / 13.0);
  series = fused_multiply_add(series, square, static_cast<float>(1.0 / 11.0));
  series = fused_multiply_add(series, square, static_cast<float>(1.0 / 9.0));
  series = fused_multiply_add(series, square, static_cast<float>(1.0 / 7.0));
  series = fused_multiply_add(series, square, static_cast<float>(1.0 / 5.0));
  series = fused_multiply_add(series, square, static_cast<float>(1.0 / 3.0));
  series = fused_multiply_add(series, square, 1.0F);
  return fused_multiply_add(static_cast<float>(exponent), 0.6931471805599453F, (2.0F * q) * series);
}

}  // namespace rlverify::kernels
