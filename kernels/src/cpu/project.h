// SPDX-License-Identifier: Apache-2.0
// hidden x weight on the CPU: per element one fp32 fma chain over ascending k from +0, the order of RL-Kernel's naive
// deterministic GEMM. Vectors run over tokens, so that each lane is one element's own chain; four columns share a pass
// over k.
#pragma once

#include "arithmetic/storage.h"
#include "cpu/task.h"

namespace rlverify::kernels {

template <class Ops>
class Projector {
 public:
  static void project(const ProjectTask& task, std::int64_t begin, std::int64_t end, float* scratch) {
    for (std::int64_t column = begin; column < end; column += kColumns) {
      const int columns = static_cast<int>(smaller(kColumns, end - column));
      for (int c = 0; c < columns; ++c) {
        const std::int64_t first = (column + c) * task.hidden_size;
        for (std::int64_t k = 0; k < task.hidden_size; ++k) {
          scratch[c * task.hidden_size + k] = load_storage(task.weight, task.weight_type, first + k);
        }
      }
      for (std::int64_t row = 0; row < task.rows; row += kVectors * Ops::kWidth)
        tile(task, scratch, column, columns, row);
    }
  }

 private:
  static constexpr int kColumns = 4;
  static constexpr int kVectors = 4;

  /// `columns` columns of kVectors vectors of rows. Columns past the last one repeat it, and are not stored.
  static void tile(const ProjectTask& task, const float* weight, std::int64_t column, int columns, std::int64_t row) {
    typename Ops::Vector sum[kColumns][kVectors];
    const float* w[kColumns];
    for (int c = 0; c < kColumns; ++c) {
      w[c] = weight + (c < columns ? c : columns - 1) * task.hidden_size;
      for (int v = 0; v < kVectors; ++v)
        sum[c][v] = Ops::splat(0.0F);
    }
    for (std::int64_t k = 0; k < task.hidden_size; ++k) {
      const float* hidden = task.hidden_transposed + k * kProjectRows + row;
      typename Ops::Vector h[kVectors];
      for (int v = 0; v < kVectors; ++v)
        h[v] = Ops::load(hidden + v * Ops::kWidth);
      for (int c = 0; c < kColumns; ++c) {
        const auto weight_k = Ops::splat(w[c][k]);
        for (int v = 0; v < kVectors; ++v)
          sum[c][v] = Ops::fma(h[v], weight_k, sum[c][v]);
      }
    }
    for (int c = 0; c < columns; ++c) {
      alignas(64) float values[static_cast<std::size_t>(kVectors * Ops::kWidth)];
      for (int v = 0; v < kVectors; ++v)
        Ops::store(sum[c][v], values + v * Ops::kWidth);
      const std::int64_t rows = smaller(kVectors * Ops::kWidth, task.rows - row);
      for (std::int64_t r = 0; r < rows; ++r) {
        task.product[(row + r) * task.product_stride + column + c] = round_to_storage(values[r], task.rounding);
      }
    }
  }
};

}  // namespace rlverify::kernels
