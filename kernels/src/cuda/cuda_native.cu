// SPDX-License-Identifier: Apache-2.0
// The kernels with the card's own exponentials, in the trees that the frameworks use, and the single ATen operations.
// Compiled without contraction too: a product and a sum that a framework fuses are written as fma in the contract.
#include "contracts/aten_sum.h"
#include "cuda/cuda_launch.cuh"
#include "cuda/cuda_memory.cuh"
#include "cuda/native_exp.h"
#include "rlverify_kernels/native.h"

namespace rlverify::kernels {

namespace {

constexpr int kThreads = 256;

struct IdentityTerm {
  template <class Ops>
  RLV_MEMBER typename Ops::Vector operator()(Ops, typename Ops::Vector z) const {
    return z == negative_infinity() ? 0.0F : z;  // what a sweep puts beyond its columns
  }
};

__global__ void elementwise_kernel(NativeOp op, const float* in, std::int64_t count, float scalar, float* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float x = in[i];
  switch (op) {
    case NativeOp::kExp:
      out[i] = NativeOps::exp_nonpositive<ExpKind::kAccurate>(x);
      return;
    case NativeOp::kLog:
      out[i] = logf(x);
      return;
    case NativeOp::kLogPortable:
      out[i] = log_portable(x);
      return;
    case NativeOp::kDivideByTensor:
      out[i] = __fdiv_rn(x, scalar);
      return;
    default:
      out[i] = __fmul_rn(x, __frcp_rn(scalar));
  }
}

__device__ LogitColumns row_columns(const float* in, std::int64_t columns) {
  LogitColumns row{in + blockIdx.x * columns, LogitTransform{}};
  row.transform.storage = StorageType::kFloat32;
  return row;
}

__global__ void __launch_bounds__(512) sum_kernel(const float* in, std::int64_t columns, AtenSumPlan plan, float* out) {
  __shared__ BlockMemory memory;
  CudaBlock<false, NativeOps> block(memory);
  const int shift = plan.vectorised ? static_cast<int>(blockIdx.x * columns % 4) : 0;
  const float sum = aten_sum(block, row_columns(in, columns), ColumnRange{0, columns}, plan, shift, IdentityTerm{});
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(512) max_kernel(const float* in, std::int64_t columns, float* out) {
  __shared__ BlockMemory memory;
  CudaBlock<false, NativeOps> block(memory);
  const float max = block.maximum(row_columns(in, columns), ColumnRange{0, columns});
  if (threadIdx.x == 0)
    out[blockIdx.x] = max;
}

__global__ void __launch_bounds__(1024) log_softmax_kernel(const float* in, std::int64_t columns, float* out) {
  __shared__ BlockMemory memory;
  CudaBlock<false, NativeOps> block(memory);
  const LogitColumns row = row_columns(in, columns);
  Shape shape;
  shape.real_vocab = shape.padded_vocab = columns;
  const Partial partial =
      VllmGather::partial(block, row, ColumnRange{0, columns}, 0.0F, shape, static_cast<std::int64_t>(blockIdx.x));
  const float log_sum = logf(partial.sum);
  for (std::int64_t c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = (block.column(row, c) - partial.max) - log_sum;
}

constexpr const char* kWhat = "native operation";

int multiprocessors(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), kWhat);
  return count;
}

}  // namespace

LaunchError launch_native(ContractId id, const CudaTask& task) {
  return launch_by_id<NativeOps>(id, task);
}

double peak_memory_bandwidth(int device) {
  int kilohertz = 0;
  int bits = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device), kWhat);
  check(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device), kWhat);
  return 2.0 * 1000.0 * kilohertz * (bits / 8.0);
}

void run_native_op(NativeOp op, const float* in, std::int64_t rows, std::int64_t columns, float scalar, int device,
                   float* out) {
  check(cudaSetDevice(device), kWhat);
  const bool reduces = op == NativeOp::kSum || op == NativeOp::kMax;
  const std::int64_t count = rows * columns;
  const std::int64_t results = reduces ? rows : count;
  const DeviceArray<float> source(count);
  const DeviceArray<float> target(results);
  check(cudaMemcpy(source.get(), in, static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyHostToDevice), kWhat);
  if (op == NativeOp::kSum) {
    const AtenSumPlan plan = aten_sum_plan(rows, columns, multiprocessors(device));
    sum_kernel<<<blocks_of(rows), std::max(32, plan.threads)>>>(source.get(), columns, plan, target.get());
  } else if (op == NativeOp::kMax) {
    max_kernel<<<blocks_of(rows), 512>>>(source.get(), columns, target.get());
  } else if (op == NativeOp::kLogSoftmax) {
    Shape shape;
    shape.real_vocab = columns;
    log_softmax_kernel<<<blocks_of(rows), VllmGather::lanes(shape)>>>(source.get(), columns, target.get());
  } else {
    elementwise_kernel<<<blocks_of(divide_up(count, kThreads)), kThreads>>>(op, source.get(), count, scalar,
                                                                            target.get());
  }
  check(cudaGetLastError(), kWhat);
  check(cudaMemcpy(out, target.get(), static_cast<std::size_t>(results) * sizeof(float), cudaMemcpyDeviceToHost),
        kWhat);
}

}  // namespace rlverify::kernels
