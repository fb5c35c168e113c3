// SPDX-License-Identifier: Apache-2.0
// The second pass over the tensors that are shown (internal to diff/model_diff.h).
#pragma once

#include "core/progress.h"
#include "core/thread_pool.h"
#include "diff/model_diff.h"

namespace rlverify::diff {

/// Fills `detail` of the first kShownTensors of `diff.worst` and completes their ranges. A tensor that can't be read
/// any more keeps what the first pass found, gets no detail and says why in `problem`.
void look_again(ModelDiff& diff, bool per_position, core::ThreadPool& pool, core::Progress& progress);

/// The bytes that look_again reads of one side in its longest part: the total of its Progress.
[[nodiscard]] std::uint64_t second_pass_bytes(const ModelDiff& diff);

}  // namespace rlverify::diff
