// SPDX-License-Identifier: Apache-2.0
// Pictures made of cells: counts by position and rank, verdicts by group and check.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/finding_text.h"
#include "report/svg.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

constexpr double kLeft = 48;
constexpr double kRight = kSvgWidth - 8;

std::uint64_t highest_count(const HeatChart& chart) {
  std::uint64_t highest = 1;
  for (const HeatRow& row : chart.rows) {
    for (const std::uint64_t count : row.counts) {
      highest = std::max(highest, count);
    }
  }
  return highest;
}

/// One element is as visible as an opacity of a quarter.
double opacity_of(std::uint64_t count, std::uint64_t highest) {
  const double share =
      highest <= 1 ? 1.0 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(highest));
  return 0.25 + 0.75 * share;
}

std::string positions_text(const HeatChart& chart, std::size_t column) {
  const std::int64_t first = static_cast<std::int64_t>(column) * chart.bin_width;
  return chart.bin_width == 1 ? fmt::format("{} {}", chart.x_unit, first)
                              : fmt::format("{}s {}\u2013{}", chart.x_unit, first, first + chart.bin_width - 1);
}

/// What the shades mean.
void shades(Svg& svg, double y, std::uint64_t highest) {
  constexpr double kCell = 14;
  const std::uint64_t middle = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(highest))));
  double x = kLeft;
  for (const std::uint64_t count : {std::uint64_t{1}, middle, highest}) {
    if (count == middle && (middle == 1 || middle == highest)) {
      continue;
    }
    if (count == highest && highest == 1) {
      continue;
    }
    svg.cell(x, y, kCell, 11, opacity_of(count, highest), "heat", "");
    svg.text(x + kCell + 4, y + 10, Anchor::kStart, grouped(count));
    x += kCell + 20 + 7.0 * static_cast<double>(grouped(count).size());
  }
  svg.text(x, y + 10, Anchor::kStart, "elements that differ", "axis-title");
}

std::string clipped_label(const std::string& text, std::size_t characters) {
  if (display_width(text) <= characters) {
    return text;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < characters; ++i) {
    static_cast<void>(next_code_point(text, at));
  }
  return text.substr(0, at) + "\u2026";
}

std::string_view cell_class(const ViewCheck& check) {
  if (counts_as_failure(check)) {
    return "cell-bad";
  }
  return check.verdict == CheckVerdict::kPassed ? "cell-good" : "cell-none";
}

}  // namespace

std::string heat_svg(const HeatChart& chart, std::string_view id) {
  constexpr double kTop = 8;
  const auto rows = static_cast<double>(std::max<std::size_t>(chart.rows.size(), 1));
  const std::size_t columns = std::max<std::size_t>(chart.columns, 1);
  const double row_height = std::clamp(170.0 / rows, 4.0, 22.0);
  const double column_width = std::min((kRight - kLeft) / static_cast<double>(columns), 40.0);
  const double right = kLeft + column_width * static_cast<double>(columns);
  const std::uint64_t highest = highest_count(chart);
  const double bottom = kTop + row_height * rows;
  const std::size_t row_stride = row_height >= 12 ? 1 : static_cast<std::size_t>(std::ceil(12 / row_height));
  Svg svg;
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const HeatRow& row = chart.rows[r];
    const double y = kTop + row_height * static_cast<double>(r);
    svg.rectangle(kLeft, y, right - kLeft, row_height - 1, "band");
    if (r % row_stride == 0) {
      svg.text(kLeft - 6, y + row_height / 2 + 4, Anchor::kEnd, row.label);
    }
    for (std::size_t c = 0; c < std::min(columns, row.counts.size()); ++c) {
      if (row.counts[c] != 0) {
        svg.cell(
            kLeft + column_width * static_cast<double>(c), y, std::max(column_width - 0.5, 0.5), row_height - 1,
            opacity_of(row.counts[c], highest), "heat",
            fmt::format("{} {}, {}: {}", chart.y_title, row.label, positions_text(chart, c), grouped(row.counts[c])));
      }
    }
  }
  const std::size_t longest = std::to_string(static_cast<std::int64_t>(columns) * chart.bin_width).size();
  const std::size_t stride = label_stride(columns, longest, right - kLeft);
  for (std::size_t c = 0; c < columns; c += stride) {
    svg.text(kLeft + column_width * (static_cast<double>(c) + (chart.bin_width == 1 ? 0.5 : 0.0)), bottom + 15,
             chart.bin_width == 1 ? Anchor::kMiddle : Anchor::kStart,
             std::to_string(static_cast<std::int64_t>(c) * chart.bin_width));
  }
  svg.text(kLeft, bottom + 33, Anchor::kStart, chart.x_title, "axis-title");
  svg.vertical_text(11, (kTop + bottom) / 2, chart.y_title);
  shades(svg, bottom + 44, highest);
  return svg.finish(id, bottom + 60, chart.title, chart.description);
}

std::string matrix_svg(const MatrixChart& chart, const std::vector<ViewGroup>& groups, std::string_view id) {
  constexpr double kMargin = 2;
  constexpr double kCellHeight = 38;
  constexpr std::size_t kNameCharacters = 58;
  Svg svg;
  double y = 0;
  for (const ViewGroup& group : groups) {
    svg.text(kMargin, y + 14, Anchor::kStart, clipped_label(printable(group.name, false), kNameCharacters), "row-name");
    y += 21;
    const auto count = std::max<std::size_t>(group.checks.size(), 4);
    const double width = (kSvgWidth - 2 * kMargin) / static_cast<double>(count);
    for (std::size_t i = 0; i < group.checks.size(); ++i) {
      const ViewCheck& check = group.checks[i];
      const double x = kMargin + width * static_cast<double>(i);
      const std::string_view css_class = cell_class(check);
      const std::string tooltip = fmt::format("{}, {}: {}, {}", group.name, check.title, check.word, check.compared);
      svg.rectangle(x, y, width - 3, kCellHeight, css_class, tooltip);
      svg.text(x + (width - 3) / 2, y + 15, Anchor::kMiddle, check.title, "cell-title");
      svg.text(x + (width - 3) / 2, y + 30, Anchor::kMiddle, check.word, fmt::format("cell-word {}-text", css_class));
    }
    y += kCellHeight + 12;
  }
  return svg.finish(id, y, chart.title, chart.description);
}

}  // namespace rlverify::report
