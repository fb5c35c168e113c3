// SPDX-License-Identifier: Apache-2.0
// Where things are in a run directory (spec/run-artifacts.md section 1), and one read of its small parts. Sidecars and
// dumps are listed here and read one by one by the checks that use them, since together they are larger than memory
// should be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/json_reader.h"
#include "run/ray_status.h"
#include "run/run_log.h"
#include "run/weight_audit.h"

namespace rlverify::run {

/// The manifest may repeat the whole log in submission.stdout; long strings are cut, since no rule reads one.
inline constexpr core::JsonLimits kManifestLimits = {1ULL << 30, 128, 8'000'000, 1ULL << 20};

/// Names in a folder that end in `suffix`, sorted by bytes (which is by code point). A folder that is not there is
/// empty.
struct Listing {
  std::string folder;  ///< name inside the run directory
  std::vector<std::string> names;
  std::optional<core::Problem> problem;  ///< it is there and can't be listed
};

/// A JSON file of the run: its document, or why there is none.
struct JsonArtifact {
  std::string name;  ///< path inside the run directory
  bool present = false;
  core::JsonDocument document;
  std::optional<core::Problem> problem;
  [[nodiscard]] core::Value root() const { return problem ? core::Value() : document.root(); }
};

struct RunDirectory {
  std::string path;  ///< as given, trailing slashes dropped
  JsonArtifact manifest;
  std::optional<RunLog> log;
  std::optional<core::Problem> log_problem;
  bool has_ray_status = false;
  RayStatus ray_status;
  std::optional<core::Problem> ray_status_problem;
  std::vector<JsonArtifact> readbacks;  ///< by file name
  Listing readback_files;
  std::vector<WeightAudit> weight_audits;  ///< by file name
  Listing weight_audit_files;
  Listing sidecar_files;
  Listing dump_files;
  std::uint64_t bytes_read = 0;

  /// Path of a file inside the run, for opening.
  [[nodiscard]] std::string file_path(const std::string& folder, const std::string& name) const {
    return path + "/" + folder + "/" + name;
  }
};

/// Reads manifest, log, status, readbacks and weight audits of the directory at `path`; faults of single files are kept
/// in their places. Throws core::InputError when `path` is no directory that can be looked into.
[[nodiscard]] RunDirectory read_run_directory(const std::string& path);

[[nodiscard]] Listing list_files(const std::string& run_path, const std::string& folder, std::string_view suffix);

}  // namespace rlverify::run
