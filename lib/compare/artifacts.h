// SPDX-License-Identifier: Apache-2.0
// The files of a run directory with their sizes and digests: what `seal` keeps and `check-seal` holds them against
// (spec/documents.md section 4). Weight files are covered by the digests of their tensors, so only their headers are
// hashed here: every byte is hashed once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "core/finding.h"
#include "core/progress.h"
#include "core/thread_pool.h"
#include "core/value.h"

namespace rlverify::compare {

/// The record's name inside its run, unless told otherwise.
inline constexpr const char* kRecordName = "rlverify-record.json";

struct Artifact {
  std::uint64_t bytes = 0;
  std::string sha256;         ///< of the whole file; empty for a weight file
  std::string header_sha256;  ///< of a weight file's header; empty for others
};
/// By path inside the run.
using Artifacts = std::map<std::string, Artifact>;

/// Paths inside the run of all its artifacts, sorted: every file at any depth (links are followed), apart from the
/// record itself (`record_path` and rlverify-record.json), run-validation.json, COMPLETE and hidden files. Throws
/// core::InputError for a folder that can't be listed and for a link that leads nowhere.
[[nodiscard]] std::vector<std::string> list_artifacts(const std::string& run_path, const std::string& record_path);

/// Hashes the files at `paths`, large ones first, spread over the pool; those of `weight_files` (by path inside the
/// run) are taken over. Throws core::ArtifactError for a file that can't be read.
[[nodiscard]] Artifacts hash_artifacts(const std::string& run_path, const std::vector<std::string>& paths,
                                       const std::map<std::string, SealedWeightFile>& weight_files,
                                       core::ThreadPool& pool, core::Progress* progress);

/// Sum of the sizes of the files at `paths`, for a progress line.
[[nodiscard]] std::uint64_t artifact_bytes(const std::string& run_path, const std::vector<std::string>& paths);

/// The weight files of sealed versions by path inside the run.
[[nodiscard]] std::map<std::string, SealedWeightFile> weight_files_of(const std::string& run_path,
                                                                      const std::vector<SealedWeights>& weights);

/// Holds what is there now against a record: changed (RLV-365), removed (RLV-366) and added (RLV-367) artifacts, and
/// changed tensors (RLV-368).
void check_artifacts(core::Value record, const Artifacts& now, const std::vector<SealedWeights>& weights_now,
                     core::Findings& findings);

}  // namespace rlverify::compare
