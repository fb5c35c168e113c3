// SPDX-License-Identifier: Apache-2.0
// Pictures as inline SVG. Sizes are in units of the viewBox and scale with the page; colours are classes that the
// page's style sheet defines, so that one picture serves light and dark.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report_view.h"

namespace rlverify::report {

inline constexpr double kSvgWidth = 440;

enum class Anchor { kStart, kMiddle, kEnd };

/// Collects shapes; numbers have one decimal.
class Svg {
 public:
  void rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tooltip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void circle(double x, double y, double radius, std::string_view css_class, std::string_view tooltip = "");
  /// `points` as x, y pairs.
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view css_class);
  /// "2^-24" is set with a raised exponent.
  void text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class = "");
  /// Text that runs upwards, centred at (x, y).
  void vertical_text(double x, double y, std::string_view text);
  /// A rectangle with an opacity of its own.
  void cell(double x, double y, double width, double height, double opacity, std::string_view css_class,
            std::string_view tooltip);
  /// The whole element with title and description; `id` is unique in the page.
  [[nodiscard]] std::string finish(std::string_view id, double height, std::string_view title,
                                   std::string_view description) const;

 private:
  void close(std::string_view tooltip);
  std::string body_;
};

/// A linear axis from 0 or `low` to a round number at or above `high`.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;
};
[[nodiscard]] Axis round_axis(double low, double high, int ticks, bool whole_numbers);
/// A tick's label with as few digits as its step needs: "0.25", "1,000", "2e-05".
[[nodiscard]] std::string tick_text(double value, double step);

/// Every how many-th label to show so that labels of `characters` fit into `width`.
[[nodiscard]] std::size_t label_stride(std::size_t count, std::size_t characters, double width);

[[nodiscard]] std::string bar_svg(const BarChart& chart, std::string_view id);
[[nodiscard]] std::string line_svg(const LineChart& chart, std::string_view id);
[[nodiscard]] std::string heat_svg(const HeatChart& chart, std::string_view id);
[[nodiscard]] std::string matrix_svg(const MatrixChart& chart, const std::vector<ViewGroup>& groups,
                                     std::string_view id);

}  // namespace rlverify::report
