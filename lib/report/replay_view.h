// SPDX-License-Identifier: Apache-2.0
// The view of `replay`.
#pragma once

#include <string_view>

#include "replay/result.h"
#include "report/report_view.h"

namespace rlverify::report {

/// A check for each side (does it follow a contract?) and one for both (is it the same?). `tool_version` like "0.1.0".
[[nodiscard]] ReportView replay_view(const replay::ReplayResult& result, std::string_view tool_version);

}  // namespace rlverify::report
