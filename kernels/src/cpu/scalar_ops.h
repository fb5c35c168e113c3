// SPDX-License-Identifier: Apache-2.0
// Vector operations of width one: the CPU backend without Highway, and the yardstick that the vectors are tested
// against.
#pragma once

#include "arithmetic/exp_log.h"
#include "arithmetic/storage.h"
#include "contracts/shape.h"

namespace rlverify::kernels {

struct ScalarOps {
  using Vector = float;
  static constexpr int kWidth = 1;

  RLV_MEMBER static Vector load(const float* p) { return *p; }
  RLV_MEMBER static void store(Vector v, float* p) { *p = v; }
  /// z[e] of lane i is p[i*Elements + e].
  template <int Elements>
  RLV_MEMBER static void load_lanes(const float* p, Vector* z) {
    for (int e = 0; e < Elements; ++e)
      z[e] = p[e];
  }
  /// The same from bf16.
  template <int Elements>
  RLV_MEMBER static void load_lanes_bf16(const std::uint16_t* p, Vector* z) {
    for (int e = 0; e < Elements; ++e)
      z[e] = widen_bf16(p[e]);
  }
  RLV_MEMBER static Vector splat(float value) { return value; }
  RLV_MEMBER static Vector add(Vector a, Vector b) { return a + b; }
  RLV_MEMBER static Vector subtract(Vector a, Vector b) { return a - b; }
  RLV_MEMBER static Vector multiply(Vector a, Vector b) { return a * b; }
  RLV_MEMBER static Vector fma(Vector a, Vector b, Vector c) { return fused_multiply_add(a, b, c); }
  /// Larger of the two; `z` is dropped when it is NaN. The sign of a zero is not defined.
  RLV_MEMBER static Vector maximum(Vector running, Vector z) { return z > running ? z : running; }
  RLV_MEMBER static float max_of_lanes(Vector v) { return v; }
  /// exp_portable for x <= 0 or NaN.
  template <ExpKind>
  RLV_MEMBER static Vector exp_nonpositive(Vector x) {
    return exp_portable(x);
  }
};

}  // namespace rlverify::kernels
