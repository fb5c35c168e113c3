// SPDX-License-Identifier: Apache-2.0
// The two rule sets as the judge calls them. Both fill the sections of `result` and add findings; readback::CannotJudge
// ends them.
#pragma once

#include "core/thread_pool.h"
#include "report/validation_result.h"
#include "run/run_directory.h"

namespace rlverify::judge {

/// Everything that a rule set needs to read more of the run.
struct Bench {
  const run::RunDirectory& run;
  core::ThreadPool& pool;
  bool show_progress = false;
};

/// The public validator's verdict, version D2.
void judge_by_reference(const Bench& bench, report::ValidationResult& result);
/// The rules that docs/rules.md argues for.
void judge_strictly(const Bench& bench, report::ValidationResult& result);

/// X1: the number of samples in the sidecars.
void sample_count_rule(std::int64_t num_rollout, std::int64_t global_batch_size, std::int64_t sample_count,
                       core::Findings& findings);

}  // namespace rlverify::judge
