// SPDX-License-Identifier: Apache-2.0
// The CUDA backend of a build without nvcc: always absent, and says why.
#include "cuda/cuda_backend.h"
#include "rlverify_kernels/cuda_facts.h"
#include "rlverify_kernels/native.h"

namespace rlverify::kernels {

double run_on_cuda(ContractId, const Prepared&, const void*, const LogpInput&, const Execution&, const LogpOutput&) {
  throw KernelError(ErrorKind::kNoDevice, cuda_status(0).reason);
}

void run_native_op(NativeOp, const float*, std::int64_t, std::int64_t, float, int, float*) {
  throw KernelError(ErrorKind::kNoDevice, cuda_status(0).reason);
}

double peak_memory_bandwidth(int) {
  throw KernelError(ErrorKind::kNoDevice, cuda_status(0).reason);
}

BackendStatus cuda_status(int) {
  return {false, "", "this build has no CUDA backend (it was built without nvcc)"};
}

CudaFacts cuda_facts() {
  CudaFacts facts;
  facts.reason = cuda_status(0).reason;
  return facts;
}

}  // namespace rlverify::kernels
