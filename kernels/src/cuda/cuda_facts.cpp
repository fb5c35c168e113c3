// SPDX-License-Identifier: Apache-2.0
// Host calls of the CUDA runtime only, so that the host compiler's own warnings hold here.
#include "rlverify_kernels/cuda_facts.h"

#include <cuda_runtime_api.h>

#include <cstdio>

namespace rlverify::kernels {

namespace {

/// CUDA writes 13.1 as 13010.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
  return text;
}

std::string device_text(int device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess)
    return std::string("can't be read: ") + cudaGetErrorString(error);
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", " + gibibytes(properties.totalGlobalMem);
}

}  // namespace

CudaFacts cuda_facts() {
  CudaFacts facts;
  facts.built = true;
  facts.toolkit = version_text(CUDART_VERSION);
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
    facts.driver = version_text(version);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    facts.reason = cudaGetErrorString(error);
    return facts;
  }
  for (int device = 0; device < count; ++device)
    facts.devices.push_back(device_text(device));
  if (facts.devices.empty())
    facts.reason = "there is no CUDA device";
  return facts;
}

}  // namespace rlverify::kernels
