// SPDX-License-Identifier: Apache-2.0
// Views of validate and compare: checks and words, the first divergence, places from the working directory, and charts
// that are there exactly when there is something to show.
#include <catch2/catch.hpp>

#include "compare/compare_runs.h"
#include "core/test_support.h"
#include "report/report_support.h"
#include "report/report_views.h"
#include "report/series_charts.h"
#include "report/view_support.h"
#include "support/pt_writer.h"
#include "support/test_run.h"

namespace rlverify::report {
namespace {

using core::Section;
using test::contains;

template <typename ChartType>
const ChartType* chart_called(const ReportView& view, const std::string& title) {
  for (const Chart& chart : view.charts) {
    const auto* const one = std::get_if<ChartType>(&chart);
    if (one != nullptr && contains(one->title, title)) {
      return one;
    }
  }
  return nullptr;
}

const ViewCheck& check_of(const ViewGroup& group, Section section) {
  for (const ViewCheck& check : group.checks) {
    if (check.section == section) {
      return check;
    }
  }
  FAIL("no such check");
  return group.checks.front();
}

/// Two runs on disk, read and compared.
struct Compared {
  core::test::TemporaryFolder folder;
  core::ThreadPool pool{2};
  std::vector<compare::RunEvidence> runs;
  compare::RunComparison comparison;

  Compared(const rlverify::test::TestRun& reference, const rlverify::test::TestRun& candidate) {
    reference.write(folder.file("a"));
    candidate.write(folder.file("b"));
    for (const char* const name : {"a", "b"}) {
      compare::ReadOptions options;
      options.name = name;
      runs.push_back(compare::read_evidence(folder.file(name), options, pool));
    }
    comparison.reference = "a";
    comparison.candidates.push_back(compare::compare_candidate(runs[0], runs[1], pool, false));
  }
  [[nodiscard]] ReportView view() const { return comparison_view({comparison, {&runs[0], &runs[1]}}, "0.1.0"); }
};

TEST_CASE("view of a validation that passed: no divergence, no picture of differences", "[view]") {
  const auto filled = test::passing("runs/one");
  const ReportView view = validation_view(filled.result, "0.1.0");
  CHECK(view.passed());
  CHECK(view.subject == "pcp2-ipc-r3");
  REQUIRE(view.groups.size() == 1);
  CHECK_FALSE(view.groups[0].first);
  CHECK(view.groups[0].findings.empty());
  CHECK(chart_called<HeatChart>(view, "") == nullptr);
  CHECK(chart_called<BarChart>(view, "Sizes") == nullptr);
}

TEST_CASE("view of a validation that failed: the first error is the divergence, places begin at the directory",
          "[view]") {
  auto filled = test::passing("runs/one");
  filled.result.findings.add(test::finding("RLV-168", Section::kLogProbs, "later", "mismatch-sidecars/x.pt"));
  filled.result.findings.add(test::finding("RLV-111", Section::kLaunch, "a cause", "manifest.json"));
  core::Finding absolute = test::finding("RLV-112", Section::kLaunch, "elsewhere", "/abs/file");
  absolute.severity = core::Severity::kWarning;
  filled.result.findings.add(absolute);
  filled.result.findings.add(test::finding("RLV-113", Section::kLog, "inside", "runs/one/run.log"));
  const ReportView view = validation_view(filled.result, "0.1.0");
  const ViewGroup& group = view.groups[0];
  REQUIRE(group.first);
  CHECK(group.first->finding->code == "RLV-111");
  CHECK(group.first->finding->place.file == "runs/one/manifest.json");
  REQUIRE(group.findings.size() == 4);
  CHECK(group.findings[3].place.file == "/abs/file");
  CHECK(group.findings[1].place.file == "runs/one/run.log");
  CHECK(check_of(group, Section::kLogProbs).verdict == CheckVerdict::kFailed);
}

TEST_CASE("view of a validation: mismatches that were measured come before those that the log states", "[view]") {
  auto filled = test::passing();
  CHECK(chart_called<BarChart>(validation_view(filled.result, "0.1.0"), "as logged") != nullptr);
  filled.result.sidecars.series.by_step = {{0, 0}, {1, 3}, {2, 4}};
  filled.result.sidecars.series.positions[4].add(7, 7);
  filled.result.sidecars.series.magnitudes.add(1.0, 1.5);
  const ReportView view = validation_view(filled.result, "0.1.0");
  CHECK(chart_called<BarChart>(view, "as logged") == nullptr);
  const auto* const steps = chart_called<BarChart>(view, "Mismatches per step");
  REQUIRE(steps != nullptr);
  REQUIRE(steps->bars.size() == 3);
  CHECK(steps->bars[2].value == 4);
  CHECK(contains(
      steps->description,
      "Elements that differ in bits, train against rollout log-probs: 7, at 2 of 3 steps; the first is step 1."));
  const auto* const sizes = chart_called<BarChart>(view, "Sizes");
  REQUIRE(sizes != nullptr);
  CHECK(sizes->bars.at(0).label == "2^-1");
  const auto* const where = chart_called<HeatChart>(view, "Where");
  REQUIRE(where != nullptr);
  CHECK(where->rows.at(0).label == "4");
  CHECK(where->rows.at(0).counts.at(7) == 7);
}

TEST_CASE("charts: more steps than bars share them and lose nothing", "[view]") {
  sidecar::MismatchSeries series;
  for (std::int64_t step = 0; step < 1000; ++step) {
    series.by_step[step] = 1;
  }
  std::vector<Chart> charts;
  append_mismatch_charts(series, "", "a and b", charts);
  const auto& chart = std::get<BarChart>(charts.at(0));
  CHECK(chart.bars.size() <= kMostBars);
  std::uint64_t total = 0;
  for (const Bar& bar : chart.bars) {
    total += bar.value;
  }
  CHECK(total == 1000);
  CHECK(chart.bars[0].label == "0\u20138");
}

TEST_CASE("view of equal runs: every check equal, norms of both sides", "[view]") {
  const Compared compared(rlverify::test::passing_run(), rlverify::test::passing_run());
  const ReportView view = compared.view();
  REQUIRE(view.groups.size() == 1);
  CHECK(view.groups[0].name == "b");
  CHECK(view.groups[0].checks.size() == 6);
  CHECK(check_of(view.groups[0], Section::kTokens).word == "equal");
  CHECK(check_of(view.groups[0], Section::kNorms).title == "norms");
  CHECK(check_of(view.groups[0], Section::kNorms).required);
  CHECK(chart_called<MatrixChart>(view, "Candidates and checks") != nullptr);
  const auto* const norms = chart_called<LineChart>(view, "Gradient norms");
  REQUIRE(norms != nullptr);
  REQUIRE(norms->lines.size() == 2);
  CHECK(norms->lines[0].points.size() == 2);
  CHECK_FALSE(norms->lines[1].points.at(0).marked);
  CHECK(chart_called<HeatChart>(view, "Where") == nullptr);
}

/// The last bit of the first element of a vector.
void flip(rlverify::test::PtValue& vectors) {
  std::string& bytes = vectors.at(0).tensor().bytes;
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
}

TEST_CASE("view of runs that differ: marks, series and the finding that says it", "[view]") {
  namespace t = rlverify::test;
  auto candidate = t::passing_run();
  for (int rank = t::kTensorParallel; rank < t::kRanks; ++rank) {
    auto sidecar = t::sidecar_payload(rank, 1);
    flip(sidecar["rollout_log_probs"]);
    candidate.files[t::sidecar_path(rank, 1)] = t::write_pt(sidecar);
    auto dump = t::dump_payload(rank, 1);
    flip(dump["rollout_data"]["rollout_log_probs"]);
    candidate.files[t::dump_path(rank, 1)] = t::write_pt(dump);
  }
  candidate.replace("run.log", "'train/grad_norm': 0.021", "'train/grad_norm': 0.0210000001");
  const Compared compared(t::passing_run(), candidate);
  const ReportView view = compared.view();
  const ViewGroup& group = view.groups.at(0);
  CHECK_FALSE(view.passed());
  CHECK(check_of(group, Section::kLogProbs).word == "differ");
  CHECK(check_of(group, Section::kNorms).verdict == CheckVerdict::kFailed);
  REQUIRE(group.first);
  CHECK(contains(group.first->what, "step 1, log-probs"));
  REQUIRE(group.first->finding);
  CHECK(group.first->finding->code == "RLV-330");
  const auto* const norms = chart_called<LineChart>(view, "Gradient norms");
  REQUIRE(norms != nullptr);
  CHECK_FALSE(norms->lines.at(1).points.at(0).marked);
  CHECK(norms->lines.at(1).points.at(1).marked);
  // Dump and sidecar hold the same vector: it counts once.
  const auto* const steps = chart_called<BarChart>(view, "Mismatches per step");
  REQUIRE(steps != nullptr);
  REQUIRE(steps->bars.size() == 2);
  CHECK(steps->bars[0].value == 0);
  CHECK(steps->bars[1].value == 1);
  const auto* const where = chart_called<HeatChart>(view, "Where");
  REQUIRE(where != nullptr);
  REQUIRE(where->rows.size() == 1);
  CHECK(where->rows[0].label == "4");
  CHECK(chart_called<BarChart>(view, "Sizes") != nullptr);
}

TEST_CASE("view of a comparison: faults of reading have a group of their own", "[view]") {
  Compared compared(rlverify::test::passing_run(), rlverify::test::passing_run());
  compared.comparison.findings.add(test::finding("RLV-102", Section::kLog, "can't be read"));
  const ReportView view = compared.view();
  REQUIRE(view.groups.size() == 2);
  CHECK(view.groups[0].name == "reading the runs");
  CHECK(view.groups[0].checks.size() == 1);
  CHECK(view.groups[0].checks[0].verdict == CheckVerdict::kFailed);
  CHECK_FALSE(view.passed());
}

}  // namespace
}  // namespace rlverify::report
