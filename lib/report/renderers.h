// SPDX-License-Identifier: Apache-2.0
// The renderings of a view: for CI, for a pull request, for a browser. Each is a function of the view alone, so the
// same view gives the same bytes.
#pragma once

#include <string>

#include "report/report_view.h"

namespace rlverify::report {

/// JUnit XML: a suite for each group, a test case for each check. A check that counts against the answer is a failure
/// with the first divergence in its message, any other check without evidence is skipped. No time of day, no duration.
[[nodiscard]] std::string render_junit(const ReportView& view);

/// GitHub shows no more annotations of one kind and step.
inline constexpr std::size_t kMostAnnotations = 10;
/// Workflow commands (::error, ::warning, ::notice), causes first, at most kMostAnnotations; where there are more
/// findings the last says how many and in which sections. A line with the verdict comes first.
[[nodiscard]] std::string render_github(const ReportView& view);

/// The verdict, the tables of checks and where things first part, as Markdown: for a step summary.
[[nodiscard]] std::string render_markdown_summary(const ReportView& view);
/// The same and the findings folded: for a comment on a pull request, below GitHub's limit of 65,536 characters.
[[nodiscard]] std::string render_markdown(const ReportView& view);

/// One page that needs nothing beside it: no script, no network; light and dark as the reader's system is.
[[nodiscard]] std::string render_html(const ReportView& view);

}  // namespace rlverify::report
