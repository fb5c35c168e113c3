// SPDX-License-Identifier: Apache-2.0
// The exponentials that the frameworks themselves use on a GPU. All end in MUFU.EX2, whose bits have no public
// description, so this compiles for devices only; the tests' simulator has a correctly rounded ex2 in its place.
#pragma once

#include "cpu/scalar_ops.h"

namespace rlverify::kernels {

/// ScalarOps with the card's exponentials: expf (ATen, RL-Kernel's tiles and merges), __expf (RL-Kernel's strict local
/// scan), Triton's tl.exp (one rounded multiplication by log2 e, then ex2.approx.f32).
struct NativeOps : ScalarOps {
  template <ExpKind Kind>
  RLV_MEMBER static Vector exp_nonpositive(Vector x) {
#if defined(__CUDA_ARCH__)
    if constexpr (Kind == ExpKind::kAccurate) {
      return expf(x);
    } else if constexpr (Kind == ExpKind::kFast) {
      return __expf(x);
    } else {
      float result;
      asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(__fmul_rn(x, 1.4426950408889634F)));
      return result;
    }
#else
    return exp_portable(x);  // never called: the host has no such functions
#endif
  }
};

}  // namespace rlverify::kernels
