// SPDX-License-Identifier: Apache-2.0
// The views of `diff`.
#pragma once

#include <string_view>

#include "diff/model_diff.h"
#include "diff/sidecar_diff.h"
#include "report/report_view.h"

namespace rlverify::report {

/// At most so many tensors have a check of their own; the others share one.
inline constexpr std::size_t kMostTensorChecks = 200;

/// A check for each tensor whose bits, shape or dtype differ, and one for all that are equal; the sizes of the
/// differences of the worst tensor. `tool_version` like "0.1.0".
[[nodiscard]] ReportView diff_view(const diff::ModelDiff& diff, std::string_view tool_version);

/// One check, of the log-probs; mismatches by sample where they differ.
[[nodiscard]] ReportView sidecar_diff_view(const diff::SidecarDiff& diff, std::string_view tool_version);

}  // namespace rlverify::report
