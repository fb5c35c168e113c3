// SPDX-License-Identifier: Apache-2.0
// The one call of the kernels: selected-token log-probabilities of some rows, the way one contract computes them.
// Pointers, shapes and types in; numbers out. Works on host memory; the backend moves what it must.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rlverify_kernels/contracts.h"
#include "rlverify_kernels/types.h"

namespace rlverify::kernels {

/// Rows to compute. Either `logits`, or `hidden` and `weight`; all pointers are host memory that the caller owns.
struct LogpInput {
  const void* logits = nullptr;  ///< [rows, logits_row_stride], `padded_vocab_size` columns of each row are read
  StorageType logits_type = StorageType::kFloat32;
  std::int64_t logits_row_stride = 0;  ///< elements from row to row; 0 means padded_vocab_size

  const void* hidden = nullptr;  ///< [rows, hidden_size], contiguous
  const void* weight = nullptr;  ///< [padded_vocab_size, hidden_size], contiguous (lm_head.weight)
  StorageType hidden_type = StorageType::kBFloat16;
  StorageType weight_type = StorageType::kBFloat16;
  std::int64_t hidden_size = 0;
  std::optional<StorageType> product_type;  ///< rounding of hidden x weight; empty means the contract's own

  const std::int64_t* targets = nullptr;  ///< [rows], global token ids
  std::int64_t rows = 0;
  std::int64_t real_vocab_size = 0;
  std::int64_t padded_vocab_size = 0;
  double temperature = 1.0;
  int tensor_parallel_size = 1;  ///< 1, 2, 4 or 8 ranks, simulated on one device
  CollectiveSetting collective;

  /// The batch these rows were part of. Some systems' bits depend on the number of rows in the call and on a row's
  /// place in it; rows computed here in pieces give the same bits as long as these two say where they stood.
  std::int64_t batch_rows = 0;       ///< 0 means rows
  std::int64_t first_batch_row = 0;  ///< place of row 0 in that batch
  int multiprocessors = 132;         ///< of the GPU whose torch.sum is followed (H100, H200: 132)
};

/// Where and how to run. Nothing here but `native` changes a bit of the result.
struct Execution {
  Backend backend = Backend::kCpu;
  int device = 0;                 ///< CUDA device number
  int threads = 0;                ///< CPU threads; 0 means all
  std::optional<SimdLevel> simd;  ///< CPU instruction set; empty means the best one
  /// cuda: the card's own exponentials (expf, __expf, ex2.approx) in place of the portable one, for the bits of a
  /// framework on the same card. torch: ATen on CUDA device `device` instead of the CPU.
  bool native = false;
};

/// Where the results go; a null pointer is skipped.
struct LogpOutput {
  float* logp = nullptr;        ///< [rows] fp32; NaN is always 0x7FC00000
  double* logp_fp64 = nullptr;  ///< [rows] the same widened, or the full fp64 value of the reference contract
  float* entropy = nullptr;     ///< [rows] of the distribution, by contracts that have one; not on the torch backend
};

/// How a computation was done, for reports.
struct ExecutionReport {
  Backend backend = Backend::kCpu;
  std::string device;         ///< processor or GPU name
  std::string exactness;      ///< one sentence: what these bits are equal to
  double microseconds = 0.0;  ///< wall time of the computation (GPU: kernels between two events)
};

/// Computes `input.rows` selected-token log-probs by contract `id` and writes them to `output`.
/// A target that the system rejects or reads out of bounds gives NaN; a target it silently accepts gives what it
/// computes. Throws KernelError: kInvalidInput for shapes the contract does not allow, kUnsupported, kNoDevice,
/// kOutOfMemory, kDevice.
ExecutionReport compute_logp(ContractId id, const LogpInput& input, const Execution& execution,
                             const LogpOutput& output);

/// Computes hidden x weight of `input` into `product` ([rows, padded_vocab_size] fp32 values, rounded to `rounding`):
/// per element one fp32 fma chain over ascending k, starting from +0 (docs/kernels.md, "Hidden states").
void project_logits(const LogpInput& input, StorageType rounding, const Execution& execution, float* product);

/// `value` rounded to what `type` holds (nearest, ties to even; NaN becomes 0x7FC00000) and widened again: for sides
/// that kept their log-probs in bf16 or fp16.
[[nodiscard]] float rounded_to(float value, StorageType type) noexcept;

/// Whether a backend can be used here, and the reason when it can't.
struct BackendStatus {
  bool available = false;
  std::string device;  ///< processor or GPU name
  std::string reason;  ///< empty when available
};
[[nodiscard]] BackendStatus backend_status(Backend backend, int device = 0);

/// The SIMD levels that this build holds and this processor runs, scalar first.
[[nodiscard]] std::vector<SimdLevel> simd_levels();

/// Whether `backend` can run contract `id`; else the reason.
[[nodiscard]] std::string unsupported_reason(ContractId id, Backend backend);

}  // namespace rlverify::kernels
