// SPDX-License-Identifier: Apache-2.0
// Which sidecars belong to which step (internal to compare/samples.h). A step trains on a fixed number of samples,
// however many micro-batches they were cut into, so the calls of a rank are counted by their samples: with dynamic
// batches one step has one call and the next three.
#pragma once

#include "compare/samples.h"
#include "core/thread_pool.h"

namespace rlverify::compare {

/// Fills `sources.sidecars` for the steps of `sources.dumps`, which must count from 0. Opens every sidecar for the
/// number of its samples. What can't be told apart by step (a missing call and all after it, a call across two steps,
/// a number of samples that is no multiple of the steps) is left out with RLV-335 as a warning.
void assign_sidecars(const run::RunDirectory& run, core::ThreadPool& pool, SampleSources& sources,
                     core::Findings& findings);

}  // namespace rlverify::compare
