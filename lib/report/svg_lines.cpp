// SPDX-License-Identifier: Apache-2.0
// Lines over the steps. Norms that differ in the last bit lie on one another in any picture, so a band below the plot
// has a tick for each step at which a candidate is not the reference; the first of them has a ring in the plot as well.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/svg.h"

namespace rlverify::report {

namespace {

constexpr double kLeft = 60;
constexpr double kRight = kSvgWidth - 10;
constexpr double kTop = 10;
constexpr double kBottom = 176;
constexpr double kBand = 9;          ///< height of a candidate's band with its gap
constexpr std::size_t kColours = 6;  ///< classes series-0 (the reference) to series-5
constexpr std::size_t kMostBands = 12;

struct Extent {
  std::int64_t first_step = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_step = std::numeric_limits<std::int64_t>::min();
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Extent extent_of(const LineChart& chart) {
  Extent extent;
  for (const Line& line : chart.lines) {
    for (const LinePoint& point : line.points) {
      extent.first_step = std::min(extent.first_step, point.step);
      extent.last_step = std::max(extent.last_step, point.step);
      extent.low = std::min(extent.low, point.value);
      extent.high = std::max(extent.high, point.value);
    }
  }
  return extent;
}

class LinePicture {
 public:
  explicit LinePicture(const LineChart& chart)
      : chart_(chart), extent_(extent_of(chart)), axis_(round_axis(extent_.low, extent_.high, 4, false)) {}

  std::string draw(std::string_view id) {
    grid();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      series(i);
    }
    double y = kBottom + 5;
    for (std::size_t i = 1; i < chart_.lines.size() && i <= kMostBands; ++i) {
      y = band(chart_.lines[i], y);
    }
    return steps(id, y);
  }

 private:
  [[nodiscard]] double x_of(std::int64_t step) const {
    const auto span = static_cast<double>(extent_.last_step) - static_cast<double>(extent_.first_step);
    const double share = span == 0 ? 0.5 : (static_cast<double>(step) - static_cast<double>(extent_.first_step)) / span;
    return kLeft + 8 + share * (kRight - kLeft - 16);
  }
  [[nodiscard]] double y_of(double value) const {
    return kBottom - (value - axis_.low) / (axis_.high - axis_.low) * (kBottom - kTop);
  }

  void grid() {
    for (int i = 0; axis_.low + axis_.step * i <= axis_.high + axis_.step * 1e-6; ++i) {
      const double value = axis_.low + axis_.step * i;
      svg_.line(kLeft, y_of(value), kRight, y_of(value), "gridline");
      svg_.text(kLeft - 6, y_of(value) + 4, Anchor::kEnd, tick_text(value, axis_.step));
    }
  }

  void series(std::size_t index) {
    const Line& line = chart_.lines[index];
    const std::string colour = fmt::format("series-{}", index == 0 ? 0 : (index - 1) % (kColours - 1) + 1);
    std::vector<std::pair<double, double>> points;
    for (const LinePoint& point : line.points) {
      points.emplace_back(x_of(point.step), y_of(point.value));
    }
    if (points.size() > 1) {
      svg_.polyline(points, "line " + colour);
    }
    constexpr std::size_t kDotted = 40;
    for (std::size_t i = 0; i < points.size() && points.size() <= kDotted; ++i) {
      svg_.circle(points[i].first, points[i].second, index == 0 ? 4.5 : 2.5, "dot " + colour,
                  fmt::format("{}, step {}: {}", line.name, line.points[i].step, line.points[i].value));
    }
    const auto first =
        std::find_if(line.points.begin(), line.points.end(), [](const LinePoint& point) { return point.marked; });
    if (first != line.points.end()) {
      svg_.circle(x_of(first->step), y_of(first->value), 7, "ring",
                  fmt::format("{}: first different norm, step {}", line.name, first->step));
    }
  }

  /// Returns where the next band begins.
  double band(const Line& line, double y) {
    const bool any =
        std::any_of(line.points.begin(), line.points.end(), [](const LinePoint& point) { return point.marked; });
    svg_.rectangle(kLeft, y, kRight - kLeft, kBand - 3, "band",
                   line.name + (any ? ": steps whose norm differs" : ": no step differs"));
    const auto tick = std::clamp(180.0 / static_cast<double>(std::max<std::size_t>(line.points.size(), 1)), 1.0, 6.0);
    for (const LinePoint& point : line.points) {
      if (point.marked) {
        svg_.rectangle(x_of(point.step) - tick / 2, y, tick, kBand - 3, "difference",
                       fmt::format("{}, step {}: {}", line.name, point.step, point.value));
      }
    }
    return y + kBand;
  }

  std::string steps(std::string_view id, double y) {
    const auto span = static_cast<double>(extent_.last_step) - static_cast<double>(extent_.first_step);
    const Axis axis = round_axis(0, std::max(span, 1.0), 6, true);
    for (int i = 0; axis.step * i <= span; ++i) {
      const std::int64_t step = extent_.first_step + static_cast<std::int64_t>(axis.step * i);
      svg_.text(x_of(step), y + 12, Anchor::kMiddle, std::to_string(step));
    }
    svg_.text((kLeft + kRight) / 2, y + 30, Anchor::kMiddle, "step", "axis-title");
    svg_.vertical_text(11, (kTop + kBottom) / 2, chart_.y_title);
    return svg_.finish(id, y + 36, chart_.title, chart_.description);
  }

  const LineChart& chart_;
  Extent extent_;
  Axis axis_;
  Svg svg_;
};

}  // namespace

std::string line_svg(const LineChart& chart, std::string_view id) {
  return LinePicture(chart).draw(id);
}

}  // namespace rlverify::report
