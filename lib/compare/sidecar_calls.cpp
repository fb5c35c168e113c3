// SPDX-License-Identifier: Apache-2.0
// All ranks train on the same number of samples per step, so a rank whose files are all there says it for the others.
#include "compare/sidecar_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/byte_source.h"
#include "run/file_names.h"
#include "run/sidecar_file.h"

namespace rlverify::compare {
namespace {

/// One rank's calls in ascending order, up to the first that is missing or can't be read.
struct RankCalls {
  std::vector<SidecarName> calls;
  std::vector<std::int64_t> samples;  ///< of each call
  bool complete = true;
  [[nodiscard]] std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : samples) {
      sum += count;
    }
    return sum;
  }
};

std::int64_t count_samples(const std::string& path, const std::string& name) {
  try {
    return static_cast<std::int64_t>(run::read_sidecar(core::open_file(path), name).samples.size());
  } catch (const core::ArtifactError&) {
    return -1;  // told when the step is read, or by what is left out
  }
}

std::map<std::int64_t, RankCalls> calls_by_rank(const std::vector<SidecarName>& names,
                                                const std::vector<std::int64_t>& samples) {
  std::map<std::int64_t, RankCalls> ranks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    RankCalls& rank = ranks[names[i].rank];
    const bool next = names[i].call == static_cast<std::int64_t>(rank.calls.size());
    if (!rank.complete || !next || samples[i] < 0) {
      rank.complete = false;
      continue;
    }
    rank.calls.push_back(names[i]);
    rank.samples.push_back(samples[i]);
  }
  return ranks;
}

/// Of one rank; nothing where no rank has all its files or they don't divide into the steps.
std::optional<std::int64_t> samples_per_step(const std::map<std::int64_t, RankCalls>& ranks, std::int64_t steps) {
  std::optional<std::int64_t> found;
  for (const auto& [number, rank] : ranks) {
    const std::int64_t total = rank.total();
    if (!rank.complete) {
      continue;
    }
    if (total == 0 || total % steps != 0 || (found && *found != total / steps)) {
      return std::nullopt;
    }
    found = total / steps;
  }
  return found;
}

/// Number of calls that were given to a step.
std::size_t assign_rank(const RankCalls& rank, std::int64_t per_step, std::int64_t steps, SampleSources& sources) {
  std::size_t assigned = 0;
  std::int64_t gathered = 0;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < rank.calls.size() && step < steps; ++i) {
    gathered += rank.samples[i];
    if (gathered > per_step) {
      break;
    }
    if (gathered == per_step) {
      for (; assigned <= i; ++assigned) {
        sources.sidecars[step].push_back(rank.calls[assigned]);
      }
      gathered = 0;
      ++step;
    }
  }
  return assigned;
}

void left_out(const std::string& file, std::string expected, std::string found, core::Findings& findings) {
  core::Finding finding = core::bare_finding("RLV-335", core::Severity::kWarning, core::Section::kLogProbs,
                                             "the sidecars can't be told apart by step");
  finding.place.file = file;
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  findings.add(std::move(finding));
}

}  // namespace

void assign_sidecars(const run::RunDirectory& run, core::ThreadPool& pool, SampleSources& sources,
                     core::Findings& findings) {
  const std::string folder = run.path + "/mismatch-sidecars";
  std::error_code error;
  sources.empty_sidecar_folder = run.sidecar_files.names.empty() && std::filesystem::is_directory(folder, error);
  std::vector<SidecarName> names;
  for (const std::string& name : run.sidecar_files.names) {
    if (const auto parsed = run::parse_rank_call_name(name)) {
      names.push_back({name, parsed->rank, parsed->call});
    }
  }
  const auto steps = static_cast<std::int64_t>(sources.dumps.size());
  if (names.empty() || steps == 0) {
    return;  // without dumps nothing says which samples the sidecars hold
  }
  if (sources.dumps.rbegin()->first != steps - 1) {
    left_out(folder, "dumps of all steps from 0 on",
             fmt::format("{} of {} steps", steps, sources.dumps.rbegin()->first + 1), findings);
    return;
  }
  std::sort(names.begin(), names.end(), [](const SidecarName& a, const SidecarName& b) {
    return std::pair(a.rank, a.call) < std::pair(b.rank, b.call);
  });
  std::vector<std::int64_t> samples(names.size());
  pool.for_each(names.size(),
                [&](std::size_t i) { samples[i] = count_samples(folder + "/" + names[i].name, names[i].name); });
  const auto ranks = calls_by_rank(names, samples);
  const auto per_step = samples_per_step(ranks, steps);
  if (!per_step) {
    left_out(folder,
             fmt::format("a rank with all its calls, and the same number of samples in each of {} steps", steps),
             "none", findings);
    return;
  }
  std::map<std::int64_t, std::size_t> files_of_rank;
  for (const SidecarName& name : names) {
    ++files_of_rank[name.rank];
  }
  for (const auto& [number, rank] : ranks) {
    const std::size_t assigned = assign_rank(rank, *per_step, steps, sources);
    if (assigned != files_of_rank[number]) {
      left_out(folder + "/" + run::rank_call_name(number, static_cast<std::int64_t>(assigned)),
               fmt::format("{} samples in the calls of each step", *per_step),
               "a call that is missing, can't be read or spans two steps", findings);
    }
  }
}

}  // namespace rlverify::compare
