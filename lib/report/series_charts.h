// SPDX-License-Identifier: Apache-2.0
// Charts of the series that checks have measured: nothing but regrouping, so that a picture of 20,000 steps has as many
// bars as a screen can show.
#pragma once

#include <string>
#include <vector>

#include "compare/compare_runs.h"
#include "report/report_view.h"
#include "sidecar/mismatch_series.h"

namespace rlverify::report {

/// At most so many bars; beyond it neighbouring steps share one.
inline constexpr std::size_t kMostBars = 120;

/// Up to three charts, as far as there is something to show: mismatches per step, sizes of the differences, positions
/// and ranks. `whose` ends the titles: "" or ", candidate-a"; `sides` says what was compared: "train against
/// rollout".
void append_mismatch_charts(const sidecar::MismatchSeries& series, const std::string& whose, const std::string& sides,
                            std::vector<Chart>& charts);

/// Mismatches per step from what a log states; nothing without a row.
void append_logged_mismatches(const std::vector<readback::ScalarRow>& rows, std::vector<Chart>& charts);

/// Gradient norms of the reference and of all candidates; nothing where no step has one.
void append_norm_chart(const compare::RunComparison& comparison, std::vector<Chart>& charts);

}  // namespace rlverify::report
