// SPDX-License-Identifier: Apache-2.0
// The views of `validate` and `compare`.
#pragma once

#include <string_view>

#include "report/comparison_document.h"
#include "report/report_view.h"
#include "report/validation_result.h"

namespace rlverify::report {

/// One group; files of findings get the run's directory in front. `tool_version` like "0.1.0".
[[nodiscard]] ReportView validation_view(const ValidationResult& result, std::string_view tool_version);

/// A group for each candidate, and before them one for faults met while reading the runs, where there are any.
[[nodiscard]] ReportView comparison_view(const ComparisonInput& input, std::string_view tool_version);

}  // namespace rlverify::report
