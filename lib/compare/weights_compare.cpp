// SPDX-License-Identifier: Apache-2.0
// The versions of two sides against each other, oldest first, so that a version that was never updated is known before
// what follows from it is told.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>

#include "compare/weights.h"
#include "compare/weights_judge.h"
#include "compare/weights_names.h"
#include "compare/weights_snapshots.h"
#include "tensor/model.h"

namespace rlverify::compare {
namespace {

using core::Finding;
using core::Severity;

WeightVersion* find_version(WeightVersions& side, const std::string& name) {
  const auto at = std::find_if(side.versions.begin(), side.versions.end(),
                               [&name](const WeightVersion& version) { return version.name == name; });
  return at == side.versions.end() ? nullptr : &*at;
}

/// All digests of a version that are known without reading anything more.
const WeightDigests* known_digests(const WeightVersion& version) {
  if (version.computed) {
    return &*version.computed;
  }
  return version.digests && version.digests->all_tensors ? &*version.digests : nullptr;
}

/// Whether a side's weights changed between two of its versions; nothing where that isn't known.
std::optional<bool> changed(const WeightVersion& earlier, const WeightVersion& later, core::ThreadPool& pool) {
  const WeightDigests* a = known_digests(earlier);
  const WeightDigests* b = known_digests(later);
  if (a != nullptr && b != nullptr) {
    return a->sha256 != b->sha256;
  }
  if (earlier.snapshot.empty() || later.snapshot.empty()) {
    const bool sampled = earlier.digests && later.digests && earlier.digests->sha256 != later.digests->sha256;
    return sampled ? std::optional(true) : std::nullopt;
  }
  try {
    const auto same = same_models(tensor::open_model(earlier.snapshot), tensor::open_model(later.snapshot), pool);
    return same ? std::optional(!*same) : std::nullopt;
  } catch (const core::ArtifactError&) {
    return std::nullopt;  // its own finding says so where it is compared
  }
}

class Comparison {
 public:
  Comparison(WeightVersions& reference, WeightVersions& candidate, core::ThreadPool& pool, const WeightOptions& options)
      : reference_(reference), candidate_(candidate), pool_(pool), options_(options) {}

  WeightComparison run() {
    take_findings(reference_.findings);
    take_findings(candidate_.findings);
    check_updates();
    for (const std::string& name : names()) {
      compare_version(name);
    }
    std::reverse(out_.versions.begin(), out_.versions.end());
    decide();
    out_.findings.sort();
    return std::move(out_);
  }

 private:
  void take_findings(const core::Findings& findings) {
    for (const Finding& finding : findings.list()) {
      out_.findings.add(finding);
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const WeightVersions* side : {&reference_, &candidate_}) {
      for (const WeightVersion& version : side->versions) {
        all.push_back(version.name);
      }
    }
    std::sort(all.begin(), all.end(), version_less);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// The reference's steps that changed nothing. The candidate's are looked at where it differs: an equal one has the
  /// same.
  void check_updates() {
    out_.updates = reference_.versions.empty() ? 0 : reference_.versions.size() - 1;
    std::size_t unchanged = 0;
    bool known = true;
    for (std::size_t i = 1; i < reference_.versions.size(); ++i) {
      const auto step = changed(reference_.versions[i - 1], reference_.versions[i], pool_);
      out_.ever_changed = out_.ever_changed || step.value_or(false);
      known = known && step.has_value();
      if (step == true) {
        reference_changed_.insert(reference_.versions[i].name);
      }
      if (step == false) {
        ++unchanged;
        unchanged_.push_back(i);
      }
    }
    if (unchanged > 0 && known && !out_.ever_changed) {
      const bool required = options_.updates_required || reference_.updates_required || candidate_.updates_required;
      out_.findings.add(weight_finding(
          required ? "RLV-307" : "RLV-308", required ? Severity::kError : Severity::kWarning,
          fmt::format("vacuous: no weight update in {} {}", out_.updates, out_.updates == 1 ? "step" : "steps"),
          reference_.versions.back()));
      return;
    }
    for (const std::size_t i : unchanged_) {
      out_.findings.add(
          weight_finding("RLV-309", Severity::kWarning, unchanged_text(reference_, i), reference_.versions[i]));
    }
  }

  static std::string unchanged_text(const WeightVersions& side, std::size_t later) {
    return fmt::format("{} weights at version {} equal version {}", side.side, version_label(side.versions[later].name),
                       version_label(side.versions[later - 1].name));
  }

  /// The pair of one version; a single model stands for the only version of the other side.
  [[nodiscard]] std::pair<WeightVersion*, WeightVersion*> pair_of(const std::string& name) {
    return {find_version(reference_, name), find_version(candidate_, name)};
  }

  void compare_version(const std::string& name) {
    VersionComparison version;
    version.version = name;
    const auto [reference, candidate] = pair_of(name);
    if (reference == nullptr || candidate == nullptr) {
      one_sided(reference != nullptr ? *reference : *candidate, reference != nullptr, version);
    } else {
      Judged judged = judge_version({*reference, *candidate, pool_, options_.progress, out_.findings});
      const std::string cause = judged.outcomes.empty() ? "" : stale_candidate(name);
      explain_version(std::move(judged), *reference, *candidate, cause, out_.findings, version);
      out_.coverage.add(version.coverage);
    }
    out_.versions.push_back(std::move(version));
  }

  /// Whether the candidate's version is still the one before, though the reference's was updated: the cause of the
  /// differences then.
  std::string stale_candidate(const std::string& name) {
    const auto at = std::find_if(candidate_.versions.begin(), candidate_.versions.end(),
                                 [&name](const WeightVersion& version) { return version.name == name; });
    const auto index = static_cast<std::size_t>(at - candidate_.versions.begin());
    if (index == 0 || reference_changed_.count(name) == 0 ||
        changed(candidate_.versions[index - 1], *at, pool_) != false) {
      return "";
    }
    out_.findings.add(weight_finding("RLV-310", Severity::kError, unchanged_text(candidate_, index), *at));
    return "RLV-310";
  }

  void one_sided(const WeightVersion& known, bool in_reference, VersionComparison& version) {
    const WeightVersions& lacking = in_reference ? candidate_ : reference_;
    if (lacking.versions.empty()) {
      version.unavailable = fmt::format("{} has no weights", lacking.side);
      return;
    }
    version.equal = false;
    Finding finding =
        weight_finding("RLV-314", Severity::kError, fmt::format("weights of {} on one side only", known.name), known);
    finding.expected = "both sides have it";
    finding.found = fmt::format("{} lacks it", lacking.side);
    out_.findings.add(std::move(finding));
  }

  void decide() {
    for (const WeightVersions* side : {&reference_, &candidate_}) {
      if (side->versions.empty()) {
        WeightVersion none;
        none.where = side->side;
        Finding finding =
            weight_finding("RLV-315", Severity::kError, fmt::format("{} has no weights to compare", side->side), none);
        finding.expected = "snapshots, weight audits or a sealed record";
        finding.found = "none";
        out_.findings.add(std::move(finding));
      }
    }
    const auto is = [](std::optional<bool> wanted) {
      return [wanted](const VersionComparison& version) { return version.equal == wanted; };
    };
    if (std::any_of(out_.versions.begin(), out_.versions.end(), is(false))) {
      out_.equal = false;
    } else if (!out_.versions.empty() && std::all_of(out_.versions.begin(), out_.versions.end(), is(true))) {
      out_.equal = true;
    }
  }

  WeightVersions& reference_;
  WeightVersions& candidate_;
  core::ThreadPool& pool_;
  const WeightOptions& options_;
  WeightComparison out_;
  std::set<std::string> reference_changed_;
  std::vector<std::size_t> unchanged_;
};

/// A single model on one side is the version of the other side, where that has just one.
void match_single_model(WeightVersions& reference, WeightVersions& candidate) {
  if (reference.versions.size() != 1 || candidate.versions.size() != 1) {
    return;
  }
  if (candidate.versions.front().name == kSingleModel) {
    candidate.versions.front().name = reference.versions.front().name;
  } else if (reference.versions.front().name == kSingleModel) {
    reference.versions.front().name = candidate.versions.front().name;
  }
}

std::uint64_t files_below(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uint64_t sum = 0;
  for (fs::directory_iterator entries(path, error); !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored)) {
      sum += entries->file_size(ignored);
    }
  }
  return sum;
}

}  // namespace

void WeightCoverage::add(const WeightCoverage& other) {
  files += other.files;
  tensors += other.tensors;
  elements += other.elements;
  bytes += other.bytes;
}

WeightComparison compare_weights(WeightVersions& reference, WeightVersions& candidate, core::ThreadPool& pool,
                                 const WeightOptions& options) {
  match_single_model(reference, candidate);
  return Comparison(reference, candidate, pool, options).run();
}

std::uint64_t bytes_to_compare(const WeightVersions& reference, const WeightVersions& candidate) {
  std::uint64_t sum = 0;
  for (const WeightVersion& version : reference.versions) {
    const auto other = std::find_if(
        candidate.versions.begin(), candidate.versions.end(),
        [&version](const WeightVersion& candidate_version) { return candidate_version.name == version.name; });
    if (other == candidate.versions.end()) {
      continue;
    }
    if (!version.snapshot.empty() && !version.computed) {
      sum += files_below(version.snapshot);
    } else if (!other->snapshot.empty() && !other->computed) {
      sum += files_below(other->snapshot);
    }
  }
  return sum;
}

}  // namespace rlverify::compare
