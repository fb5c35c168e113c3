// SPDX-License-Identifier: Apache-2.0
// The launches of one contract: grids, blocks, errors.
#pragma once

#include <algorithm>
#include <type_traits>

#include "contracts/dispatch.h"
#include "cuda/cuda_kernels.cuh"

namespace rlverify::kernels {

inline unsigned blocks_of(std::int64_t count) {
  return static_cast<unsigned>(count);
}

template <class Contract, class Ops>
LaunchError launch_contract(const CudaTask& task) {
  if constexpr (std::is_same_v<Contract, Fp64Reference>) {
    fp64_kernel<<<blocks_of(task.rows), Fp64Reference::kLanes>>>(task);
  } else {
    if constexpr (Contract::kGlobalMax)
      global_max_kernel<<<blocks_of(task.rows), kGlobalMaxThreads>>>(task);
    const std::int64_t units = task.rows * task.units;
    const int threads = Contract::kQuadLanes ? kQuadThreads : std::max(32, Contract::lanes(task.shape));
    const std::int64_t blocks = Contract::kQuadLanes ? divide_up(units, kQuadThreads / 4) : units;
    partial_kernel<Contract, Ops><<<blocks_of(blocks), threads>>>(task);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
      return {static_cast<int>(error), "partial sums"};
    merge_kernel<Contract, Ops><<<blocks_of(task.rows), kMergeThreads>>>(task);
    if constexpr (kHasEntropy<Contract>) {
      if (task.entropy != nullptr) {
        const int units_of_entropy = Contract::entropy_units(task.shape);
        const int entropy_threads = std::max(kMergeThreads, Contract::entropy_lanes(task.shape));
        entropy_kernel<Contract, Ops><<<blocks_of(task.rows * units_of_entropy), entropy_threads>>>(task);
        entropy_chain_kernel<<<blocks_of(divide_up(task.rows, 128)), 128>>>(task, units_of_entropy);
      }
    }
  }
  return {static_cast<int>(cudaGetLastError()), "kernel launch"};
}

template <class Ops>
LaunchError launch_by_id(ContractId id, const CudaTask& task) {
  return with_contract(id, [&](auto tag) { return launch_contract<typename decltype(tag)::type, Ops>(task); });
}

}  // namespace rlverify::kernels
