// SPDX-License-Identifier: Apache-2.0
// What the CPU backend hands to the code of one instruction set. Plain data and plain functions: the objects compiled
// for AVX2 and AVX-512 share nothing with the others that a linker could pick the wrong copy of.
#pragma once

#include "contracts/shape.h"

namespace rlverify::kernels {

/// One computation, checked and prepared.
struct CpuTask {
  ContractId id = ContractId::kFp64;
  Shape shape;
  LogitTransform transform;
  const void* logits = nullptr;
  std::int64_t row_stride = 0;
  const std::int64_t* targets = nullptr;
  float* logp = nullptr;
  double* logp_fp64 = nullptr;
  float* entropy = nullptr;
};

/// One block of hidden x weight: columns [column_begin, column_end) of `rows` rows.
struct ProjectTask {
  const float* hidden_transposed = nullptr;  // [hidden_size, kProjectRows], 64-byte aligned
  const void* weight = nullptr;              // [columns, hidden_size]
  StorageType weight_type = StorageType::kBFloat16;
  StorageType rounding = StorageType::kFloat32;
  std::int64_t hidden_size = 0;
  std::int64_t rows = 0;
  std::int64_t product_stride = 0;
  float* product = nullptr;
};

/// Rows that one projection block holds: four AVX-512 vectors.
inline constexpr std::int64_t kProjectRows = 64;

/// Entry points of one instruction set.
struct CpuLevel {
  /// Computes rows [begin, end) of a task. `scratch`: scratch_floats() values, 64-byte aligned.
  void (*run_rows)(const CpuTask& task, std::int64_t begin, std::int64_t end, float* scratch);
  /// Computes columns [begin, end) of a product. `scratch`: 4 * hidden_size values, 64-byte aligned.
  void (*project)(const ProjectTask& task, std::int64_t begin, std::int64_t end, float* scratch);
};

CpuLevel scalar_level() noexcept;
CpuLevel avx2_level() noexcept;
CpuLevel avx512_level() noexcept;

/// Partial maxima and sums come first in the scratch space, then the widened row.
RLV_INLINE std::int64_t padded_units(std::int64_t units) {
  return divide_up(units, 16) * 16;
}

}  // namespace rlverify::kernels
