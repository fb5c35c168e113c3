// SPDX-License-Identifier: Apache-2.0
// A model has hundreds of tensors, of which a few differ: those are what a reader looks for, so equal ones are counted
// in one row.
#include "report/diff_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/diff_words.h"
#include "report/finding_text.h"
#include "tensor/difference_detail.h"

namespace rlverify::report {

namespace {

using diff::TensorDiff;
using diff::TensorState;

std::string state_word(TensorState state) {
  switch (state) {
    case TensorState::kEqual:
      return "equal";
    case TensorState::kWithinTolerance:
      return "within tolerance";
    case TensorState::kDifferent:
      return "different";
    case TensorState::kOtherShape:
      return "other shape";
    case TensorState::kOtherDtype:
      return "other dtype";
    case TensorState::kOnlyReference:
      return "missing";
    case TensorState::kOnlyCandidate:
      return "added";
    case TensorState::kNotJudged:
      return "not readable";
  }
  return "not readable";
}

bool good(const TensorDiff& tensor) {
  return tensor.state == TensorState::kEqual || tensor.state == TensorState::kWithinTolerance;
}

ViewCheck check_of(const TensorDiff& tensor) {
  ViewCheck check;
  check.section = core::Section::kTensors;
  check.title = check.tensor = tensor.name;
  check.verdict = good(tensor) ? CheckVerdict::kPassed : CheckVerdict::kFailed;
  check.word = state_word(tensor.state);
  if (tensor.differs()) {
    const tensor::Difference& difference = tensor.difference;
    check.compared =
        fmt::format("{} of {} elements ({}), max |d| {}, max {} ULP", grouped(difference.different_elements),
                    grouped(difference.elements), share_text(difference.different_elements, difference.elements),
                    short_number(difference.max_abs_difference), grouped(difference.max_ulp_distance));
  } else {
    check.compared = tensor.state == TensorState::kNotJudged ? "not compared" : "elements are not compared";
  }
  return check;
}

ViewCheck shared_check(std::uint64_t count, std::string word, bool passed, std::string compared) {
  ViewCheck check;
  check.section = core::Section::kTensors;
  check.title = fmt::format("{} {}", grouped(count), count == 1 ? "tensor" : "tensors");
  check.verdict = passed ? CheckVerdict::kPassed : CheckVerdict::kFailed;
  check.word = std::move(word);
  check.compared = std::move(compared);
  check.tensor = check.title;  // no finding names it
  return check;
}

std::vector<ViewCheck> checks_of(const diff::ModelDiff& diff) {
  std::vector<ViewCheck> checks;
  std::uint64_t equal = 0;
  std::uint64_t equal_elements = 0;
  std::uint64_t more = 0;
  bool more_passed = true;
  for (const TensorDiff& tensor : diff.tensors) {
    if (tensor.state == TensorState::kEqual) {
      ++equal;
      equal_elements += tensor.difference.elements;
    } else if (checks.size() < kMostTensorChecks) {
      checks.push_back(check_of(tensor));
    } else {
      ++more;
      more_passed = more_passed && good(tensor);
    }
  }
  if (more != 0) {
    checks.push_back(shared_check(more, more_passed ? "within tolerance" : "not equal", more_passed,
                                  "more than are listed here: the findings document has them"));
  }
  if (equal != 0) {
    checks.push_back(shared_check(equal, "equal", true, fmt::format("{} elements", grouped(equal_elements))));
  }
  return checks;
}

/// |d| of the tensor that is worst, by power of two.
void append_sizes(const diff::ModelDiff& diff, std::vector<Chart>& charts) {
  const TensorDiff* const worst = diff.worst.empty() ? nullptr : &diff.tensors[diff.worst.front()];
  if (worst == nullptr || !worst->detail) {
    return;
  }
  const tensor::DifferenceDetail& detail = worst->detail->statistics;
  const auto used = [](std::uint64_t count) { return count != 0; };
  const auto begin = std::find_if(detail.histogram.begin(), detail.histogram.end(), used);
  const auto end = std::find_if(detail.histogram.rbegin(), detail.histogram.rend(), used).base();
  if (begin >= end) {
    return;
  }
  BarChart chart;
  chart.title = "Sizes of the differences, " + worst->name;
  chart.x_title = "absolute difference, powers of two";
  chart.y_title = "elements";
  chart.log_scale = true;
  for (auto bin = begin; bin != end; ++bin) {
    chart.bars.push_back(
        {fmt::format("2^{}", detail.lowest_exponent + static_cast<int>(bin - detail.histogram.begin())), *bin});
  }
  chart.description = fmt::format(
      "Elements of the tensor that differs most, by absolute difference; bar 2^k counts from 2^k to below 2^(k+1). "
      "The largest is {}.",
      short_number(worst->difference.max_abs_difference));
  charts.emplace_back(std::move(chart));
}

/// Rows of the worst tensor with the places of their differences, where they were asked for.
void append_rows(const diff::ModelDiff& diff, std::vector<Chart>& charts) {
  const TensorDiff* const worst = diff.worst.empty() ? nullptr : &diff.tensors[diff.worst.front()];
  if (worst == nullptr || !worst->detail || worst->detail->rows.empty()) {
    return;
  }
  HeatChart chart;
  chart.title = "Where they differ, " + worst->name;
  chart.x_title = "column";
  chart.y_title = "row";
  chart.x_unit = "column";
  chart.description = fmt::format(
      "Elements that differ by row and column (bins of about equal width); the first {} of {} rows that differ.",
      worst->detail->rows.size(), grouped(worst->detail->rows_different));
  for (const diff::RowPositions& row : worst->detail->rows) {
    const std::size_t bins = row.bins.bins().size();
    chart.columns = std::max(chart.columns, bins);
    chart.bin_width = bins == 0 ? 1 : static_cast<std::int64_t>((row.bins.length() + bins - 1) / bins);
    HeatRow& out = chart.rows.emplace_back();
    out.label = grouped(row.row);
    for (const diff::PositionBins::Bin& bin : row.bins.bins()) {
      out.counts.push_back(bin.different);
    }
  }
  charts.emplace_back(std::move(chart));
}

/// Positions of each sample that differs, where they were asked for: by sample instead of by rank.
void append_samples(const diff::SidecarDiff& diff, std::vector<Chart>& charts) {
  BarChart chart;
  chart.title = "Mismatches per sample";
  chart.x_title = "call.sample";
  chart.y_title = "elements that differ";
  std::size_t shown = 0;
  for (const std::size_t index : diff.worst) {
    if (shown++ == 40) {
      break;
    }
    const diff::SampleDiff& sample = diff.samples[index];
    chart.bars.push_back({fmt::format("{}.{}", sample.call, sample.sample), sample.difference.different_elements});
  }
  if (chart.bars.empty()) {
    return;
  }
  chart.description = fmt::format("The {} worst of {} samples that differ, of {} in all.", chart.bars.size(),
                                  grouped(diff.samples_different), grouped(diff.samples.size()));
  charts.emplace_back(std::move(chart));
}

}  // namespace

ReportView diff_view(const diff::ModelDiff& diff, std::string_view tool_version) {
  ReportView view;
  view.command = "diff";
  view.subject = fmt::format("{} against {}", diff.candidate_path, diff.reference_path);
  view.exit_code = diff.exit_code();
  view.tool_version = tool_version;
  view.facts = {{"reference", diff.reference_path},
                {"candidate", diff.candidate_path},
                {"answer", std::string(answer_word(diff.answer()))},
                {"compared", fmt::format("{} tensors, {} elements, {}", grouped(diff.tensors_compared),
                                         grouped(diff.elements_compared), bytes_text(diff.bytes_compared))}};
  ViewGroup group;
  group.name = view.subject;
  group.passed = view.passed();
  group.checks = checks_of(diff);
  group.findings = sorted_list(diff.findings);
  group.first = divergence_of(group.findings);
  view.groups.push_back(std::move(group));
  append_sizes(diff, view.charts);
  append_rows(diff, view.charts);
  return view;
}

ReportView sidecar_diff_view(const diff::SidecarDiff& diff, std::string_view tool_version) {
  ReportView view;
  view.command = "diff";
  view.subject = diff.path;
  view.exit_code = diff.exit_code();
  view.tool_version = tool_version;
  view.facts = {{"sidecars", diff.path},
                {"answer", std::string(answer_word(diff.answer()))},
                {"compared", fmt::format("{} files, {} samples, {} elements", grouped(diff.files_read),
                                         grouped(diff.samples.size()), grouped(diff.total.elements))}};
  ViewGroup group;
  group.name = view.subject;
  group.passed = view.passed();
  ViewCheck check;
  check.section = core::Section::kLogProbs;
  check.title = "train against rollout";
  check.verdict = view.passed() ? CheckVerdict::kPassed : CheckVerdict::kFailed;
  check.word = answer_key(diff.answer());
  std::replace(check.word.begin(), check.word.end(), '_', ' ');
  check.compared =
      fmt::format("{} of {} elements differ", grouped(diff.total.different_elements), grouped(diff.total.elements));
  group.checks = {check};
  group.findings = sorted_list(diff.findings);
  group.first = divergence_of(group.findings);
  view.groups.push_back(std::move(group));
  append_samples(diff, view.charts);
  return view;
}

}  // namespace rlverify::report
