// SPDX-License-Identifier: Apache-2.0
// The two sides inside mismatch sidecars (spec/run-artifacts.md section 6): the log-probs of training (reference)
// against those of rollout (candidate), at the active positions of each sample. For the eye: `validate` judges runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/finding.h"
#include "core/thread_pool.h"
#include "diff/model_diff.h"
#include "diff/positions.h"
#include "diff/tolerances.h"
#include "tensor/difference.h"

namespace rlverify::diff {

/// One sample in one file: the positions that a context-parallel rank owns.
struct SamplePiece {
  std::uint32_t file = 0;  ///< position in SidecarDiff::files
  std::int64_t rank = 0;
  std::int64_t dp = 0;
  std::int64_t cp_rank = 0;
  std::int64_t call = 0;
  std::int64_t sample = 0;  ///< position in the file's lists
  std::int64_t response_length = 0;
  tensor::DType dtype = tensor::DType::kFloat32;
  tensor::Difference difference;  ///< train, rollout; element indices are response positions
  OutsideCount outside;           ///< the same
  std::uint64_t masked = 0;       ///< positions that the loss mask leaves out
  std::uint64_t masked_different = 0;
  std::optional<PositionBins> bins;  ///< when positions are asked for
};

/// A sample with its pieces, of each context-parallel rank those of its first tensor-parallel rank.
struct SampleDiff {
  std::int64_t call = 0;
  std::int64_t dp = 0;
  std::int64_t sample = 0;
  std::int64_t response_length = 0;
  tensor::DType dtype = tensor::DType::kFloat32;
  tensor::Difference difference;
  OutsideCount outside;
  std::uint64_t masked = 0;
  std::uint64_t masked_different = 0;
  std::uint32_t file = 0;  ///< of the piece with the difference that is shown first, else of the first piece
  std::int64_t rank = 0;   ///< the same
  std::optional<PositionBins> bins;
};

struct SidecarDiff {
  std::string path;
  std::vector<std::string> files;
  std::uint64_t files_read = 0;
  std::vector<SampleDiff> samples;  ///< by call, data-parallel rank and place in the file's list
  std::vector<std::size_t> worst;   ///< of those that differ, the worst first
  core::Findings findings;
  Tolerance tolerance;
  std::uint64_t samples_different = 0;
  std::uint64_t samples_outside = 0;
  tensor::Difference total;  ///< of all samples
  std::uint64_t elements_outside = 0;
  std::uint64_t bytes_compared = 0;  ///< of one side

  [[nodiscard]] Answer answer() const;
  [[nodiscard]] core::ExitCode exit_code() const;
  /// The first sample with a difference outside the tolerance, else with any.
  [[nodiscard]] const SampleDiff* first_different() const;
};

struct SidecarOptions {
  Tolerance tolerance;
  bool per_position = false;
  bool show_progress = false;
};

/// Reads one sidecar, or all *.pt files of a folder. Throws core::UsageError when what is there is something else,
/// core::ArtifactError or core::InputError when nothing can be read.
[[nodiscard]] SidecarDiff diff_sidecars(const std::string& path, const SidecarOptions& options, core::ThreadPool& pool);

}  // namespace rlverify::diff
