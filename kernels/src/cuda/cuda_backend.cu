// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: memory, launches and times. Rows go to the device in pieces that fit its memory; a row's bits do
// not depend on the piece it is in. Every call is checked.
#include <algorithm>
#include <string>

#include "contracts/dispatch.h"
#include "cuda/cuda_backend.h"
#include "cuda/cuda_memory.cuh"
#include "cuda/cuda_task.h"

namespace rlverify::kernels {

namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { check(cudaEventRecord(event_), "cudaEventRecord"); }
  double microseconds_since(const Event& start) const {
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return 1000.0 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Rows whose logits fit half of the free device memory, and no launch above 2^30 blocks.
std::int64_t rows_per_piece(std::int64_t row_bytes, int units, std::int64_t rows) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::int64_t fitting = static_cast<std::int64_t>(free_bytes / 2) / std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t launchable = (std::int64_t{1} << 30) / units;
  return std::clamp<std::int64_t>(std::min(fitting, launchable), 1, std::max<std::int64_t>(rows, 1));
}

void copy_back(const LogpOutput& output, const CudaTask& task, std::int64_t row) {
  const auto count = static_cast<std::size_t>(task.rows);
  if (output.logp != nullptr) {
    check(cudaMemcpy(output.logp + row, task.logp, count * sizeof(float), cudaMemcpyDeviceToHost),
          "copy of the results");
  }
  if (output.logp_fp64 != nullptr) {
    check(cudaMemcpy(output.logp_fp64 + row, task.logp_fp64, count * sizeof(double), cudaMemcpyDeviceToHost),
          "copy of the results");
  }
  if (output.entropy != nullptr) {
    check(cudaMemcpy(output.entropy + row, task.entropy, count * sizeof(float), cudaMemcpyDeviceToHost),
          "copy of the results");
  }
}

}  // namespace

double run_on_cuda(ContractId id, const Prepared& prepared, const void* logits, const LogpInput& input,
                   const Execution& execution, const LogpOutput& output) {
  check(cudaSetDevice(execution.device), "cudaSetDevice");
  CudaTask task;
  task.transform = prepared.transform;
  task.shape = prepared.shape;
  task.row_stride = prepared.shape.padded_vocab;
  task.units = units_of(id, prepared.shape);
  const std::int64_t element = storage_bytes(prepared.transform.storage);
  const std::int64_t row_bytes = task.row_stride * element;
  const std::int64_t piece = rows_per_piece(row_bytes, task.units, input.rows);

  const DeviceArray<unsigned char> device_logits(piece * row_bytes);
  const DeviceArray<std::int64_t> targets(piece);
  const DeviceArray<float> maxima(piece * task.units);
  const DeviceArray<float> sums(piece * task.units);
  const DeviceArray<float> global_maxima(piece);
  const DeviceArray<float> logp(piece);
  const DeviceArray<double> logp_fp64(piece);
  const DeviceArray<float> entropy(output.entropy == nullptr ? 0 : piece);
  const DeviceArray<float> entropy_parts(output.entropy == nullptr ? 0 : piece * prepared.shape.ranks);
  task.logits = device_logits.get();
  task.targets = targets.get();
  task.maxima = maxima.get();
  task.sums = sums.get();
  task.global_maxima = global_maxima.get();
  task.logp = logp.get();
  task.logp_fp64 = logp_fp64.get();
  task.entropy = output.entropy == nullptr ? nullptr : entropy.get();
  task.entropy_parts = entropy_parts.get();

  Event start;
  Event stop;
  double microseconds = 0.0;
  for (std::int64_t row = 0; row < input.rows; row += piece) {
    task.rows = std::min(piece, input.rows - row);
    task.shape.first_batch_row = prepared.shape.first_batch_row + row;
    const char* source = static_cast<const char*>(logits) + row * prepared.row_stride * element;
    check(cudaMemcpy2D(device_logits.get(), static_cast<std::size_t>(row_bytes), source,
                       static_cast<std::size_t>(prepared.row_stride * element), static_cast<std::size_t>(row_bytes),
                       static_cast<std::size_t>(task.rows), cudaMemcpyHostToDevice),
          "copy of the logits");
    check(cudaMemcpy(targets.get(), input.targets + row, static_cast<std::size_t>(task.rows) * sizeof(std::int64_t),
                     cudaMemcpyHostToDevice),
          "copy of the targets");
    start.record();
    const LaunchError error = execution.native ? launch_native(id, task) : launch_portable(id, task);
    check(static_cast<cudaError_t>(error.code), error.what);
    stop.record();
    microseconds += stop.microseconds_since(start);
    copy_back(output, task, row);
  }
  return microseconds;
}

BackendStatus cuda_status(int device) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess)
    return {false, "", std::string("no CUDA device: ") + cudaGetErrorString(error)};
  if (device < 0 || device >= count) {
    return {false, "", "no CUDA device " + std::to_string(device) + " (there are " + std::to_string(count) + ")"};
  }
  cudaDeviceProp properties{};
  const cudaError_t query = cudaGetDeviceProperties(&properties, device);
  if (query != cudaSuccess)
    return {false, "", std::string("CUDA device can't be read: ") + cudaGetErrorString(query)};
  return {true, properties.name, ""};
}

}  // namespace rlverify::kernels
