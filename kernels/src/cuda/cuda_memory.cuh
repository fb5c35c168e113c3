// SPDX-License-Identifier: Apache-2.0
// Calls that are checked and device memory that frees itself, for host code of the CUDA backend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "rlverify_kernels/types.h"

namespace rlverify::kernels {

/// Throws KernelError where a CUDA call failed; `what` names the call.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess)
    return;
  const ErrorKind kind = error == cudaErrorMemoryAllocation ? ErrorKind::kOutOfMemory : ErrorKind::kDevice;
  throw KernelError(kind, std::string(what) + ": " + cudaGetErrorString(error));
}

struct FreeDevice {
  // A failing free has no one to tell; the error that led here is already on its way.
  void operator()(void* p) const { static_cast<void>(cudaFree(p)); }
};

/// Memory on the current device for `count` elements.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) {
    void* p = nullptr;
    check(cudaMalloc(&p, static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T)), "cudaMalloc");
    memory_.reset(p);
  }
  T* get() const { return static_cast<T*>(memory_.get()); }

 private:
  std::unique_ptr<void, FreeDevice> memory_;
};

}  // namespace rlverify::kernels
