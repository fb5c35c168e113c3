// SPDX-License-Identifier: Apache-2.0
// What every rendering for other programs and for the browser is drawn from: one flat picture of an answer, the same
// for every command. A command builds a view from its result; JUnit, GitHub, Markdown and HTML know nothing else. Text
// is raw here, as artifacts have it; each renderer escapes for its own form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/finding.h"
#include "report/check_list.h"

namespace rlverify::report {

/// One check as a row of a table and a test case of JUnit.
struct ViewCheck {
  core::Section section = core::Section::kLaunch;
  std::string title;  ///< "log-probs"
  CheckVerdict verdict = CheckVerdict::kUnavailable;
  std::string word;       ///< the verdict as the command says it: "passed", "equal", "differ", "asked"
  bool required = false;  ///< unavailable is then a failure
  std::string compared;   ///< "9 tensors, 6,192 elements"
  std::string tensor{};   ///< the one tensor that it is about; empty: its whole section
};

/// Where things first went wrong.
struct ViewDivergence {
  std::string what;                      ///< in one sentence
  std::string before;                    ///< what is bit-identical up to there; may be empty
  std::optional<core::Finding> finding;  ///< that says it
};

/// A run that was judged, or one candidate.
struct ViewGroup {
  std::string name;
  bool passed = false;
  std::vector<ViewCheck> checks;  ///< in causal order
  std::optional<ViewDivergence> first;
  std::vector<core::Finding> findings;  ///< causes before consequences; files as paths from the working directory
};

struct Bar {
  std::string label;
  std::uint64_t value = 0;
};
/// One bar for each step, or for each size of a difference.
struct BarChart {
  std::string title;
  std::string description;  ///< one sentence for who can't see it
  std::string x_title;
  std::string y_title;
  bool log_scale = false;
  std::vector<Bar> bars;
};

struct LinePoint {
  std::int64_t step = 0;
  double value = 0;
  bool marked = false;  ///< differs from the reference in bits
};
struct Line {
  std::string name;
  std::vector<LinePoint> points;  ///< ascending; finite values only
};
/// Values over the steps; the first line is the reference.
struct LineChart {
  std::string title;
  std::string description;
  std::string y_title;
  std::vector<Line> lines;
};

struct HeatRow {
  std::string label;
  std::vector<std::uint64_t> counts;  ///< columns behind the last one are 0
};
/// Counts by position (columns) and rank (rows).
struct HeatChart {
  std::string title;
  std::string description;
  std::string x_title;
  std::string y_title;              ///< what a row is: "rank"
  std::string x_unit = "position";  ///< what a column is
  std::int64_t bin_width = 1;
  std::size_t columns = 0;
  std::vector<HeatRow> rows;
};

/// Groups by checks.
struct MatrixChart {
  std::string title;
  std::string description;
};

using Chart = std::variant<BarChart, LineChart, HeatChart, MatrixChart>;

struct ReportView {
  std::string command;  ///< "validate"
  std::string subject;  ///< "example-failing", "2 candidates against example-passing"
  core::ExitCode exit_code = core::ExitCode::kInternal;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label and text, most telling first
  std::vector<ViewGroup> groups;                           ///< never empty
  std::vector<Chart> charts;
  std::string tool_version;

  [[nodiscard]] bool passed() const { return exit_code == core::ExitCode::kPassed; }
};

/// "PASSED", "FAILED" or "NOT JUDGED".
[[nodiscard]] std::string_view verdict_word(const ReportView& view);
/// "9 checks: 7 passed, 2 failed, 0 unavailable".
[[nodiscard]] std::string checks_sentence(const ReportView& view);
/// Whether a check counts against the answer: failed, or required and without evidence.
[[nodiscard]] bool counts_as_failure(const ViewCheck& check);
/// Whether a finding is one of this check's.
[[nodiscard]] bool belongs(const core::Finding& finding, const ViewCheck& check);
/// Findings of all groups.
[[nodiscard]] std::size_t finding_count(const ReportView& view);
/// Title of a finding's code, or what it says where the code has no row.
[[nodiscard]] std::string finding_title(const core::Finding& finding);
/// The finding's own hint, else that of its code.
[[nodiscard]] std::string finding_hint(const core::Finding& finding);
/// The findings in the order in which they are shown: causes before consequences.
[[nodiscard]] std::vector<core::Finding> sorted_list(core::Findings findings);
/// The first error among findings, else nothing.
[[nodiscard]] std::optional<ViewDivergence> divergence_of(const std::vector<core::Finding>& findings);

}  // namespace rlverify::report
