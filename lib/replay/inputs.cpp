// SPDX-License-Identifier: Apache-2.0
// Grouping goes by the payload's rank and call, not by the file's name: the payload is what the numbers belong to.
#include "replay/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>

#include "core/byte_source.h"
#include "run/file_names.h"
#include "run/run_directory.h"
#include "run/sidecar_file.h"

namespace rlverify::replay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputFolder = "logp-inputs";
constexpr const char* kSidecarFolder = "mismatch-sidecars";

/// What grouping needs of a file.
struct Header {
  std::string path;
  std::string name;
  std::int64_t rank = 0;
  std::int64_t call = 0;
  std::int64_t ranks = 1;  ///< tensor-parallel size
  std::int64_t group = 0;
  bool is_local = false;
};

Header read_header(const std::string& path, const std::string& name) {
  const run::LogpInputsFile file = run::read_logp_inputs(core::open_file(path, name), name);
  return {path,
          name,
          file.rank,
          file.call_index,
          file.tensor_parallel_size,
          file.tensor_parallel_group(),
          file.is_local_vocab};
}

core::Finding finding(const char* code, const std::string& file, std::string what) {
  core::Finding out = core::bare_finding(code, core::Severity::kError, core::Section::kReplay, std::move(what));
  out.place.file = file;
  return out;
}

/// Names at most 16 of them: the size of the group is a number in a file.
void add_missing_ranks(const std::vector<Header>& members, core::Findings& findings) {
  const Header& head = members.front();
  int named = 0;
  for (std::int64_t tp = 0; tp < head.ranks && named < 16; ++tp) {
    const std::int64_t rank = head.group * head.ranks + tp;
    const bool there =
        std::any_of(members.begin(), members.end(), [rank](const Header& header) { return header.rank == rank; });
    if (!there) {
      ++named;
      core::Finding missing =
          finding("RLV-502", head.name, "a tensor-parallel rank's slice of the vocabulary is missing");
      missing.place.rank = rank;
      missing.place.call = head.call;
      missing.expected = fmt::format("{}, one of {} ranks", run::rank_call_name(rank, head.call), head.ranks);
      missing.found = fmt::format("{} of {} slices", members.size(), head.ranks);
      findings.add(std::move(missing));
    }
  }
}

/// Slices are joined by call and tensor-parallel group; a file with the whole vocabulary stands for itself.
void group_headers(std::vector<Header> headers, FoundInputs& found) {
  std::map<std::tuple<std::int64_t, std::int64_t>, std::string> by_rank;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::vector<Header>> groups;
  std::sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) {
    return std::tie(a.call, a.rank, a.name) < std::tie(b.call, b.rank, b.name);
  });
  for (Header& header : headers) {
    const auto [known, fresh] = by_rank.emplace(std::tuple(header.call, header.rank), header.name);
    if (!fresh) {
      core::Finding twice = finding("RLV-501", header.name, "two files of one rank and call");
      twice.place.rank = header.rank;
      twice.place.call = header.call;
      twice.expected = "one file";
      twice.found = "also " + known->second;
      found.findings.add(std::move(twice));
      continue;
    }
    const std::int64_t first_rank = header.is_local ? header.group * header.ranks : header.rank;
    groups[{header.call, first_rank, header.is_local}].push_back(std::move(header));
  }
  for (const auto& [key, members] : groups) {
    const Header& head = members.front();
    if (head.is_local && members.size() != static_cast<std::size_t>(head.ranks)) {
      add_missing_ranks(members, found.findings);
      continue;
    }
    InputGroup group;
    group.rank = head.rank;
    group.call = head.call;
    for (const Header& member : members) {
      group.paths.push_back(member.path);
      group.names.push_back(member.name);
    }
    found.groups.push_back(std::move(group));
  }
}

void attach_sidecars(const std::string& run_path, FoundInputs& found) {
  std::error_code error;
  if (run_path.empty()) {
    return;
  }
  for (InputGroup& group : found.groups) {
    const std::string name = std::string(kSidecarFolder) + "/" + run::rank_call_name(group.rank, group.call);
    if (fs::is_regular_file(run_path + "/" + name, error)) {
      group.sidecar_path = run_path + "/" + name;
      group.sidecar_name = name;
    }
  }
}

/// The sidecar that the command line names, for the group whose rank and call it has.
void attach_named_sidecar(const std::string& path, FoundInputs& found) {
  const run::SidecarFile file = run::read_sidecar(core::open_file(path), path);
  for (InputGroup& group : found.groups) {
    if (group.rank == file.rank && group.call == file.call_index) {
      group.sidecar_path = path;
      group.sidecar_name = path;
      return;
    }
  }
  throw core::UsageError(
      fmt::format("--sidecar {}: it is of rank {} and call {}, and no input is", path, file.rank, file.call_index));
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

std::vector<Header> headers_of_run(const std::string& run_path, FoundInputs& found) {
  const run::Listing listing = run::list_files(run_path, kInputFolder, ".pt");
  if (listing.problem) {
    found.findings.add(*listing.problem, "RLV-501", core::Section::kReplay);
  }
  std::vector<Header> headers;
  for (const std::string& file : listing.names) {
    if (file.front() == '.') {
      continue;  // a file that is still being written
    }
    const std::string name = std::string(kInputFolder) + "/" + file;
    ++found.files;
    try {
      headers.push_back(read_header(run_path + "/" + name, name));
    } catch (const core::ArtifactError& error) {
      found.findings.add(error.problem(), "RLV-501", core::Section::kReplay);
    }
  }
  return headers;
}

/// One file, and the other slices of its vocabulary beside it.
std::vector<Header> headers_of_file(const std::string& path, FoundInputs& found) {
  std::vector<Header> headers = {read_header(path, path)};
  found.files = 1;
  const Header head = headers.front();
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  for (std::int64_t tp = 0; head.is_local && tp < head.ranks; ++tp) {
    const std::int64_t rank = head.group * head.ranks + tp;
    const std::string other = (folder / run::rank_call_name(rank, head.call)).string();
    if (rank == head.rank || !fs::is_regular_file(other, error)) {
      continue;
    }
    ++found.files;
    try {
      headers.push_back(read_header(other, other));
    } catch (const core::ArtifactError& fault) {
      found.findings.add(fault.problem(), "RLV-501", core::Section::kReplay);
    }
  }
  const fs::path parent = (folder.empty() ? fs::current_path() : fs::absolute(folder)).lexically_normal();
  const fs::path last = parent.has_filename() ? parent : parent.parent_path();
  if (last.filename() == kInputFolder) {
    found.run_path = folder.empty() ? ".." : (folder / "..").string();
  }
  return headers;
}

}  // namespace

FoundInputs find_inputs(const std::string& path, const std::string& sidecar) {
  FoundInputs found;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    found.run_path = without_slashes(path);
    group_headers(headers_of_run(found.run_path, found), found);
  } else {
    group_headers(headers_of_file(path, found), found);
  }
  attach_sidecars(found.run_path, found);
  if (!sidecar.empty()) {
    attach_named_sidecar(sidecar, found);
  }
  return found;
}

}  // namespace rlverify::replay
