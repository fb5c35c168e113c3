// SPDX-License-Identifier: Apache-2.0
// Each job opens one file and writes one slot, so the order of threads can't show.
#include "judge/evidence.h"

#include "core/byte_source.h"
#include "core/progress.h"

namespace rlverify::judge {

std::vector<sidecar::SurveyedFile> survey_sidecars(const run::RunDirectory& run, const sidecar::Layout& layout, core::ThreadPool& pool, bool show_progress) {
  const auto& names = run.sidecar_files.names;
  std::vector<sidecar::SurveyedFile> files(names.size());
  core::Progress progress("sidecars", names.size(), show_progress);
  pool.for_each(names.size(), [&](std::size_t i) {
    const std::string shown = "mismatch-sidecars/" + names[i];
    try {
      files[i] = sidecar::survey_sidecar(core::open_file(run.file_path("mismatch-sidecars", names[i]), shown), names[i], layout);
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

std::vector<SurveyedDump> survey_dumps(const run::RunDirectory& run, core::ThreadPool& pool, bool show_progress) {
  const auto& names = run.dump_files.names;
  std::vector<SurveyedDump> dumps(names.size());
  core::Progress progress("train dumps", names.size(), show_progress);
  pool.for_each(names.size(), [&](std::size_t i) {
    SurveyedDump& surveyed = dumps[i];
    surveyed.name = names[i];
    try {
      const run::DumpFile dump = run::read_dump(core::open_file(run.file_path("train-data", names[i]), "train-data/" + names[i]), names[i]);
      surveyed.public_view = dump.public_view;
      surveyed.bytes = dump.source->size();
      surveyed.tensors = dump.pt->tensors.size();
    } catch (const core::ArtifactError& error) {
      surveyed.problem = error.problem();
    }
    progress.add(1);
  });
  return dumps;
}

}  // namespace rlverify::judge
