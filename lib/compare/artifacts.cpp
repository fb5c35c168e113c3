// SPDX-License-Identifier: Apache-2.0
// A walk that follows links but enters no directory twice, so that a link to a parent ends.
#include "compare/artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/sha256.h"

namespace rlverify::compare {
namespace {

namespace fs = std::filesystem;

/// Written by rlverify about the run: no part of it.
constexpr std::array<std::string_view, 3> kNoArtifacts = {kRecordName, "run-validation.json", "COMPLETE"};

class ArtifactWalk {
 public:
  ArtifactWalk(const std::string& run_path, const std::string& record_path) : run_path_(run_path) {
    std::error_code error;
    record_ = fs::weakly_canonical(record_path, error);
  }

  void folder(const std::string& inside) {
    const std::string path = inside.empty() ? run_path_ : run_path_ + "/" + inside;
    std::error_code error;
    if (!entered_.insert(fs::canonical(path, error).string()).second) {
      return;
    }
    fs::directory_iterator entries(path, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const std::string name = entries->path().filename().string();
      if (name.front() != '.') {
        entry(inside.empty() ? name : inside + "/" + name, entries->path());
      }
    }
    if (error) {
      throw core::InputError(path + ": can't be listed: " + error.message());
    }
  }

  [[nodiscard]] std::vector<std::string> take() {
    std::sort(paths_.begin(), paths_.end());
    return std::move(paths_);
  }

 private:
  void entry(const std::string& inside, const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      throw core::InputError(path.string() + ": " + (error ? error.message() : "a link that leads nowhere"));
    }
    if (fs::is_directory(status)) {
      folder(inside);
      return;
    }
    const bool own = std::find(kNoArtifacts.begin(), kNoArtifacts.end(), inside) != kNoArtifacts.end();
    if (!own && (record_.empty() || fs::weakly_canonical(path, error) != record_)) {
      paths_.push_back(inside);
    }
  }

  const std::string& run_path_;
  fs::path record_;
  std::set<std::string> entered_;
  std::vector<std::string> paths_;
};

core::Finding artifact_finding(const char* code, std::string what, const std::string& path) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, core::Section::kLaunch, std::move(what));
  finding.place.file = path;
  return finding;
}

std::string text_of(core::Value value) {
  return value.is_string() ? std::string(value.text()) : std::string();
}

void check_artifact(const std::string& path, core::Value recorded, const Artifacts& now, core::Findings& findings) {
  const auto at = now.find(path);
  if (at == now.end()) {
    findings.add(artifact_finding("RLV-366", "an artifact was removed since the run was sealed", path));
    return;
  }
  const bool is_weight = recorded.get("header_sha256").present();
  const std::string& digest_now = is_weight ? at->second.header_sha256 : at->second.sha256;
  const std::string digest = text_of(recorded.get(is_weight ? "header_sha256" : "sha256"));
  const core::Value bytes = recorded.get("bytes");
  const std::int64_t bytes_now = static_cast<std::int64_t>(at->second.bytes);
  if (bytes.is_integer() && bytes.integer() != bytes_now) {
    core::Finding finding = artifact_finding("RLV-365", "an artifact was changed since the run was sealed", path);
    finding.expected = fmt::format("{} bytes", bytes.integer());
    finding.found = fmt::format("{} bytes", bytes_now);
    findings.add(std::move(finding));
  } else if (!bytes.is_integer() || digest != digest_now) {
    core::Finding finding = artifact_finding("RLV-365", "an artifact was changed since the run was sealed", path);
    finding.expected = fmt::format("sha256 {}{}", digest, is_weight ? " of its header" : "");
    finding.found = digest_now.empty() ? "a file of another kind" : digest_now;
    findings.add(std::move(finding));
  }
}

/// Tensors of the snapshots against the record's digests. A version that has no snapshot any more is told by its files.
void check_tensors(core::Value recorded, const SealedWeights& now, core::Findings& findings) {
  std::map<std::string, std::string> known;
  const core::Value tensors = recorded.get("tensors");
  for (std::size_t i = 0; i < tensors.size() && tensors.is_dict(); ++i) {
    known[std::string(tensors.key_at(i).text())] = text_of(tensors.value_at(i).get("sha256"));
  }
  for (const run::AuditTensor& tensor : now.digests.tensors) {
    const auto at = known.find(tensor.name);
    if (at != known.end() && at->second == tensor.sha256) {
      continue;
    }
    core::Finding finding = artifact_finding("RLV-368",
                                             at == known.end() ? "a tensor was added since the run was sealed"
                                                               : "a tensor was changed since the run was sealed",
                                             "weight-updates/" + now.version);
    finding.place.tensor = tensor.name;
    finding.expected = at == known.end() ? "" : at->second;
    finding.found = tensor.sha256;
    findings.add(std::move(finding));
  }
}

}  // namespace

std::vector<std::string> list_artifacts(const std::string& run_path, const std::string& record_path) {
  ArtifactWalk walk(run_path, record_path);
  walk.folder("");
  return walk.take();
}

Artifacts hash_artifacts(const std::string& run_path, const std::vector<std::string>& paths,
                         const std::map<std::string, SealedWeightFile>& weight_files, core::ThreadPool& pool,
                         core::Progress* progress) {
  std::vector<Artifact> hashed(paths.size());
  std::vector<std::pair<std::uint64_t, std::size_t>> order;  // largest first: no thread is left alone with a big one
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (const auto weights = weight_files.find(paths[i]); weights != weight_files.end()) {
      hashed[i] = {weights->second.bytes, "", weights->second.header_sha256};
    } else {
      std::error_code ignored;
      order.emplace_back(fs::file_size(run_path + "/" + paths[i], ignored), i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  pool.for_each(order.size(), [&](std::size_t job) {
    const std::size_t i = order[job].second;
    const auto source = core::open_file(run_path + "/" + paths[i]);
    core::Sha256 hash;
    core::BlockReader blocks(*source, 0, source->size());
    for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
      hash.update(block);
      if (progress != nullptr) {
        progress->add(block.size());
      }
    }
    hashed[i] = {source->size(), core::hex(hash.finish()), ""};
  });
  Artifacts artifacts;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    artifacts.emplace(paths[i], std::move(hashed[i]));
  }
  return artifacts;
}

std::uint64_t artifact_bytes(const std::string& run_path, const std::vector<std::string>& paths) {
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(run_path + "/" + path, error);
    bytes += error ? 0 : size;
  }
  return bytes;
}

std::map<std::string, SealedWeightFile> weight_files_of(const std::string& run_path,
                                                        const std::vector<SealedWeights>& weights) {
  std::map<std::string, SealedWeightFile> files;
  for (const SealedWeights& version : weights) {
    for (const SealedWeightFile& file : version.files) {
      if (file.name.rfind(run_path + "/", 0) == 0) {
        files.emplace(file.name.substr(run_path.size() + 1), file);
      }
    }
  }
  return files;
}

void check_artifacts(core::Value record, const Artifacts& now, const std::vector<SealedWeights>& weights_now,
                     core::Findings& findings) {
  const core::Value recorded = record.get("artifacts");
  std::set<std::string> known;
  for (std::size_t i = 0; i < recorded.size() && recorded.is_dict(); ++i) {
    const std::string path(recorded.key_at(i).text());
    known.insert(path);
    check_artifact(path, recorded.value_at(i), now, findings);
  }
  for (const auto& entry : now) {
    if (known.count(entry.first) == 0) {
      findings.add(artifact_finding("RLV-367", "an artifact was added since the run was sealed", entry.first));
    }
  }
  const core::Value versions = record.get("weights");
  for (const SealedWeights& version : weights_now) {
    if (!version.files.empty()) {
      check_tensors(versions.get(version.version), version, findings);
    }
  }
}

}  // namespace rlverify::compare
