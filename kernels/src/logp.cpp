// SPDX-License-Identifier: Apache-2.0
// compute_logp: checks, multiplies hidden states out where there are no logits, and hands over to a backend.
#include "rlverify_kernels/logp.h"

#include <algorithm>
#include <chrono>

#include "arithmetic/storage.h"
#include "cpu/cpu_backend.h"
#include "cpu/task.h"
#include "cuda/cuda_backend.h"
#include "rlverify_kernels/native.h"
#include "torch/torch_loader.h"

namespace rlverify::kernels {

namespace {

constexpr const char* kSharedArithmetic =
    "the contract's order with the portable exponential and CUDA's logf: the same bits on cpu and cuda, not the bits "
    "of the system's own "
    "hardware exponential";
constexpr const char* kAtenGpuExactness = "ATen's own operations on this GPU";
constexpr const char* kNativeExactness =
    "the contract's order with this card's own exponentials: meant to be the system's bits on the same card, and "
    "confirmed "
    "by nothing but logp_check --native there";
constexpr const char* kFp64Exactness = "fp64 reference; the same bits on cpu and cuda";
constexpr const char* kAtenExactness =
    "ATen's own operations on this CPU; its sums and exponentials differ from ATen's on CUDA";

/// Runs one backend on logits in memory and returns microseconds.
double run(const Contract& entry, const LogpInput& input, const void* logits, StorageType memory_type,
           StorageType logical_type, const Execution& execution, const LogpOutput& output) {
  if (execution.backend == Backend::kTorch)
    return run_on_torch(entry, input, logits, memory_type, execution, output);
  const Prepared prepared = prepare(entry, input, memory_type, logical_type);
  if (execution.backend == Backend::kCuda)
    return run_on_cuda(entry.id, prepared, logits, input, execution, output);
  const auto start = std::chrono::steady_clock::now();
  run_on_cpu(entry.id, prepared, logits, input, execution, output);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Hidden x weight in blocks of rows: a block of logits in memory, then the contract on it.
double run_from_hidden(const Contract& entry, const LogpInput& input, const Execution& execution,
                       const LogpOutput& output) {
  const StorageType rounding = input.product_type.value_or(entry.product_type);
  std::vector<float> product(static_cast<std::size_t>(std::min(input.rows, kProjectRows) * input.padded_vocab_size));
  double microseconds = 0.0;
  for (std::int64_t row = 0; row < input.rows; row += kProjectRows) {
    LogpInput block = input;
    block.rows = std::min(kProjectRows, input.rows - row);
    block.targets = input.targets + row;
    block.batch_rows = input.batch_rows == 0 ? input.rows : input.batch_rows;
    block.first_batch_row = input.first_batch_row + row;
    block.logits_row_stride = 0;
    project_on_cpu(input, row, block.rows, rounding, execution, product.data());
    const LogpOutput place{output.logp == nullptr ? nullptr : output.logp + row,
                           output.logp_fp64 == nullptr ? nullptr : output.logp_fp64 + row,
                           output.entropy == nullptr ? nullptr : output.entropy + row};
    microseconds += run(entry, block, product.data(), StorageType::kFloat32, rounding, execution, place);
  }
  return microseconds;
}

const char* exactness_of(const Contract& entry, const Execution& execution) {
  if (execution.backend == Backend::kTorch)
    return execution.native ? kAtenGpuExactness : kAtenExactness;
  if (entry.result_is_fp64)
    return kFp64Exactness;
  return execution.native ? kNativeExactness : kSharedArithmetic;
}

void check_entropy(const Contract& entry, const LogpInput& input, const Execution& execution,
                   const LogpOutput& output) {
  if (output.entropy == nullptr)
    return;
  if (!entry.has_entropy || execution.backend == Backend::kTorch)
    throw KernelError(ErrorKind::kUnsupported, std::string(entry.name) + " has no entropy on this backend");
  if (!entry.needs_retained_set && input.padded_vocab_size % input.tensor_parallel_size != 0)
    throw KernelError(ErrorKind::kInvalidInput, std::string(entry.name) + ": the entropy is summed per rank, and " +
                                                    std::to_string(input.tensor_parallel_size) +
                                                    " ranks do not divide the padded vocabulary");
}

}  // namespace

ExecutionReport compute_logp(ContractId id, const LogpInput& input, const Execution& execution,
                             const LogpOutput& output) {
  const Contract& entry = contract(id);
  check_input(entry, input);
  const std::string unsupported = unsupported_reason(id, execution.backend);
  if (!unsupported.empty())
    throw KernelError(ErrorKind::kUnsupported, unsupported);
  if (execution.native && execution.backend == Backend::kCpu)
    throw KernelError(ErrorKind::kUnsupported, "the native flavour needs a GPU: only a card has its own exponentials");
  check_entropy(entry, input, execution, output);
  const BackendStatus status = backend_status(execution.backend, execution.device);
  if (!status.available)
    throw KernelError(ErrorKind::kNoDevice, status.reason);

  ExecutionReport report;
  report.backend = execution.backend;
  report.device = status.device;
  if (execution.native && execution.backend == Backend::kTorch)
    report.device = aten_name() + " on GPU " + std::to_string(execution.device);
  report.exactness = exactness_of(entry, execution);
  if (input.rows == 0)
    return report;
  report.microseconds = input.logits != nullptr
                            ? run(entry, input, input.logits, input.logits_type, input.logits_type, execution, output)
                            : run_from_hidden(entry, input, execution, output);
  return report;
}

void project_logits(const LogpInput& input, StorageType rounding, const Execution& execution, float* product) {
  LogpInput checked = input;
  checked.logits = nullptr;
  check_input(contract(ContractId::kFp64), checked);
  for (std::int64_t row = 0; row < input.rows; row += kProjectRows) {
    const std::int64_t rows = std::min(kProjectRows, input.rows - row);
    project_on_cpu(checked, row, rows, rounding, execution, product + row * input.padded_vocab_size);
  }
}

float rounded_to(float value, StorageType type) noexcept {
  return canonical(round_to_storage(value, type));
}

BackendStatus backend_status(Backend backend, int device) {
  switch (backend) {
    case Backend::kCpu:
      return {true, cpu_name(), ""};
    case Backend::kCuda:
      return cuda_status(device);
    case Backend::kTorch:
      return torch_status();
  }
  return {false, "", "unknown backend"};
}

std::string unsupported_reason(ContractId id, Backend backend) {
  return backend == Backend::kTorch ? torch_unsupported_reason(id) : std::string();
}

}  // namespace rlverify::kernels
