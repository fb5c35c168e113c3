// SPDX-License-Identifier: Apache-2.0
// Pieces of the HTML page.
#pragma once

#include <string>

#include "report/report_view.h"

namespace rlverify::report {

/// Place, expected, found, count and hint as a list; the two values stand below one another, so that the first digit
/// that differs is seen.
[[nodiscard]] std::string html_evidence(const core::Finding& finding);
/// A finding that folds; `group` is empty where there is only one.
[[nodiscard]] std::string html_finding(const core::Finding& finding, const std::string& group, bool open);
/// The table of a group's checks in a box of its own.
[[nodiscard]] std::string html_checks(const ViewGroup& group, bool with_caption);

}  // namespace rlverify::report
