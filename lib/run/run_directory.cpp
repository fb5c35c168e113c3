// SPDX-License-Identifier: Apache-2.0
// Every file is met once; what can't be read is remembered as a Problem beside its name.
#include "run/run_directory.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/byte_source.h"

namespace rlverify::run {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found && !error;
}

JsonArtifact read_json_file(const RunDirectory& run, const std::string& name, const core::JsonLimits& limits,
                            std::uint64_t& bytes) {
  JsonArtifact artifact;
  artifact.name = name;
  artifact.present = exists(run.path + "/" + name);
  try {
    const auto source = core::open_file(run.path + "/" + name, name);
    bytes += source->size();
    artifact.document = core::read_json(*source, core::JsonMode::kLenient, limits);
  } catch (const core::ArtifactError& error) {
    artifact.problem = error.problem();
  }
  return artifact;
}

void read_log(RunDirectory& run) {
  try {
    const auto source = core::open_file(run.path + "/run.log", "run.log");
    run.bytes_read += source->size();
    run.log = read_run_log(*source);
  } catch (const core::ArtifactError& error) {
    run.log_problem = error.problem();
  }
}

void read_status(RunDirectory& run) {
  run.has_ray_status = exists(run.path + "/ray-status.txt");
  if (!run.has_ray_status) {
    return;
  }
  try {
    const auto source = core::open_file(run.path + "/ray-status.txt", "ray-status.txt");
    // Status text is short; what is longer than this is not one.
    const std::string text = core::read_text(*source, 1ULL << 20);
    run.bytes_read += text.size();
    run.ray_status = read_ray_status(text);
  } catch (const core::ArtifactError& error) {
    run.ray_status_problem = error.problem();
  }
}

}  // namespace

Listing list_files(const std::string& run_path, const std::string& folder, std::string_view suffix) {
  Listing listing;
  listing.folder = folder;
  const std::string path = run_path + "/" + folder;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return listing;
  }
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (name.size() >= suffix.size() && std::string_view(name).substr(name.size() - suffix.size()) == suffix) {
      listing.names.push_back(std::move(name));
    }
  }
  if (error) {
    core::Problem problem;
    problem.kind = core::ProblemKind::kUnreadable;
    problem.file = folder;
    problem.expected = "a folder that can be listed";
    problem.found = error.message();
    listing.problem = std::move(problem);
  }
  std::sort(listing.names.begin(), listing.names.end());
  return listing;
}

RunDirectory read_run_directory(const std::string& path) {
  RunDirectory run;
  run.path = path;
  while (run.path.size() > 1 && run.path.back() == '/') {
    run.path.pop_back();
  }
  std::error_code error;
  if (!fs::is_directory(run.path, error)) {
    throw core::InputError(run.path + ": " +
                           (error              ? error.message()
                            : exists(run.path) ? "not a directory"
                                               : "no such directory"));
  }
  if (fs::directory_iterator(run.path, error); error) {
    throw core::InputError(run.path + ": can't be listed: " + error.message());
  }
  run.manifest = read_json_file(run, "manifest.json", kManifestLimits, run.bytes_read);
  read_log(run);
  read_status(run);
  run.readback_files = list_files(run.path, "readbacks", ".json");
  for (const std::string& name : run.readback_files.names) {
    run.readbacks.push_back(read_json_file(run, "readbacks/" + name, {}, run.bytes_read));
  }
  run.weight_audit_files = list_files(run.path, "weight-audit", ".json");
  for (const std::string& name : run.weight_audit_files.names) {
    try {
      const auto source = core::open_file(run.file_path("weight-audit", name), "weight-audit/" + name);
      run.bytes_read += source->size();
      run.weight_audits.push_back(read_weight_audit(*source, name));
    } catch (const core::ArtifactError& problem) {
      WeightAudit audit;
      audit.name = name;
      audit.problem = problem.problem();
      run.weight_audits.push_back(std::move(audit));
    }
  }
  run.sidecar_files = list_files(run.path, "mismatch-sidecars", ".pt");
  run.dump_files = list_files(run.path, "train-data", ".pt");
  return run;
}

}  // namespace rlverify::run
