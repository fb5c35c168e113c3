// SPDX-License-Identifier: Apache-2.0
// The kernels with the portable arithmetic: the CPU backend's bits.
#include "cuda/cuda_launch.cuh"

namespace rlverify::kernels {

LaunchError launch_portable(ContractId id, const CudaTask& task) {
  return launch_by_id<ScalarOps>(id, task);
}

}  // namespace rlverify::kernels
