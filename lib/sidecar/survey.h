// SPDX-License-Identifier: Apache-2.0
// Reduces each sidecar to what judging needs: per shard a digest (for replicas) and the statistics of its active
// elements. Files are surveyed one at a time, so memory doesn't grow with their sizes, and independently, so they can
// be spread over threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/sha256.h"
#include "run/sidecar_file.h"
#include "sidecar/cp_slice.h"
#include "sidecar/log_prob_statistics.h"
#include "sidecar/mismatch_series.h"

namespace rlverify::sidecar {

/// One rank's piece of one sample.
struct Shard {
  std::int64_t dp = 0;
  std::int64_t call = 0;
  std::int64_t sample = 0;  ///< position in the file's lists
  std::int64_t cp_rank = 0;
  std::int64_t rank = 0;
  std::uint32_t file = 0;  ///< position in the survey
  std::int64_t total_length = 0;
  std::int64_t response_length = 0;
  core::Sha256Digest digest{};        ///< of dtypes, elements, sliced mask and lengths
  core::Sha256Digest active_train{};  ///< of the active elements of one side alone: what a train dump is held against
  core::Sha256Digest active_rollout{};
  std::vector<std::uint8_t> active;  ///< one byte per owned position, non-zero where active; empty when all are
  enum class State { kCompared, kShapeDiffers, kDtypeDiffers, kMaskLengthDiffers, kNotReal } state = State::kCompared;
  std::uint64_t train_count = 0;
  std::uint64_t rollout_count = 0;
  std::uint64_t slice_count = 0;  ///< positions this rank owns
  tensor::DType train_dtype = tensor::DType::kFloat32;
  tensor::DType rollout_dtype = tensor::DType::kFloat32;
  LogProbStatistics statistics;
  std::int64_t unmasked_mismatch_count = 0;  ///< as the log's scalars count: the mask ignored
};

/// SHA-256 of the elements of `values` (each `element_bytes` long) where `active` is non-zero; of all of them when it
/// is empty. `hash` is a fresh one and is one again afterwards.
[[nodiscard]] core::Sha256Digest active_digest(std::span<const std::byte> values, std::size_t element_bytes,
                                               std::span<const std::uint8_t> active, core::Sha256& hash);

struct SurveyedFile {
  std::string name;
  std::optional<core::Problem> problem;  ///< the file doesn't count (rules K2-K8)
  std::optional<core::Problem> damage;   ///< its bytes aren't those that were written; the public reader doesn't look
  std::int64_t rank = -1;
  std::int64_t call_index = -1;
  std::uint64_t bytes = 0;
  std::uint64_t tensors = 0;
  std::vector<Shard> shards;  ///< in list order
  FileMismatches mismatches;  ///< active elements that differ
};

struct Layout {
  std::int64_t tensor_parallel_size = 1;
  std::int64_t context_parallel_size = 1;
};

/// Surveys one sidecar. Faults become `problem`. Sizes in the payload must agree with `layout` (rule K4).
[[nodiscard]] SurveyedFile survey_sidecar(std::unique_ptr<core::ByteSource> source, std::string name,
                                          const Layout& layout);

}  // namespace rlverify::sidecar
