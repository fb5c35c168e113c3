// SPDX-License-Identifier: Apache-2.0
// Reads the large parts of a run file by file: sidecars are surveyed, train dumps reduced to what rules ask. Spread
// over threads, kept in file order.
#pragma once

#include <vector>

#include "core/thread_pool.h"
#include "report/validation_result.h"
#include "run/run_directory.h"
#include "sidecar/dump_survey.h"
#include "sidecar/survey.h"

namespace rlverify::judge {

[[nodiscard]] std::vector<sidecar::SurveyedFile> survey_sidecars(const run::RunDirectory& run,
                                                                 const sidecar::Layout& layout, core::ThreadPool& pool,
                                                                 bool show_progress);

/// With an index, the dumps' log-probs are held against the sidecars'; without, only their pickles are walked.
[[nodiscard]] std::vector<sidecar::SurveyedDump> survey_dumps(const run::RunDirectory& run,
                                                              const sidecar::ShardIndex* index, core::ThreadPool& pool,
                                                              bool show_progress);

/// What was looked at, section by section.
[[nodiscard]] std::vector<report::Coverage> coverage_of(const run::RunDirectory& run,
                                                        const std::vector<sidecar::SurveyedFile>& sidecars,
                                                        const std::vector<sidecar::SurveyedDump>& dumps,
                                                        const sidecar::SidecarSection& section);

}  // namespace rlverify::judge
