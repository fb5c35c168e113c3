// SPDX-License-Identifier: Apache-2.0
// Three kernels per contract: the maximum over all ranks (only where the contract needs it first), one block per unit
// for the partial sums, one block per row for the merge.
#pragma once

#include "contracts/fp64.h"
#include "cuda/cuda_block.cuh"
#include "cuda/cuda_task.h"

namespace rlverify::kernels {

inline constexpr int kMergeThreads = 64;
inline constexpr int kGlobalMaxThreads = 512;
inline constexpr int kQuadThreads = 128;  // 32 groups of four

__device__ __forceinline__ LogitColumns columns_of(const CudaTask& task, std::int64_t row) {
  const std::int64_t bytes = task.transform.storage == StorageType::kFloat32 ? 4 : 2;
  return {static_cast<const char*>(task.logits) + row * task.row_stride * bytes, task.transform};
}

static __global__ void __launch_bounds__(kGlobalMaxThreads) global_max_kernel(CudaTask task) {
  __shared__ BlockMemory memory;
  CudaBlock<false> block(memory);
  const std::int64_t row = blockIdx.x;
  const float max = block.maximum(columns_of(task, row), ColumnRange{0, task.shape.padded_vocab});
  if (threadIdx.x == 0)
    task.global_maxima[row] = max;
}

/// `Ops`: whose exponentials (cuda_block.cuh).
template <class Contract, class Ops>
__global__ void __launch_bounds__(Contract::kMaxThreads, 1) partial_kernel(CudaTask task) {
  __shared__ BlockMemory memory;
  CudaBlock<Contract::kQuadLanes, Ops> block(memory);
  const std::int64_t groups = Contract::kQuadLanes ? kQuadThreads / 4 : 1;
  const std::int64_t index = blockIdx.x * groups + (Contract::kQuadLanes ? threadIdx.x / 4 : 0);
  if (index >= task.rows * task.units)
    return;  // whole groups of four leave together
  const std::int64_t row = index / task.units;
  const int unit = static_cast<int>(index % task.units);
  const float global_max = Contract::kGlobalMax ? task.global_maxima[row] : 0.0F;
  const Partial partial = Contract::partial(block, columns_of(task, row), Contract::unit(task.shape, unit), global_max,
                                            task.shape, task.shape.first_batch_row + row);
  if (block.lane() != 0)
    return;
  task.maxima[index] = partial.max;
  task.sums[index] = partial.sum;
}

template <class Contract, class Ops>
__global__ void __launch_bounds__(kMergeThreads) merge_kernel(CudaTask task) {
  __shared__ BlockMemory memory;
  CudaBlock<false, Ops> block(memory);
  const std::int64_t row = blockIdx.x;
  MergeInput in;
  in.maxima = task.maxima + row * task.units;
  in.sums = task.sums + row * task.units;
  in.units = task.units;
  in.batch_row = task.shape.first_batch_row + row;
  in.global_max = Contract::kGlobalMax ? task.global_maxima[row] : 0.0F;
  const LogitColumns columns = columns_of(task, row);
  describe_target(in, task.targets[row], task.shape, columns.row, columns.transform);
  const float logp = canonical(Contract::merge(block, in, task.shape));
  if (threadIdx.x != 0)
    return;
  task.logp[row] = logp;
  task.logp_fp64[row] = canonical(static_cast<double>(logp));
}

/// One block per row and unit of the entropy; each block computes the row's log-sum-exp again.
template <class Contract, class Ops>
__global__ void __launch_bounds__(Contract::kEntropyThreads, 1) entropy_kernel(CudaTask task) {
  __shared__ BlockMemory memory;
  CudaBlock<false, Ops> block(memory);
  const int units = Contract::entropy_units(task.shape);
  const std::int64_t row = blockIdx.x / units;
  MergeInput in;
  in.maxima = task.maxima + row * task.units;
  in.sums = task.sums + row * task.units;
  in.units = task.units;
  const EntropyInput input{Contract::log_sum_exp(block, in, task.shape), in.maxima[0], in.sums[0]};
  const float part = Contract::entropy_partial(block, columns_of(task, row), static_cast<int>(blockIdx.x % units),
                                               input, task.shape, task.shape.first_batch_row + row);
  if (threadIdx.x == 0)
    task.entropy_parts[blockIdx.x] = part;
}

/// The units' parts from left to right, a thread per row.
static __global__ void entropy_chain_kernel(CudaTask task, int units) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= task.rows)
    return;
  const float* parts = task.entropy_parts + row * units;
  float entropy = parts[0];
  for (int unit = 1; unit < units; ++unit)
    entropy = entropy + parts[unit];
  task.entropy[row] = canonical(entropy);
}

static __global__ void __launch_bounds__(Fp64Reference::kLanes) fp64_kernel(CudaTask task) {
  __shared__ BlockMemory memory;
  CudaBlock<false> block(memory);
  const std::int64_t row = blockIdx.x;
  const LogitColumns columns = columns_of(task, row);
  const double logp = Fp64Reference::logp(block, columns.row, columns.transform, task.targets[row], task.shape);
  if (threadIdx.x != 0)
    return;
  task.logp_fp64[row] = logp;
  task.logp[row] = canonical(static_cast<float>(logp));
}

}  // namespace rlverify::kernels
