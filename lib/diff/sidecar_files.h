// SPDX-License-Identifier: Apache-2.0
// The files of `diff SIDECAR` (internal to diff/sidecar_diff.h): which there are, what each holds, which are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/sidecar_diff.h"

namespace rlverify::diff {

/// Where a file stands among the others, as its payload says.
struct SidecarRank {
  std::int64_t call = 0;
  std::int64_t rank = 0;
  std::int64_t tensor_parallel_size = 1;
  std::int64_t context_parallel_size = 1;
};

struct SidecarFileResult {
  std::vector<SamplePiece> pieces;
  std::vector<core::Problem> problems;
  std::optional<SidecarRank> rank;
  bool readable = false;
  bool other_kind = false;  ///< a file of torch.save that isn't a sidecar
};

/// The path itself, or the *.pt files of a folder, by name. Throws core::InputError for a folder that can't be listed.
[[nodiscard]] std::vector<std::string> list_sidecars(const std::string& path);

/// Reads one file and compares its samples; faults are kept.
[[nodiscard]] SidecarFileResult compare_file(const std::string& path, std::uint32_t file_index,
                                             const SidecarOptions& options);

/// Throws where no file could be read: core::InputError without any, core::UsageError where they are something else,
/// core::ArtifactError for the first fault.
void require_sidecars(const std::string& path, const std::vector<SidecarFileResult>& results);

/// RLV-415 for each rank of a folder's data-parallel groups that left no readable file of a call in which another rank
/// of its group did. A missing context-parallel rank's positions were not compared at all.
void report_missing_ranks(const std::string& path, const std::vector<SidecarFileResult>& results,
                          core::Findings& findings);

}  // namespace rlverify::diff
