// SPDX-License-Identifier: Apache-2.0
// Directory or record: told apart by what the path is, never by its name.
#include "compare/evidence.h"

#include <fmt/format.h>

#include <filesystem>

#include "compare/artifacts.h"
#include "core/byte_source.h"
#include "core/errors.h"
#include "tensor/model.h"

namespace rlverify::compare {
namespace {

namespace fs = std::filesystem;
using core::Section;

/// A record of 200 steps with 400 tensors in each of 201 versions is about 20 MB; this is far beyond any run.
constexpr core::JsonLimits kRecordLimits = {1ULL << 30, 128, 64'000'000, 16ULL << 20};

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

/// Directories that are no runs get told what they are.
void refuse_other_directories(const std::string& path) {
  std::error_code error;
  if (fs::exists(path + "/manifest.json", error)) {
    return;
  }
  if (fs::exists(path + "/launch.json", error)) {
    throw core::InputError(path + " is a ROCm arm directory (launch.json): there are no rules for it yet");
  }
  if (tensor::looks_like_model(path)) {
    throw core::InputError("these are model directories, not runs: rlverify diff A B (" + path +
                           " holds tensor files and no manifest.json)");
  }
}

/// The fault of an artifact of this run, its file with the run's path.
void add_problem(core::Problem problem, const char* code, Section section, RunEvidence& evidence) {
  problem.file = evidence.path + "/" + problem.file;
  evidence.findings.add(problem, code, section);
}

std::string status_of(const run::RunDirectory& run) {
  const std::string name(run::job_state_name(run.has_ray_status ? run.ray_status.state : run::JobState::kUnknown));
  return name == "PENDING" ? "UNKNOWN" : name;  // a job that never started has no other name in the document
}

std::string own_name(const run::RunDirectory& run) {
  const core::Value id = run.manifest.root().get("run_id");
  if (id.is_string() && !id.text().empty()) {
    return std::string(id.text());
  }
  std::error_code error;
  const fs::path full = fs::absolute(run.path, error).lexically_normal();
  const std::string base = (full.has_filename() ? full : full.parent_path()).filename().string();
  return base.empty() ? run.path : base;
}

void add_artifact_problems(RunEvidence& evidence) {
  const run::RunDirectory& run = *evidence.directory;
  if (run.manifest.problem) {
    add_problem(*run.manifest.problem, "RLV-370", Section::kLaunch, evidence);
  }
  if (run.log_problem) {
    add_problem(*run.log_problem, "RLV-345", Section::kLog, evidence);
  }
  if (run.ray_status_problem) {
    add_problem(*run.ray_status_problem, "RLV-370", Section::kLaunch, evidence);
  }
  if (run.readback_files.problem) {
    add_problem(*run.readback_files.problem, "RLV-352", Section::kBackends, evidence);
  }
  for (const run::JsonArtifact& readback : run.readbacks) {
    if (readback.problem) {
      add_problem(*readback.problem, "RLV-352", Section::kBackends, evidence);
    }
  }
}

void read_directory(RunEvidence& evidence, const ReadOptions& options, core::ThreadPool& pool) {
  refuse_other_directories(evidence.path);
  evidence.directory = std::make_unique<run::RunDirectory>(run::read_run_directory(evidence.path));
  const run::RunDirectory& run = *evidence.directory;
  evidence.name = options.name.empty() ? own_name(run) : options.name;
  evidence.status = status_of(run);
  add_artifact_problems(evidence);
  if (run.log) {
    read_log_steps(*run.log, evidence.path + "/run.log", evidence);
  }
  read_samples(evidence, pool, options.show_progress);
  BackendEvidence backends = read_backends(run);
  if (!backends.modules.empty() || !backends.requested.empty()) {
    evidence.backends = std::move(backends);
  }
  evidence.graphs = read_graphs(run);
  evidence.weights = weights_of(run, evidence.name);
}

void read_sealed(RunEvidence& evidence, const ReadOptions& options) {
  const auto source = core::open_file(evidence.path);
  evidence.record =
      std::make_unique<core::JsonDocument>(core::read_json(*source, core::JsonMode::kStrict, kRecordLimits));
  const core::Value name = evidence.record->root().get("name");
  evidence.name = !options.name.empty() ? options.name : name.is_string() ? std::string(name.text()) : evidence.path;
  read_record(evidence);
}

/// Whether a directory holds nothing but the record of the run that was there.
bool only_record_left(const std::string& path) {
  std::error_code error;
  const std::string record = path + "/" + kRecordName;
  return fs::is_regular_file(record, error) && list_artifacts(path, record).empty();
}

}  // namespace

RunEvidence read_evidence(const std::string& path, const ReadOptions& options, core::ThreadPool& pool) {
  RunEvidence evidence;
  evidence.path = without_slashes(path);
  std::error_code error;
  const fs::file_status status = fs::status(evidence.path, error);
  if (!fs::exists(status)) {
    throw core::InputError(evidence.path + ": " + (error ? error.message() : "no such file or directory"));
  }
  const bool is_directory = fs::is_directory(status);
  if (is_directory && only_record_left(evidence.path)) {
    evidence.path += std::string("/") + kRecordName;
    read_sealed(evidence, options);
  } else if (is_directory) {
    read_directory(evidence, options, pool);
  } else {
    read_sealed(evidence, options);
  }
  return evidence;
}

}  // namespace rlverify::compare
