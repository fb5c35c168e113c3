// SPDX-License-Identifier: Apache-2.0
// Reads the large parts of a run file by file: sidecars are surveyed, train dumps reduced to what rules ask. Spread over threads, kept in file order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "run/dump_file.h"
#include "run/run_directory.h"
#include "sidecar/survey.h"

namespace rlverify::judge {

[[nodiscard]] std::vector<sidecar::SurveyedFile> survey_sidecars(const run::RunDirectory& run, const sidecar::Layout& layout, core::ThreadPool& pool, bool show_progress);

/// What is kept of one train dump.
struct SurveyedDump {
  std::string name;
  std::optional<core::Problem> problem;
  run::PublicDumpView public_view = run::PublicDumpView::kRaises;
  std::uint64_t bytes = 0;
  std::uint64_t tensors = 0;
};
[[nodiscard]] std::vector<SurveyedDump> survey_dumps(const run::RunDirectory& run, core::ThreadPool& pool, bool show_progress);

}  // namespace rlverify::judge
