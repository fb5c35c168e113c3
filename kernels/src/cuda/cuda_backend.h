// SPDX-License-Identifier: Apache-2.0
// The CUDA backend behind a plain interface; where nvcc is absent, no_cuda.cpp says so instead.
#pragma once

#include "prepare.h"
#include "rlverify_kernels/logp.h"

namespace rlverify::kernels {

/// Computes a prepared problem on `execution.device`; returns the kernels' own microseconds. Throws KernelError.
double run_on_cuda(ContractId id, const Prepared& prepared, const void* logits, const LogpInput& input,
                   const Execution& execution, const LogpOutput& output);

/// Whether device `device` can be used, and its name.
[[nodiscard]] BackendStatus cuda_status(int device);

}  // namespace rlverify::kernels
