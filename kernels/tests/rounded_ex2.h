// SPDX-License-Identifier: Apache-2.0
// CUDA's exponentials with a correctly rounded ex2 in place of MUFU.EX2: what the native kernels compute, up to that
// one instruction.
#pragma once

#include <cmath>

#include "cpu/scalar_ops.h"

namespace rlverify::kernels::test {

/// 2^x rounded to fp32. The double is off by less than 2^-52 of itself, so it rounds rightly but for ties.
inline float rounded_ex2(float x) {
  return static_cast<float>(std::exp2(static_cast<double>(x)));
}

/// CUDA 13.0's expf step by step (docs/kernels.md, "Native"): k = floor(x log2 e) held in [-126, 126] by a saturated
/// fma, the fraction in two fma, ex2.approx.ftz, times 2^k from the bits.
inline float rounded_expf(float x) {
  float u = fused_multiply_add(x, float_of_bits(0x3BBB989DU), 0.5F);
  u = u > 0.0F ? (u < 1.0F ? u : 1.0F) : 0.0F;  // saturation; NaN becomes 0
  // fma(u, 252, 12582913) rounded down: the sum's step is 1 there.
  const float j = static_cast<float>(12582913.0 + std::floor(static_cast<double>(u) * 252.0));
  const float k = j + float_of_bits(0xCB40007FU);
  float f = fused_multiply_add(x, float_of_bits(0x3FB8AA3BU), -k);
  f = fused_multiply_add(x, float_of_bits(0x32A57060U), f);
  float r = rounded_ex2(f);
  if (r < float_of_bits(0x00800000U))
    r = 0.0F;  // ftz
  return r * float_of_bits(bits_of(j) << 23U);
}

/// __expf and Triton's tl.exp: one rounded multiplication by log2 e, then ex2 with denormals.
inline float rounded_fast_exp(float x) {
  return rounded_ex2(x * float_of_bits(0x3FB8AA3BU));
}

struct RoundedExp {
  static float accurate(float x) { return rounded_expf(x); }
  static float fast(float x) { return rounded_fast_exp(x); }
  static float triton(float x) { return rounded_fast_exp(x); }
};

struct RoundedOps : ScalarOps {
  template <ExpKind Kind>
  static float exp_nonpositive(float x) {
    return Kind == ExpKind::kAccurate ? rounded_expf(x) : rounded_fast_exp(x);
  }
};

}  // namespace rlverify::kernels::test
