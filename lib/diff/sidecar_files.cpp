// SPDX-License-Identifier: Apache-2.0
// One file after the other, each by itself: what a file says is kept even where the others can't be read.
#include "diff/sidecar_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/byte_source.h"
#include "diff/sidecar_piece.h"
#include "tensor/storage_check.h"

namespace rlverify::diff {

namespace fs = std::filesystem;

namespace {

bool is_sidecar(const tensor::PtFile& file) {
  const core::Value schema = file.root().get("schema_version");
  return schema.is_string() && schema.text() == run::kSidecarSchema;
}

bool is_other_kind(const std::string& path) {
  try {
    return !is_sidecar(tensor::read_pt(*core::open_file(path)));
  } catch (const core::ArtifactError&) {
    return false;
  }
}

/// Rank and sizes as the payload states them; nothing where it states none.
std::optional<SidecarRank> rank_of(const run::SidecarFile& file) {
  try {
    return SidecarRank{
        file.call_index, file.rank,
        run::whole_number(*file.source, *file.pt, file.tensor_parallel_size, 1, "tensor_parallel_size"),
        run::whole_number(*file.source, *file.pt, file.context_parallel_size, 1, "context_parallel_size")};
  } catch (const core::ArtifactError&) {
    return std::nullopt;  // comparing its samples says so
  }
}

}  // namespace

SidecarFileResult compare_file(const std::string& path, std::uint32_t file_index, const SidecarOptions& options) {
  SidecarFileResult result;
  try {
    const run::SidecarFile file = run::read_sidecar(core::open_file(path), path);
    tensor::check_storages(*file.source, *file.pt);
    result.readable = true;
    result.rank = rank_of(file);
    for (std::size_t i = 0; i < file.samples.size(); ++i) {
      try {
        result.pieces.push_back(compare_piece(file, i, options));
        result.pieces.back().file = file_index;
      } catch (const core::ArtifactError& error) {
        result.problems.push_back(error.problem());
      }
    }
  } catch (const core::ArtifactError& error) {
    result.problems.push_back(error.problem());
    result.other_kind = is_other_kind(path);
  }
  return result;
}

std::vector<std::string> list_sidecars(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> files;
  for (fs::directory_iterator entries(path, error); !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (name.front() != '.' && entries->path().extension() == ".pt") {
      files.push_back((fs::path(path) / name).string());
    }
  }
  if (error) {
    throw core::InputError(path + ": " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void require_sidecars(const std::string& path, const std::vector<SidecarFileResult>& results) {
  if (results.empty()) {
    std::error_code error;
    const std::string inner = (fs::path(path) / "mismatch-sidecars").string();
    throw core::InputError(path + ": expected sidecars (*.pt), found none" +
                           (fs::is_directory(inner, error) ? "; did you mean " + inner + "?" : ""));
  }
  if (std::any_of(results.begin(), results.end(), [](const SidecarFileResult& result) { return result.readable; })) {
    return;
  }
  if (std::all_of(results.begin(), results.end(), [](const SidecarFileResult& result) { return result.other_kind; })) {
    throw core::UsageError(fmt::format(
        "{} is no sidecar (schema_version {}): to compare two files or models, name both: rlverify diff A B", path,
        run::kSidecarSchema));
  }
  for (const SidecarFileResult& result : results) {
    if (!result.other_kind && !result.problems.empty()) {
      throw core::ArtifactError(result.problems.front());
    }
  }
}

void report_missing_ranks(const std::string& path, const std::vector<SidecarFileResult>& results,
                          core::Findings& findings) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return;  // one file was asked for
  }
  constexpr std::int64_t kLargestGroup = 1 << 16;
  constexpr std::int64_t kLargestRank = std::int64_t{1} << 40;  // beyond it a group's last rank may be no number
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> ranks;  // (call, first rank of the group)
  std::int64_t group = 0;
  for (const SidecarFileResult& result : results) {
    if (!result.rank) {
      continue;
    }
    const SidecarRank& rank = *result.rank;
    const bool sane = rank.rank <= kLargestRank && rank.tensor_parallel_size <= kLargestGroup &&
                      rank.context_parallel_size <= kLargestGroup &&
                      rank.tensor_parallel_size * rank.context_parallel_size <= kLargestGroup;
    const std::int64_t size = sane ? rank.tensor_parallel_size * rank.context_parallel_size : 0;
    if (size == 0 || (group != 0 && size != group)) {
      return;  // files of different runs: nothing says which ranks there should be
    }
    group = size;
    ranks[{rank.call, rank.rank / group * group}].insert(rank.rank);
  }
  for (const auto& [place, present] : ranks) {
    for (std::int64_t rank = place.second; rank < place.second + group; ++rank) {
      if (present.count(rank) != 0) {
        continue;
      }
      core::Finding finding = core::bare_finding("RLV-415", core::Severity::kWarning, core::Section::kLogProbs,
                                                 "a rank of the call has no sidecar that can be read");
      finding.place.file = path;
      finding.place.rank = rank;
      finding.place.call = place.first;
      findings.add(std::move(finding));
    }
  }
}

}  // namespace rlverify::diff
