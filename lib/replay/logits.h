// SPDX-License-Identifier: Apache-2.0
// Rows of logits as the kernels take them: slices of the vocabulary put side by side, hidden states multiplied out. A
// piece of rows is held, never a whole tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/inputs.h"
#include "rlverify_kernels/logp.h"
#include "tensor/model.h"

namespace rlverify::replay {

/// [rows, padded vocabulary] logits in memory.
struct Logits {
  std::vector<std::byte> bytes;
  kernels::StorageType type = kernels::StorageType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// The matrix that turns hidden states into logits; read in slices.
class OutputWeight {
 public:
  /// `lm_head.weight` of the weight version of that name or number under `run_path`/weight-updates, else its embedding
  /// (tied). Throws core::ArtifactError saying what is missing.
  OutputWeight(const std::string& run_path, const std::string& version, const run::LogpInputsFile& for_file);

  /// Whether the matrix has a row for every real column of the file and none beyond its padded ones.
  [[nodiscard]] bool fits(const run::LogpInputsFile& file) const {
    return tensor_->ref.shape[1] == file.columns && rows() >= file.real_vocab_size && rows() <= file.padded_vocab_size;
  }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(tensor_->ref.shape[0]); }
  [[nodiscard]] kernels::StorageType type() const { return type_; }
  /// "weight_v000001, lm_head.weight"
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::vector<std::byte> read_rows(std::int64_t first, std::int64_t count) const;

 private:
  std::string name_;
  tensor::Model model_;
  const tensor::ModelTensor* tensor_ = nullptr;
  kernels::StorageType type_ = kernels::StorageType::kBFloat16;
};

/// Reads the rows of one group, piece by piece.
class LogitReader {
 public:
  /// `weight` for groups of hidden states, else null. Both outlive the reader.
  LogitReader(const LoadedGroup& group, const OutputWeight* weight, const kernels::Execution& execution)
      : group_(group), weight_(weight), execution_(execution) {}

  /// Rows that one piece should have, so that its logits take about 32 MiB.
  [[nodiscard]] std::int64_t rows_per_piece() const;
  /// Reads the piece that variants() hands out.
  void read(std::size_t sample, std::int64_t first_row, std::int64_t rows);
  /// The logits of the piece as a system that rounds its product to `product` has them; the same object for all where
  /// logits were kept.
  [[nodiscard]] const Logits& logits(kernels::StorageType product);

 private:
  void read_logits(std::size_t sample, std::int64_t first_row, std::int64_t rows);
  void project(std::size_t sample, std::int64_t first_row, std::int64_t rows);

  const LoadedGroup& group_;
  const OutputWeight* weight_;
  kernels::Execution execution_;
  Logits logits_;                  ///< as kept, or the product in fp32
  std::optional<Logits> rounded_;  ///< the product in bf16
};

/// The storage type of a dtype that read_logp_inputs lets through.
[[nodiscard]] kernels::StorageType storage_type(tensor::DType dtype);
/// One element, widened.
[[nodiscard]] float logit(const Logits& logits, std::int64_t row, std::int64_t column);
/// Makes it -inf.
void exclude(Logits& logits, std::int64_t row, std::int64_t column);

}  // namespace rlverify::replay
