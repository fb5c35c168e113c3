// SPDX-License-Identifier: Apache-2.0
// One file of kernel inputs (spec/documents.md section 7): what a run kept so that its log-probs can be computed again.
// Logits and hidden states stay references into the file, since they are larger than memory should be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "run/number_vector.h"
#include "tensor/pt_reader.h"

namespace rlverify::run {

inline constexpr const char* kLogpInputsSchema = "rlverify.logp_inputs.v1";

/// One sample's rows: this rank's context-parallel piece.
struct LogpInputsSample {
  const tensor::TensorRef* matrix = nullptr;  ///< [tokens, columns] logits or [tokens, hidden size] states
  std::vector<std::int64_t> targets;          ///< [tokens] global token ids
  std::optional<NumberVector> train_log_probs;
  std::optional<NumberVector> rollout_log_probs;
  [[nodiscard]] std::uint64_t tokens() const { return targets.size(); }
};

struct LogpInputsFile {
  std::string name;  ///< as messages call it
  std::unique_ptr<core::ByteSource> source;
  std::unique_ptr<tensor::PtFile> pt;  ///< on the heap: the samples point into it
  std::int64_t rank = 0;
  std::int64_t call_index = 0;
  std::int64_t tensor_parallel_size = 1;
  std::int64_t context_parallel_size = 1;
  double temperature = 1.0;
  std::int64_t real_vocab_size = 0;
  std::int64_t padded_vocab_size = 0;
  bool logits_are_temperature_scaled = false;
  bool has_hidden = false;      ///< hidden states instead of logits
  bool is_local_vocab = false;  ///< the logits are this rank's slice: padded / tensor-parallel size columns
  std::uint64_t columns = 0;    ///< of every matrix; 0 without samples
  tensor::DType dtype = tensor::DType::kFloat32;  ///< of every matrix
  std::string weight_version;                     ///< of hidden states: which weights; empty when the file names none
  std::vector<LogpInputsSample> samples;

  /// Ranks run tensor-parallel first, then context-parallel, then data-parallel (spec/run-artifacts.md section 6).
  [[nodiscard]] std::int64_t tensor_parallel_rank() const { return rank % tensor_parallel_size; }
  [[nodiscard]] std::int64_t context_parallel_rank() const {
    return rank / tensor_parallel_size % context_parallel_size;
  }
  /// The number that the tensor-parallel ranks of one group share.
  [[nodiscard]] std::int64_t tensor_parallel_group() const { return rank / tensor_parallel_size; }
};

/// Reads the payload of `source`; elements of logits and hidden states are not read. Throws core::ArtifactError naming
/// the field for every fault.
[[nodiscard]] LogpInputsFile read_logp_inputs(std::unique_ptr<core::ByteSource> source, std::string name);

}  // namespace rlverify::run
