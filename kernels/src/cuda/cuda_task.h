// SPDX-License-Identifier: Apache-2.0
// What the host side of the CUDA backend hands to the two files of kernels: portable arithmetic, and the hardware's.
#pragma once

#include "contracts/shape.h"

namespace rlverify::kernels {

/// One launch: device pointers and sizes.
struct CudaTask {
  Shape shape;
  LogitTransform transform;
  const void* logits = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t rows = 0;
  int units = 1;
  const std::int64_t* targets = nullptr;
  float* maxima = nullptr;         // [rows, units]
  float* sums = nullptr;           // [rows, units]
  float* global_maxima = nullptr;  // [rows]
  float* logp = nullptr;           // [rows]
  double* logp_fp64 = nullptr;     // [rows]
  float* entropy = nullptr;        // [rows]; null where it isn't wanted
  float* entropy_parts = nullptr;  // [rows, ranks]
};

/// The first CUDA error of a launch and where it came up; 0 for none.
struct LaunchError {
  int code = 0;
  const char* what = "";
};
/// Launches the kernels of contract `id` on the current device, with the portable arithmetic.
LaunchError launch_portable(ContractId id, const CudaTask& task);
/// The same with the card's own exponentials: expf, __expf, ex2.approx.
LaunchError launch_native(ContractId id, const CudaTask& task);

}  // namespace rlverify::kernels
