// SPDX-License-Identifier: Apache-2.0
// The findings document of `diff` (spec/documents.md section 6): as every other one, with `diff` (what was compared and
// the answer) and `tensors` (the statistics of each tensor or sample that differs). Version rule: that of
// findings_document.cpp.
#pragma once

#include <string_view>

#include "diff/model_diff.h"
#include "diff/sidecar_diff.h"
#include "report/document.h"

namespace rlverify::report {

/// Write with KeyOrder::kAsBuilt. `tool_version` like "0.1.0".
[[nodiscard]] Document diff_document(const diff::ModelDiff& diff, std::string_view tool_version);
[[nodiscard]] Document sidecar_diff_document(const diff::SidecarDiff& diff, std::string_view tool_version);

}  // namespace rlverify::report
