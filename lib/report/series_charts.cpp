// SPDX-License-Identifier: Apache-2.0
// A chart says in its description what it shows in figures: the greatest bar, how many steps differ, from where on.
#include "report/series_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/finding_text.h"

namespace rlverify::report {

namespace {

using StepCounts = std::map<std::int64_t, std::uint64_t>;

/// Steps in bars; neighbours are joined evenly where there are too many.
std::vector<Bar> step_bars(const StepCounts& counts) {
  const std::size_t joined = (counts.size() + kMostBars - 1) / kMostBars;
  std::vector<Bar> bars;
  std::size_t in_bar = 0;
  std::int64_t first = 0;
  for (const auto& [step, count] : counts) {
    if (in_bar == 0) {
      bars.push_back({std::to_string(step), 0});
      first = step;
    } else {
      bars.back().label = fmt::format("{}\u2013{}", first, step);
    }
    bars.back().value += count;
    in_bar = (in_bar + 1) % joined;
  }
  return bars;
}

BarChart steps_chart(const StepCounts& counts, std::string title, const std::string& source) {
  BarChart chart;
  chart.title = std::move(title);
  chart.x_title = "step";
  chart.y_title = "elements that differ";
  chart.bars = step_bars(counts);
  std::uint64_t total = 0;
  std::size_t steps = 0;
  std::int64_t first = 0;
  for (const auto& [step, count] : counts) {
    first = count != 0 && steps == 0 ? step : first;
    total += count;
    steps += count != 0 ? 1U : 0U;
  }
  chart.description = steps == 0 ? fmt::format("{}: 0 at each of {} steps.", source, grouped(counts.size()))
                                 : fmt::format("{}: {}, at {} of {} steps; the first is step {}.", source,
                                               grouped(total), grouped(steps), grouped(counts.size()), first);
  return chart;
}

BarChart magnitude_chart(const sidecar::Magnitudes& magnitudes, const std::string& whose, const std::string& sides) {
  BarChart chart;
  chart.title = "Sizes of the differences" + whose;
  chart.x_title = "absolute difference, powers of two";
  chart.y_title = "elements";
  chart.log_scale = true;
  if (magnitudes.sign_of_zero != 0) {
    chart.bars.push_back({"\u00b10", magnitudes.sign_of_zero});
  }
  if (!magnitudes.by_exponent.empty()) {
    const int last = magnitudes.by_exponent.rbegin()->first;
    for (int exponent = magnitudes.by_exponent.begin()->first; exponent <= last; ++exponent) {
      const auto at = magnitudes.by_exponent.find(exponent);
      chart.bars.push_back({fmt::format("2^{}", exponent), at == magnitudes.by_exponent.end() ? 0 : at->second});
    }
  }
  if (magnitudes.non_finite != 0) {
    chart.bars.push_back({"nan/inf", magnitudes.non_finite});
  }
  const auto most = std::max_element(chart.bars.begin(), chart.bars.end(),
                                     [](const Bar& a, const Bar& b) { return a.value < b.value; });
  chart.description = fmt::format(
      "Elements that differ, {}, by absolute difference; bar 2^k counts from 2^k to below 2^(k+1). Most at {}: {}.",
      sides, most->label, grouped(most->value));
  return chart;
}

HeatChart position_chart(const sidecar::MismatchSeries& series, const std::string& whose, const std::string& sides) {
  HeatChart chart;
  chart.title = "Where they differ" + whose;
  chart.x_title = "position in the response";
  chart.y_title = "rank";
  for (const auto& [rank, bins] : series.positions) {
    chart.bin_width = std::max(chart.bin_width, bins.width());
  }
  std::uint64_t most = 0;
  std::string where;
  for (const auto& [rank, bins] : series.positions) {
    sidecar::PositionBins wide = bins;
    wide.widen(chart.bin_width);
    chart.columns = std::max(chart.columns, wide.used());
    chart.rows.push_back({rank < 0 ? "?" : std::to_string(rank), {wide.counts().begin(), wide.counts().end()}});
    for (std::size_t i = 0; i < wide.counts().size(); ++i) {
      if (wide.counts().at(i) > most) {
        most = wide.counts().at(i);
        where = fmt::format("rank {}, positions from {}", chart.rows.back().label,
                            static_cast<std::int64_t>(i) * chart.bin_width);
      }
    }
  }
  chart.description = fmt::format(
      "Elements that differ, {}, by rank and by {}. Most at {}: {}.", sides,
      chart.bin_width == 1 ? std::string("position") : fmt::format("position in bins of {}", chart.bin_width), where,
      grouped(most));
  return chart;
}

bool any_position(const sidecar::MismatchSeries& series) {
  return std::any_of(series.positions.begin(), series.positions.end(),
                     [](const auto& row) { return row.second.used() > 0; });
}

Line reference_line(const compare::RunComparison& comparison) {
  Line line;
  line.name = comparison.reference;
  std::map<std::int64_t, double> values;
  for (const compare::CandidateComparison& candidate : comparison.candidates) {
    for (const auto& [step, pair] : candidate.norm_values) {
      if (pair.reference && std::isfinite(*pair.reference)) {
        values[step] = *pair.reference;
      }
    }
  }
  for (const auto& [step, value] : values) {
    line.points.push_back({step, value, false});
  }
  return line;
}

}  // namespace

void append_mismatch_charts(const sidecar::MismatchSeries& series, const std::string& whose, const std::string& sides,
                            std::vector<Chart>& charts) {
  if (!series.by_step.empty()) {
    charts.emplace_back(
        steps_chart(series.by_step, "Mismatches per step" + whose, "Elements that differ in bits, " + sides));
  }
  if (!series.magnitudes.empty()) {
    charts.emplace_back(magnitude_chart(series.magnitudes, whose, sides));
  }
  if (any_position(series)) {
    charts.emplace_back(position_chart(series, whose, sides));
  }
}

void append_logged_mismatches(const std::vector<readback::ScalarRow>& rows, std::vector<Chart>& charts) {
  StepCounts counts;
  for (const readback::ScalarRow& row : rows) {
    if (!row.bitwise_mismatch_count) {
      continue;
    }
    const double count = std::visit([](auto value) { return static_cast<double>(value); }, *row.bitwise_mismatch_count);
    if (count >= 0 && count < 1e18) {
      counts[row.step] = static_cast<std::uint64_t>(count);
    }
  }
  if (!counts.empty()) {
    charts.emplace_back(steps_chart(counts, "Mismatches per step, as logged", "Mismatches that the run log states"));
  }
}

void append_norm_chart(const compare::RunComparison& comparison, std::vector<Chart>& charts) {
  LineChart chart;
  chart.title = "Gradient norms";
  chart.y_title = "train/grad_norm";
  chart.lines.push_back(reference_line(comparison));
  std::size_t points = chart.lines.front().points.size();
  std::string differences;
  for (const compare::CandidateComparison& candidate : comparison.candidates) {
    Line line;
    line.name = candidate.name;
    std::size_t marked = 0;
    for (const auto& [step, pair] : candidate.norm_values) {
      if (pair.candidate && std::isfinite(*pair.candidate)) {
        const auto equal = candidate.norms.find(step);
        line.points.push_back({step, *pair.candidate, equal != candidate.norms.end() && !equal->second});
        marked += line.points.back().marked ? 1U : 0U;
      }
    }
    differences += fmt::format(" {} differs at {} of {} steps.", candidate.name, marked, line.points.size());
    points += line.points.size();
    chart.lines.push_back(std::move(line));
  }
  if (points == 0) {
    return;
  }
  chart.description =
      "Gradient norms over the steps; the ticks below mark norms of other bits than the reference's." + differences;
  charts.emplace_back(std::move(chart));
}

}  // namespace rlverify::report
