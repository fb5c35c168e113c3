// SPDX-License-Identifier: Apache-2.0
// Shapes are written as they come: a picture has a few hundred, and its text is small enough for a page to hold it
// inline.
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/finding_text.h"
#include "report/markup.h"

namespace rlverify::report {

namespace {

std::string_view anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
  }
  return "start";
}

/// Minus as typographers set it.
std::string with_minus(std::string_view text) {
  return !text.empty() && text.front() == '-' ? "\u2212" + std::string(text.substr(1)) : std::string(text);
}

std::string label_markup(std::string_view text) {
  if (text.substr(0, 2) != "2^") {
    return markup_text(text);
  }
  return fmt::format("2<tspan dy=\"-4\" class=\"exponent\">{}</tspan>", markup_text(with_minus(text.substr(2))));
}

}  // namespace

void Svg::close(std::string_view tooltip) {
  body_ += tooltip.empty() ? "/>\n" : fmt::format("><title>{}</title>", markup_text(tooltip));
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view css_class,
                    std::string_view tooltip) {
  body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="{}")", x, y, width, height,
                       css_class);
  close(tooltip);
  body_ += tooltip.empty() ? "" : "</rect>\n";
}

void Svg::cell(double x, double y, double width, double height, double opacity, std::string_view css_class,
               std::string_view tooltip) {
  body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{:.2f}" class="{}")",
                       x, y, width, height, opacity, css_class);
  close(tooltip);
  body_ += tooltip.empty() ? "" : "</rect>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                       css_class);
}

void Svg::circle(double x, double y, double radius, std::string_view css_class, std::string_view tooltip) {
  body_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="{}")", x, y, radius, css_class);
  close(tooltip);
  body_ += tooltip.empty() ? "" : "</circle>\n";
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, std::string_view css_class) {
  body_ += fmt::format("<polyline class=\"{}\" points=\"", css_class);
  for (const auto& [x, y] : points) {
    body_ += fmt::format("{:.1f},{:.1f} ", x, y);
  }
  body_.back() = '"';
  body_ += "/>\n";
}

void Svg::text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor_name(anchor),
                       css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class), label_markup(text));
}

void Svg::vertical_text(double x, double y, std::string_view text) {
  body_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 {0:.1f} {1:.1f})\">{2}</text>\n",
      x, y, markup_text(text));
}

std::string Svg::finish(std::string_view id, double height, std::string_view title,
                        std::string_view description) const {
  return fmt::format(
             "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-labelledby=\"{}-title {}-description\">\n"
             "<title id=\"{}-title\">{}</title>\n<desc id=\"{}-description\">{}</desc>\n",
             kSvgWidth, height, id, id, id, markup_text(title), id, markup_text(description)) +
         body_ + "</svg>\n";
}

Axis round_axis(double low, double high, int ticks, bool whole_numbers) {
  Axis axis;
  const double span = high > low ? high - low : std::max(std::fabs(high) * 0.1, whole_numbers ? 1.0 : 1e-12);
  const double raw = span / ticks;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double factor = raw / power;
  axis.step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
  if (whole_numbers) {
    axis.step = std::max(1.0, axis.step);
  }
  axis.low = std::floor(low / axis.step) * axis.step;
  axis.high = std::ceil((low + span) / axis.step) * axis.step;
  return axis;
}

std::string tick_text(double value, double step) {
  const double clean = std::fabs(value) < step * 1e-6 ? 0.0 : value;
  const bool whole = step >= 1 && std::fabs(clean) < 1e15;
  if (whole) {
    return (clean < 0 ? "\u2212" : "") + grouped(static_cast<std::uint64_t>(std::llround(std::fabs(clean))));
  }
  if (step >= 1e-4 && std::fabs(clean) < 1e6) {
    const int digits = static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    return with_minus(fmt::format("{:.{}f}", clean, digits));
  }
  return with_minus(fmt::format("{:.3g}", clean));
}

std::size_t label_stride(std::size_t count, std::size_t characters, double width) {
  constexpr double kCharacter = 7.0;
  const double wanted = static_cast<double>(characters) * kCharacter + 8;
  const auto fitting = static_cast<std::size_t>(std::max(1.0, width / wanted));
  return std::max<std::size_t>(1, (count + fitting - 1) / fitting);
}

}  // namespace rlverify::report
