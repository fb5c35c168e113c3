// SPDX-License-Identifier: Apache-2.0
// Where a side's weights are, version by version. Nothing is opened here but folders: models and their tensors are read
// one version at a time by whoever compares.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "compare/weights.h"
#include "compare/weights_names.h"
#include "core/errors.h"
#include "tensor/model.h"

namespace rlverify::compare {
namespace {

namespace fs = std::filesystem;
using core::Finding;

constexpr std::string_view kVersionPrefix = "weight_v";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

Finding digest_fault(const std::string& code, const std::string& file, std::string what, std::string expected,
                     std::string found) {
  Finding finding = core::bare_finding(code, core::Severity::kError, core::Section::kWeights, std::move(what));
  finding.place.file = file;
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  return finding;
}

/// What a set of digests says about itself must hold: every entry usable, the stated count, the stated total.
void check_digests(const WeightDigests& digests, const std::string& file, core::Findings& findings) {
  for (const run::AuditTensor& tensor : digests.tensors) {
    if (!tensor.well_formed) {
      Finding finding = digest_fault("RLV-313", file, "an entry of the weight digests can't be used",
                                     "a SHA-256, a shape and a dtype", "something else");
      finding.place.tensor = tensor.name;
      findings.add(std::move(finding));
    }
  }
  if (!digests.all_tensors) {
    return;
  }
  if (digests.tensor_count && *digests.tensor_count != digests.tensors.size()) {
    findings.add(digest_fault("RLV-318", file, "the weight digests contradict themselves",
                              fmt::format("{} tensors, as tensor_count says", *digests.tensor_count),
                              fmt::format("{}", digests.tensors.size())));
  }
  if (const std::string total = run::audit_digest(digests.tensors); total != digests.sha256) {
    findings.add(digest_fault("RLV-318", file, "the weight digests contradict themselves",
                              fmt::format("sha256 {} over the tensors listed", total),
                              digests.sha256.empty() ? "none" : digests.sha256));
  }
}

std::optional<WeightDigests> digests_of_audit(const run::WeightAudit& audit, const std::string& file,
                                              core::Findings& findings) {
  if (audit.problem) {
    findings.add(*audit.problem, "RLV-313", core::Section::kWeights);
    return std::nullopt;
  }
  if (audit.tensors.empty()) {
    findings.add(digest_fault("RLV-313", file, "a weight audit can't be used", "digests of tensors", "none"));
    return std::nullopt;
  }
  WeightDigests digests;
  digests.sha256 = audit.sha256;
  digests.all_tensors = audit.has_tensors;
  digests.tensors = audit.tensors;
  if (audit.tensor_count && *audit.tensor_count >= 0) {
    digests.tensor_count = static_cast<std::uint64_t>(*audit.tensor_count);
  }
  check_digests(digests, file, findings);
  return digests;
}

/// Sub-folders of `path` that are versions. `error` says why they can't be listed; a folder that is not there has none.
std::vector<std::string> version_folders(const std::string& path, bool any_name, std::error_code& error) {
  std::vector<std::string> names;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (name.front() == '.' || !fs::is_directory(entries->path(), ignored)) {
      continue;
    }
    if (starts_with(name, kVersionPrefix) || (any_name && tensor::looks_like_model(entries->path().string()))) {
      names.push_back(name);
    }
  }
  if (error == std::errc::no_such_file_or_directory) {
    error.clear();
  }
  return names;
}

using VersionMap = std::map<std::string, WeightVersion>;

void add_snapshot(VersionMap& versions, std::string name, const std::string& path) {
  WeightVersion& version = versions[name];
  version.name = std::move(name);
  version.snapshot = path;
  version.where = path;
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

/// The snapshots that the command line names.
void add_named_snapshots(VersionMap& versions, const std::string& directory) {
  std::error_code error;
  if (!fs::exists(directory, error) || error) {
    throw core::InputError(directory + ": " + (error ? error.message() : "no such file or directory"));
  }
  if (tensor::looks_like_model(directory)) {
    const std::string name = fs::path(directory).filename().string();
    add_snapshot(versions, starts_with(name, kVersionPrefix) ? name : std::string(kSingleModel), directory);
    return;
  }
  for (const std::string& name : version_folders(directory, true, error)) {
    add_snapshot(versions, name, directory + "/" + name);
  }
  if (error) {
    throw core::InputError(directory + ": can't be listed: " + error.message());
  }
  if (versions.empty()) {
    throw core::InputError(directory + ": neither a model nor a directory with versions of one");
  }
}

WeightDigests digests_of_record(core::Value entry) {
  WeightDigests digests;
  digests.sha256 = entry.get("sha256").is_string() ? std::string(entry.get("sha256").text()) : "";
  if (const core::Value count = entry.get("tensor_count"); count.is_integer() && count.integer() >= 0) {
    digests.tensor_count = static_cast<std::uint64_t>(count.integer());
  }
  const core::Value tensors = entry.get("tensors");
  for (std::size_t i = 0; i < tensors.size() && tensors.is_dict(); ++i) {
    digests.tensors.push_back(run::read_audit_tensor(tensors.key_at(i).text(), tensors.value_at(i)));
  }
  return digests;
}

WeightVersions in_order(VersionMap& map, std::string side, core::Findings findings) {
  WeightVersions out;
  out.side = std::move(side);
  out.findings = std::move(findings);
  for (auto& entry : map) {
    out.versions.push_back(std::move(entry.second));
  }
  std::sort(out.versions.begin(), out.versions.end(),
            [](const WeightVersion& a, const WeightVersion& b) { return version_less(a.name, b.name); });
  return out;
}

}  // namespace

bool version_less(const std::string& a, const std::string& b) {
  const auto split = [](const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
    const std::size_t number = std::min(name.find_first_not_of('0', digits), name.size());
    return std::make_tuple(name.substr(0, digits), name.size() - number, name.substr(number));
  };
  const auto left = split(a);
  const auto right = split(b);
  return left != right ? left < right : a < b;
}

std::string version_label(const std::string& name) {
  if (!starts_with(name, kVersionPrefix) && !starts_with(name, "v")) {
    return name;
  }
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) {
    return name;
  }
  const std::size_t number = std::min(name.find_first_not_of('0', digits), name.size() - 1);
  return name.substr(number);
}

WeightVersions weights_of(const run::RunDirectory& run, std::string side, const std::string& weights_directory) {
  VersionMap versions;
  core::Findings findings;
  if (!weights_directory.empty()) {
    add_named_snapshots(versions, without_slashes(weights_directory));
  } else {
    const std::string folder = run.path + "/weight-updates";
    std::error_code error;
    for (const std::string& name : version_folders(folder, false, error)) {
      // Snapshots are usually deleted after the reload; an audit may be left.
      if (tensor::looks_like_model(folder + "/" + name)) {
        add_snapshot(versions, name, folder + "/" + name);
      }
    }
    if (error) {
      findings.add(digest_fault("RLV-220", folder, "the folder of the snapshots can't be listed", "", error.message()));
    }
  }
  for (const run::WeightAudit& audit : run.weight_audits) {
    const std::string file = run.file_path("weight-audit", audit.name);
    const std::string name = audit.name.substr(0, audit.name.rfind('.'));
    auto digests = digests_of_audit(audit, file, findings);
    if (!digests) {
      continue;
    }
    WeightVersion& version = versions[name];
    if (version.name.empty()) {
      version.name = name;
      version.where = file;
    }
    version.digests = std::move(digests);
  }
  if (run.weight_audit_files.problem) {
    findings.add(*run.weight_audit_files.problem, "RLV-313", core::Section::kWeights);
  }
  WeightVersions out = in_order(versions, std::move(side), std::move(findings));
  out.updates_required = run.manifest.root().path({"algorithm", "require_updates"}).is_true();
  return out;
}

WeightVersions weights_of_record(core::Value weights, std::string side, const std::string& file) {
  VersionMap versions;
  core::Findings findings;
  for (std::size_t i = 0; i < weights.size() && weights.is_dict(); ++i) {
    const std::string name(weights.key_at(i).text());
    WeightVersion& version = versions[name];
    version.name = name;
    version.where = fmt::format("{}: weights.{}", file, name);
    version.digests = digests_of_record(weights.value_at(i));
    check_digests(*version.digests, version.where, findings);
  }
  return in_order(versions, std::move(side), std::move(findings));
}

}  // namespace rlverify::compare
