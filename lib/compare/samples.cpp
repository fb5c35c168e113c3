// SPDX-License-Identifier: Apache-2.0
// File names say which step a file belongs to; the payload must agree. Sidecars name no samples, so they are lined up
// with the dump of the same rank: its list and the lists of the step's calls, joined in call order, are the same
// samples.
#include "compare/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "compare/samples_reader.h"
#include "compare/sidecar_calls.h"
#include "core/byte_source.h"
#include "core/sha256.h"
#include "run/file_names.h"

namespace rlverify::compare {
namespace {

void odd_name(const std::string& folder, const std::string& name, const char* expected, core::Findings& findings) {
  core::Finding finding = core::bare_finding("RLV-325", core::Severity::kWarning, core::Section::kTokens,
                                             "a file of another name is left out");
  finding.place.file = folder + "/" + name;
  finding.expected = expected;
  findings.add(std::move(finding));
}

void add_dumps(const run::Listing& listing, const std::string& run_path, SampleSources& sources,
               core::Findings& findings) {
  if (listing.problem) {
    core::Problem problem = *listing.problem;
    problem.file = run_path + "/" + problem.file;
    findings.add(problem, "RLV-325", core::Section::kTokens);
  }
  for (const std::string& name : listing.names) {
    std::string_view rest = name;
    if (rest.substr(0, 1) == "." || run::take_word(rest, "eval_")) {
      continue;  // a temporary file, or a rollout for evaluation: no training sample
    }
    const auto step = run::take_number(rest);
    if (!step || rest.substr(0, 1) != ".") {
      odd_name(run_path + "/" + listing.folder, name, "<rollout>.rank<rank>.pt or <rollout>.pt", findings);
      continue;
    }
    sources.dumps[*step].push_back(name);
  }
}

std::int64_t positive(core::Value value) {
  return value.is_integer() && value.integer() > 0 ? value.integer() : 0;
}

void hash_number(core::Sha256& hash, std::uint64_t number) {
  hash.update(std::as_bytes(std::span(&number, 1)));
}

}  // namespace

std::string_view log_prob_name(LogProbKind kind) {
  switch (kind) {
    case LogProbKind::kTrain:
      return "train log-probs";
    case LogProbKind::kRollout:
      return "rollout log-probs";
    case LogProbKind::kSidecarTrain:
      return "train log-probs of the sidecars";
    case LogProbKind::kSidecarRollout:
      return "rollout log-probs of the sidecars";
  }
  return "";
}

const Sample* StepSamples::find(std::int64_t index) const {
  const auto at = std::lower_bound(samples.begin(), samples.end(), index,
                                   [](const Sample& sample, std::int64_t wanted) { return sample.index < wanted; });
  return at != samples.end() && at->index == index ? &*at : nullptr;
}

SampleSources sample_sources(const run::RunDirectory& run, core::ThreadPool& pool, core::Findings& findings) {
  SampleSources sources;
  sources.run_path = run.path;
  const core::Value topology = run.manifest.root().get("topology");
  sources.tensor_parallel_size = positive(topology.get("tp"));
  sources.context_parallel_size = positive(topology.get("cp"));
  sources.folder = "train-data";
  add_dumps(run.dump_files, run.path, sources, findings);
  if (sources.dumps.empty() && !run.dump_files.problem) {
    sources.folder = "dump/rollout_data";
    add_dumps(run::list_files(run.path, sources.folder, ".pt"), run.path, sources, findings);
  }
  if (run.sidecar_files.problem) {
    core::Problem problem = *run.sidecar_files.problem;
    problem.file = run.path + "/" + problem.file;
    findings.add(problem, "RLV-335", core::Section::kLogProbs);
  }
  assign_sidecars(run, pool, sources, findings);
  return sources;
}

StepSamples load_step(const SampleSources& sources, std::int64_t step) {
  StepReader reader(sources, step);
  if (const auto dumps = sources.dumps.find(step); dumps != sources.dumps.end()) {
    for (const std::string& name : dumps->second) {
      reader.read_dump(name);
    }
  }
  if (const auto sidecars = sources.sidecars.find(step); sidecars != sources.sidecars.end()) {
    reader.read_sidecars(sidecars->second);
  }
  return reader.take();
}

std::string token_digest(const Sample& sample) {
  core::Sha256 hash;
  hash_number(hash, sample.tokens.size());
  hash.update(std::as_bytes(std::span(sample.tokens)));
  return core::hex(hash.finish());
}

std::string log_prob_digest(const LogProbs& log_probs) {
  core::Sha256 hash;
  hash.update(tensor::torch_name(log_probs.dtype));
  hash_number(hash, log_probs.present.size());
  hash.update(std::as_bytes(std::span(log_probs.present)));
  hash.update(log_probs.values);
  return core::hex(hash.finish());
}

}  // namespace rlverify::compare
