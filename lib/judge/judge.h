// SPDX-License-Identifier: Apache-2.0
// Judges one run: reads its evidence, measures the sections, lets a rule set speak. The one place that knows both paths
// and rules; readers don't judge, rules don't read, and documents are drawn from what this returns.
#pragma once

#include "core/thread_pool.h"
#include "report/validation_result.h"
#include "run/run_directory.h"

namespace rlverify::judge {

/// The verdict about the run that `run` holds. `run` must outlive the result, whose sections point into the manifest.
/// Sidecars and train dumps are opened here, spread over `pool`; the result does not depend on its size.
/// `show_progress` allows a progress line on a terminal. Throws core::Interrupted only.
[[nodiscard]] report::ValidationResult judge_run(const run::RunDirectory& run, report::RuleSet rules,
                                                 core::ThreadPool& pool, bool show_progress);

}  // namespace rlverify::judge
