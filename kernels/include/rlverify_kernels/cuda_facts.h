// SPDX-License-Identifier: Apache-2.0
// What the CUDA backend was built with and finds, for people who ask why it can't be used.
#pragma once

#include <string>
#include <vector>

namespace rlverify::kernels {

struct CudaFacts {
  bool built = false;                ///< whether this build has the backend
  std::string toolkit;               ///< "13.0"; empty without the backend
  std::string driver;                ///< the newest CUDA that the driver takes, "13.0"; empty without a driver
  std::vector<std::string> devices;  ///< "NVIDIA H200, compute capability 9.0, 139.8 GiB", by device number
  std::string reason;                ///< why there is no device; empty when there is one
};

[[nodiscard]] CudaFacts cuda_facts();

}  // namespace rlverify::kernels
