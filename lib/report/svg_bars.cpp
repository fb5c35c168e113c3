// SPDX-License-Identifier: Apache-2.0
// Bars. On a log scale one element must be visible, so the axis begins a third of a decade below 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/finding_text.h"
#include "report/svg.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

constexpr double kHeight = 230;
constexpr double kLeft = 60;
constexpr double kRight = kSvgWidth - 8;
constexpr double kTop = 10;
constexpr double kBottom = kHeight - 44;
constexpr double kBelowOne = 0.35;  ///< decades

/// Height of a value in the plot.
class Scale {
 public:
  Scale(std::uint64_t highest, bool log_scale) : log_scale_(log_scale) {
    axis_ = round_axis(0, static_cast<double>(std::max<std::uint64_t>(highest, 1)), 4, true);
    decades_ = std::max(1.0, std::ceil(std::log10(static_cast<double>(std::max<std::uint64_t>(highest, 1)))));
  }
  [[nodiscard]] double y(double value) const {
    const double share =
        log_scale_ ? (value < 1 ? 0 : (std::log10(value) + kBelowOne) / (decades_ + kBelowOne)) : value / axis_.high;
    return kBottom - share * (kBottom - kTop);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> values;
    if (log_scale_) {
      const int highest_decade = static_cast<int>(decades_);
      const int stride = static_cast<int>(std::ceil(decades_ / 6));
      for (int decade = 0; decade <= highest_decade; decade += stride) {
        values.push_back(std::pow(10.0, decade));
      }
      return values;
    }
    for (int i = 0; axis_.step * i <= axis_.high * (1 + 1e-9); ++i) {
      values.push_back(axis_.step * i);
    }
    return values;
  }
  [[nodiscard]] double step() const { return log_scale_ ? 1 : axis_.step; }

 private:
  bool log_scale_;
  Axis axis_;
  double decades_ = 1;
};

}  // namespace

std::string bar_svg(const BarChart& chart, std::string_view id) {
  std::uint64_t highest = 0;
  std::size_t longest = 1;
  for (const Bar& bar : chart.bars) {
    highest = std::max(highest, bar.value);
    longest = std::max(longest, display_width(bar.label));
  }
  const Scale scale(highest, chart.log_scale);
  Svg svg;
  for (const double tick : scale.ticks()) {
    svg.line(kLeft, scale.y(tick), kRight, scale.y(tick), "gridline");
    svg.text(kLeft - 6, scale.y(tick) + 4, Anchor::kEnd, tick_text(tick, scale.step()));
  }
  const double slot = (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(chart.bars.size(), 1));
  const double width = std::min(slot * (slot > 6 ? 0.72 : 0.9), 44.0);
  const std::size_t stride = label_stride(chart.bars.size(), longest, kRight - kLeft);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double middle = kLeft + slot * (static_cast<double>(i) + 0.5);
    if (bar.value != 0) {
      const double top = scale.y(static_cast<double>(bar.value));
      svg.rectangle(middle - width / 2, top, width, kBottom - top, "bar",
                    fmt::format("{}: {}", bar.label, grouped(bar.value)));
    }
    if (i % stride == 0) {
      svg.text(middle, kBottom + 17, Anchor::kMiddle, bar.label);
    }
  }
  svg.line(kLeft, kBottom, kRight, kBottom, "axis");
  svg.text((kLeft + kRight) / 2, kHeight - 6, Anchor::kMiddle, chart.x_title, "axis-title");
  svg.vertical_text(11, (kTop + kBottom) / 2, chart.y_title);
  return svg.finish(id, kHeight, chart.title, chart.description);
}

}  // namespace rlverify::report
