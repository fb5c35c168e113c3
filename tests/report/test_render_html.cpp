// SPDX-License-Identifier: Apache-2.0
// The page: its parts in order, text that would break out of it, tables and pictures that say what they show.
#include <catch2/catch.hpp>
#include <regex>

#include "report/renderers.h"
#include "report/rule_table.h"
#include "report/svg.h"
#include "report/view_support.h"

namespace rlverify::report {
namespace {

using test::contains;
using test::count_of;
using test::small_view;

BarChart bars(std::vector<Bar> values, bool log_scale) {
  BarChart chart;
  chart.title = "Bars";
  chart.description = "What they show.";
  chart.x_title = "step";
  chart.y_title = "elements";
  chart.log_scale = log_scale;
  chart.bars = std::move(values);
  return chart;
}

/// Heights of the rectangles of class "bar".
std::vector<double> heights(const std::string& svg) {
  static const std::regex kBar("height=\"([0-9.]+)\" class=\"bar\"");
  std::vector<double> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kBar), end; at != end; ++at) {
    out.push_back(std::stod((*at)[1]));
  }
  return out;
}

TEST_CASE("html: the bytes of a small page's body", "[html]") {
  const std::string page = render_html(small_view());
  CHECK(page.compare(0, 16, "<!DOCTYPE html>\n") == 0);
  const std::string body = page.substr(page.find("<body>"));
  std::string expected = R"html(<body>
<header class="bad"><div>
<span class="verdict">FAILED</span><span class="command">rlverify validate</span>
<h1>run-1</h1>
<p>3 checks: 1 passed, 1 failed, 1 unavailable</p>
<dl class="facts">
<dt>run directory</dt><dd>runs/one</dd>
</dl>
</div></header>
<main>
<h2>First divergence</h2>
<div class="panel bad"><p><span class="badge bad">RLV-162</span> <strong>Log-probs differ in bits</strong></p>
<p class="muted">everything before is equal</p>
<dl class="evidence">
<dt>place</dt><dd>runs/one/side.pt, rank 4</dd>
<dt>expected</dt><dd class="value expected">train -0.5 (0xbf000000)</dd>
<dt>found</dt><dd class="value found">rollout -0.25 (0xbe800000)</dd>
</dl>
</div>
<h2>Checks</h2>
<div class="scroll" role="region" tabindex="0" aria-label="Checks of run-1"><table>
<thead><tr><th scope="col">check</th><th scope="col">verdict</th><th scope="col" class="number">findings</th><th scope="col">what was compared</th></tr></thead>
<tbody>
<tr><th scope="row">weights</th><td><span class="badge good">passed</span></td><td class="number"></td><td>3 files</td></tr>
<tr><th scope="row">log-probs</th><td><span class="badge bad">failed</span></td><td class="number">1</td><td>16 files</td></tr>
<tr><th scope="row">train dumps</th><td><span class="badge ">unavailable</span></td><td class="number"></td><td>no evidence</td></tr>
</tbody>
</table></div>
<h2>Findings <span class="muted">(1)</span></h2>
<details open><summary><span class="badge bad">error RLV-162</span><strong>Log-probs differ in bits</strong> <span class="muted">runs/one/side.pt, rank 4</span></summary><div>
<p>train and rollout differ</p>
<dl class="evidence">
<dt>place</dt><dd>runs/one/side.pt, rank 4</dd>
<dt>expected</dt><dd class="value expected">train -0.5 (0xbf000000)</dd>
<dt>found</dt><dd class="value found">rollout -0.25 (0xbe800000)</dd>
</dl>
<p class="muted">MEANING</p>
</div></details>
</main>
<footer>rlverify 0.1.0. <code>rlverify explain CODE</code> tells more of a code.</footer>
</body>
</html>
)html";
  expected.replace(expected.find("MEANING"), 7, find_rule("RLV-162")->meaning);
  CHECK(body == expected);
}

TEST_CASE("html: the page loads nothing and runs nothing", "[html]") {
  ReportView view = test::hostile_view();
  view.charts = {bars({{test::hostile_text(), 3}}, false), MatrixChart{test::hostile_text(), test::hostile_text()}};
  const std::string page = render_html(view);
  CHECK(contains(page, "default-src 'none'"));
  for (const char* const part : {"<script", "<link", "<img", "<iframe", "url(", "@import", " src=", " href=", "\x1b"}) {
    CAPTURE(part);
    CHECK_FALSE(contains(page, part));
  }
  CHECK(contains(page, "&lt;script&gt;alert(1)"));
}

TEST_CASE("html: a picture has title and description, and its bars follow the values", "[html]") {
  const std::string svg = bar_svg(bars({{"0", 0}, {"1", 10}, {"2", 5}}, false), "chart-1");
  CHECK(contains(svg, "role=\"img\" aria-labelledby=\"chart-1-title chart-1-description\""));
  CHECK(contains(svg, "<title id=\"chart-1-title\">Bars</title>"));
  CHECK(contains(svg, "<desc id=\"chart-1-description\">What they show.</desc>"));
  const std::vector<double> linear = heights(svg);
  REQUIRE(linear.size() == 2);  // 0 has no bar
  CHECK(linear[1] == Approx(linear[0] / 2).margin(0.1));
  const std::vector<double> log = heights(bar_svg(bars({{"2^-24", 1}, {"2^-23", 10}, {"2^-22", 100}}, true), "c"));
  REQUIRE(log.size() == 3);
  CHECK(log[0] > 5);  // one element is seen
  CHECK(log[2] - log[1] == Approx(log[1] - log[0]).margin(0.2));
}

TEST_CASE("html: bars that are all 0 are a sentence, not a picture", "[html]") {
  ReportView view = small_view();
  view.charts = {bars({{"0", 0}, {"1", 0}}, false)};
  const std::string page = render_html(view);
  CHECK_FALSE(contains(page, "<svg"));
  CHECK(contains(page, "<p>What they show.</p>"));
}

TEST_CASE("html: norms have a band with a tick for each step that differs", "[html]") {
  LineChart chart;
  chart.title = "Norms";
  chart.lines = {{"reference", {{0, 1.0, false}, {1, 2.0, false}, {2, 3.0, false}}},
                 {"candidate", {{0, 1.0, false}, {1, 2.5, true}, {2, 2.5, true}}}};
  const std::string svg = line_svg(chart, "c");
  CHECK(count_of(svg, "<polyline") == 2);
  CHECK(count_of(svg, "class=\"difference\"") == 2);
  CHECK(count_of(svg, "class=\"ring\"") == 1);
  CHECK(count_of(svg, "class=\"band\"") == 1);
}

TEST_CASE("html: a line of one point or of equal values has finite coordinates", "[html]") {
  LineChart chart;
  chart.lines = {{"reference", {{5, 0.0, false}}}, {"candidate", {}}};
  const std::string one = line_svg(chart, "c");
  CHECK_FALSE(contains(one, "nan"));
  CHECK_FALSE(contains(one, "inf"));
  chart.lines[0].points = {{0, -3e300, false}, {1, 3e300, false}};
  const std::string wide = line_svg(chart, "c");
  CHECK_FALSE(contains(wide, "nan"));
  CHECK_FALSE(contains(wide, "inf\""));
}

TEST_CASE("html: the heat map has a cell for each count, darker where there are more", "[html]") {
  HeatChart chart;
  chart.title = "Where";
  chart.y_title = "rank";
  chart.columns = 3;
  chart.rows = {{"0", {0, 1, 100}}, {"4", {}}};
  const std::string svg = heat_svg(chart, "c");
  CHECK(contains(svg, "fill-opacity=\"0.25\" class=\"heat\"><title>rank 0, position 1: 1</title>"));
  CHECK(contains(svg, "fill-opacity=\"1.00\" class=\"heat\"><title>rank 0, position 2: 100</title>"));
  CHECK(count_of(svg, "class=\"heat\"><title>") == 2);
}

TEST_CASE("html: axes have round ticks", "[html]") {
  const Axis axis = round_axis(0, 312, 4, true);
  CHECK(axis.step == 100);
  CHECK(axis.high == 400);
  CHECK(round_axis(0, 1, 4, true).step == 1);
  CHECK(tick_text(1000, 500) == "1,000");
  CHECK(tick_text(0.25, 0.05) == "0.25");
  CHECK(tick_text(-2, 1) == "\u22122");
  CHECK(tick_text(2e-05, 1e-05) == "2e-05");
}

}  // namespace
}  // namespace rlverify::report
