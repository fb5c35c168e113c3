// SPDX-License-Identifier: Apache-2.0
// The rows of logp_check --native: what is claimed of ATen on CUDA.
#include <array>

#include "rlverify_kernels/native.h"

namespace rlverify::kernels {

std::span<const NativeOpFacts> native_ops() noexcept {
  static constexpr std::array<NativeOpFacts, 8> kFacts{{
      {NativeOp::kExp, "exp", "torch.exp is CUDA's expf", false},
      {NativeOp::kLog, "log", "torch.log is CUDA's logf", false},
      {NativeOp::kLogPortable, "log", "torch.log is the logarithm that every backend here computes", false},
      {NativeOp::kDivideByTensor, "divide_by_tensor", "tensor / tensor is the IEEE division", false},
      {NativeOp::kDivideByScalar, "divide_by_scalar", "tensor / Python number multiplies by fp32(1/number)", false},
      {NativeOp::kSum, "sum", "torch.sum(dim=-1) has the launch plan and the tree of docs/kernels.md", true},
      {NativeOp::kMax, "max", "torch.max(dim=-1) is the maximum", true},
      {NativeOp::kLogSoftmax, "log_softmax", "log_softmax: 1024 lanes x 4, warp trees, (z - M) - log S", false},
  }};
  return kFacts;
}

}  // namespace rlverify::kernels
