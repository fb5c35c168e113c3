// SPDX-License-Identifier: Apache-2.0
// The page has no script, and its content security policy lets a browser load nothing at all: what an artifact wrote
// into it can only be text. The order is that of the questions: did it pass, where did it go wrong, what was looked at,
// how does it look, what else was found.
#include <fmt/format.h>

#include <algorithm>

#include "report/finding_text.h"
#include "report/findings_parts.h"
#include "report/html_parts.h"
#include "report/html_style.h"
#include "report/markup.h"
#include "report/renderers.h"
#include "report/svg.h"

namespace rlverify::report {

namespace {

constexpr std::size_t kOpenFindings = 3;

std::string header(const ReportView& view) {
  std::string out = fmt::format(
      "<header class=\"{}\"><div>\n<span class=\"verdict\">{}</span><span class=\"command\">rlverify {}</span>\n"
      "<h1>{}</h1>\n<p>{}</p>\n<dl class=\"facts\">\n",
      view.passed() ? "good" : "bad", verdict_word(view), markup_text(view.command), markup_text(view.subject),
      checks_sentence(view));
  for (const auto& [label, text] : view.facts) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_text(label), markup_text(text));
  }
  return out + "</dl>\n</div></header>\n";
}

/// Where a group first went wrong, or that it didn't.
std::string divergence_panel(const ReportView& view, const ViewGroup& group) {
  const std::string name = view.groups.size() == 1 ? "" : fmt::format("<h3>{}</h3>\n", markup_text(group.name));
  if (!group.first) {
    return fmt::format("<div class=\"panel {}\">{}<p>{}</p></div>\n", group.passed ? "good" : "bad", name,
                       group.passed
                           ? "Everything that was compared is as it has to be."
                           : "No difference was found, and not everything that is required could be compared.");
  }
  const ViewDivergence& first = *group.first;
  std::string out = fmt::format("<div class=\"panel bad\">{}<p>", name);
  if (first.finding) {
    out += fmt::format("<span class=\"badge bad\">{}</span> ", markup_text(first.finding->code));
  }
  out += fmt::format("<strong>{}</strong></p>\n", markup_text(first.what));
  out += first.before.empty() ? "" : fmt::format("<p class=\"muted\">{}</p>\n", markup_text(first.before));
  return out + (first.finding ? html_evidence(*first.finding) : "") + "</div>\n";
}

std::string legend(const LineChart& chart) {
  std::string out = "<ul class=\"legend\">";
  bool marked = false;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    out += fmt::format("<li class=\"series-{}\">{}{}</li>", i == 0 ? 0 : (i - 1) % 5 + 1,
                       markup_text(chart.lines[i].name), i == 0 ? " (reference)" : "");
    marked = marked || std::any_of(chart.lines[i].points.begin(), chart.lines[i].points.end(),
                                   [](const LinePoint& point) { return point.marked; });
  }
  return out + (marked ? "<li class=\"marks\">other bits than the reference</li></ul>\n" : "</ul>\n");
}

bool all_zero(const BarChart& chart) {
  return std::all_of(chart.bars.begin(), chart.bars.end(), [](const Bar& bar) { return bar.value == 0; });
}

/// The picture of a chart; none for bars that are all 0, whose sentence says it.
struct Picture {
  const ReportView& view;
  std::string id;

  std::string operator()(const BarChart& chart) const { return all_zero(chart) ? "" : bar_svg(chart, id); }
  std::string operator()(const LineChart& chart) const { return line_svg(chart, id) + legend(chart); }
  std::string operator()(const HeatChart& chart) const { return heat_svg(chart, id); }
  std::string operator()(const MatrixChart& chart) const { return matrix_svg(chart, view.groups, id); }
};

std::string figure(const ReportView& view, const Chart& chart, std::size_t number) {
  const std::string picture = std::visit(Picture{view, fmt::format("chart-{}", number)}, chart);
  const auto [title, description] =
      std::visit([](const auto& one) { return std::pair(one.title, one.description); }, chart);
  const bool is_matrix = std::holds_alternative<MatrixChart>(chart);
  return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}{}</figure>\n", markup_text(title), picture,
                     is_matrix ? "" : fmt::format("<p>{}</p>\n", markup_text(description)));
}

std::string charts(const ReportView& view) {
  if (view.charts.empty()) {
    return "";
  }
  std::string out = "<h2>Pictures</h2>\n<div class=\"charts\">\n";
  for (std::size_t i = 0; i < view.charts.size(); ++i) {
    out += figure(view, view.charts[i], i + 1);
  }
  return out + "</div>\n";
}

std::string findings(const ReportView& view) {
  const std::size_t all = finding_count(view);
  if (all == 0) {
    return "<h2>Findings</h2>\n<p class=\"muted\">None.</p>\n";
  }
  std::string out = fmt::format("<h2>Findings <span class=\"muted\">({})</span></h2>\n", grouped(all));
  std::size_t listed = 0;
  for (const ViewGroup& group : view.groups) {
    for (const core::Finding& finding : group.findings) {
      if (listed == kMaxListedFindings) {
        return out + fmt::format("<p class=\"muted\">{} more are not listed.</p>\n", grouped(all - listed));
      }
      out += html_finding(finding, view.groups.size() == 1 ? "" : group.name, listed < kOpenFindings);
      ++listed;
    }
  }
  return out;
}

}  // namespace

std::string render_html(const ReportView& view) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: {} \u2013 rlverify {}</title>\n<style>",
      verdict_word(view), markup_text(view.subject), markup_text(view.command));
  out += kHtmlStyle;
  out += "</style>\n</head>\n<body>\n" + header(view) + "<main>\n<h2>First divergence</h2>\n";
  for (const ViewGroup& group : view.groups) {
    out += divergence_panel(view, group);
  }
  out += "<h2>Checks</h2>\n";
  for (const ViewGroup& group : view.groups) {
    out += html_checks(group, view.groups.size() > 1);
  }
  out += charts(view) + findings(view);
  out +=
      fmt::format("</main>\n<footer>rlverify {}. <code>rlverify explain CODE</code> tells more of a code.</footer>\n",
                  markup_text(view.tool_version));
  return out + "</body>\n</html>\n";
}

}  // namespace rlverify::report
