// SPDX-License-Identifier: Apache-2.0
// Each job opens one file and writes one slot, so the order of threads can't show.
#include "judge/evidence.h"

#include "core/byte_source.h"
#include "core/progress.h"

namespace rlverify::judge {

using core::Section;

std::vector<sidecar::SurveyedFile> survey_sidecars(const run::RunDirectory& run, const sidecar::Layout& layout,
                                                   core::ThreadPool& pool, bool show_progress) {
  const auto& names = run.sidecar_files.names;
  std::vector<sidecar::SurveyedFile> files(names.size());
  core::Progress progress("sidecars", names.size(), show_progress);
  pool.for_each(names.size(), [&](std::size_t i) {
    try {
      auto source = core::open_file(run.file_path("mismatch-sidecars", names[i]), "mismatch-sidecars/" + names[i]);
      files[i] = sidecar::survey_sidecar(std::move(source), names[i], layout);
    } catch (const core::ArtifactError& error) {
      files[i].name = names[i];
      files[i].problem = error.problem();
    }
    for (sidecar::Shard& shard : files[i].shards) {
      shard.file = static_cast<std::uint32_t>(i);
    }
    progress.add(1);
  });
  return files;
}

std::vector<sidecar::SurveyedDump> survey_dumps(const run::RunDirectory& run, const sidecar::ShardIndex* index,
                                                core::ThreadPool& pool, bool show_progress) {
  const auto& names = run.dump_files.names;
  std::vector<sidecar::SurveyedDump> dumps(names.size());
  core::Progress progress("train dumps", names.size(), show_progress);
  pool.for_each(names.size(), [&](std::size_t i) {
    try {
      auto source = core::open_file(run.file_path("train-data", names[i]), "train-data/" + names[i]);
      dumps[i] = sidecar::survey_dump(std::move(source), names[i], index);
    } catch (const core::ArtifactError& error) {
      dumps[i].name = names[i];
      dumps[i].problem = error.problem();
    }
    progress.add(1);
  });
  return dumps;
}

std::vector<report::Coverage> coverage_of(const run::RunDirectory& run,
                                          const std::vector<sidecar::SurveyedFile>& sidecars,
                                          const std::vector<sidecar::SurveyedDump>& dumps,
                                          const sidecar::SidecarSection& section) {
  const auto part = [](Section of, std::uint64_t files) {
    report::Coverage coverage;
    coverage.section = of;
    coverage.files = files;
    return coverage;
  };
  const auto add = [](report::Coverage& coverage, const auto& files) {
    for (const auto& file : files) {
      coverage.tensors += file.tensors;
      coverage.bytes += file.bytes;
    }
  };
  report::Coverage log = part(Section::kLog, 1);
  log.bytes = run.log->bytes;
  report::Coverage weights = part(Section::kWeights, run.weight_audits.size());
  for (const run::WeightAudit& audit : run.weight_audits) {
    weights.tensors += audit.tensors.size();
  }
  report::Coverage log_probs = part(Section::kLogProbs, sidecars.size());
  add(log_probs, sidecars);
  log_probs.elements = static_cast<std::uint64_t>(section.element_count);
  report::Coverage dumped = part(Section::kDumps, dumps.size());
  add(dumped, dumps);
  return {part(Section::kLaunch, run.has_ray_status ? 2 : 1),
          log,
          part(Section::kBackends, run.readbacks.size()),
          weights,
          log_probs,
          dumped};
}

}  // namespace rlverify::judge
