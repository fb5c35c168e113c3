// SPDX-License-Identifier: Apache-2.0
// Exponential and logarithm in fp64 for the reference contract. The libm functions differ between machines in the last
// bit; these use add, multiply and fma only, so that the reference too has one set of bits. About 1 ulp off, which is
// 1e-9 of the fp32 errors that it measures.
#pragma once

#include "arithmetic/exp_log.h"

namespace rlverify::kernels {

/// e^x: x = n ln2 + r with |r| <= 0.3466, Taylor polynomial of degree 13 (truncation 5e-18) by Horner. NaN stays NaN.
RLV_INLINE double exp_portable_fp64(double x) {
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const double magic = 6755399441055744.0;  // 1.5 * 2^52
  const double t = fused_multiply_add(x, 0x1.71547652b82fep+0, magic);
  const double n = t - magic;
  double r = fused_multiply_add(n, -0x1.62e42fefa39efp-1, x);
  r = fused_multiply_add(n, -0x1.abc9e3b39803fp-56, r);
  double p = 1.0 / 6227020800.0;
  p = fused_multiply_add(p, r, 1.0 / 479001600.0);
  p = fused_multiply_add(p, r, 1.0 / 39916800.0);
  p = fused_multiply_add(p, r, 1.0 / 3628800.0);
  p = fused_multiply_add(p, r, 1.0 / 362880.0);
  p = fused_multiply_add(p, r, 1.0 / 40320.0);
  p = fused_multiply_add(p, r, 1.0 / 5040.0);
  p = fused_multiply_add(p, r, 1.0 / 720.0);
  p = fused_multiply_add(p, r, 1.0 / 120.0);
  p = fused_multiply_add(p, r, 1.0 / 24.0);
  p = fused_multiply_add(p, r, 1.0 / 6.0);
  p = fused_multiply_add(p, r, 0.5);
  p = fused_multiply_add(p, r, 1.0);
  p = fused_multiply_add(p, r, 1.0);
  const std::int64_t k = static_cast<std::int64_t>(bits_of(t) - bits_of(magic));
  const std::int64_t a = k >> 1;
  const std::uint64_t b = static_cast<std::uint64_t>(k) - static_cast<std::uint64_t>(a);
  const double scale_a = double_of_bits((static_cast<std::uint64_t>(a) + 1023U) << 52U);
  const double scale_b = double_of_bits((b + 1023U) << 52U);
  return (p * scale_a) * scale_b;
}

/// Natural logarithm of an x that fp32 can hold (a sum of exponentials, 1 <= x <= vocabulary): the fp32 logarithm l,
/// then one correction log(x e^-l), whose argument is 1e-6 from 1.
RLV_INLINE double log_portable_fp64(double x) {
  const double l = static_cast<double>(log_portable(static_cast<float>(x)));
  const double y = fused_multiply_add(x, exp_portable_fp64(-l), -1.0);
  return l + (y - 0.5 * y * y + y * y * y / 3.0);
}

}  // namespace rlverify::kernels
