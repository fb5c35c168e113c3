// SPDX-License-Identifier: Apache-2.0
// The order of reading at three in the morning: is it equal, where does it begin, how bad is it, what does it look
// like.
#include "report/diff_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/diff_parts.h"
#include "report/diff_words.h"
#include "report/finding_text.h"
#include "report/text_chart.h"
#include "report/text_layout.h"
#include "tensor/difference_detail.h"

namespace rlverify::report {
namespace {

using diff::Answer;
using diff::ModelDiff;
using diff::TensorDiff;

constexpr unsigned kWideColumns = 120;

std::string plural(std::uint64_t count, std::string_view word) {
  return fmt::format("{} {}{}", grouped(count), word, count == 1 ? "" : "s");
}

std::string short_dtype(tensor::DType dtype) {
  const std::string_view name = tensor::torch_name(dtype);
  return std::string(name.substr(name.rfind('.') + 1));
}

std::string shape_text(const tensor::TensorRef& ref) {
  return fmt::format("[{}]", fmt::join(ref.shape, ", "));
}

/// ", 1 missing, 2 of another shape": tensors that names, shapes and dtypes alone tell apart.
std::string structure_text(const ModelDiff& diff) {
  std::string out;
  const auto count = [&](diff::TensorState state, std::string_view word) {
    const auto found = std::count_if(diff.tensors.begin(), diff.tensors.end(),
                                     [state](const TensorDiff& tensor) { return tensor.state == state; });
    out += found == 0 ? "" : fmt::format(", {} {}", grouped(static_cast<std::uint64_t>(found)), word);
  };
  count(diff::TensorState::kOnlyReference, "missing");
  count(diff::TensorState::kOnlyCandidate, "added");
  count(diff::TensorState::kOtherShape, "of another shape");
  count(diff::TensorState::kOtherDtype, "of another dtype");
  count(diff::TensorState::kNotJudged, "not readable");
  return out;
}

std::string headline(const ModelDiff& diff) {
  const std::string compared = fmt::format("({} compared)", bytes_text(diff.bytes_compared));
  const std::string all =
      fmt::format("{}, {}", plural(diff.tensors_compared, "tensor"), plural(diff.elements_compared, "element"));
  switch (diff.answer()) {
    case Answer::kEqual:
      return fmt::format("{} {}", all, compared);
    case Answer::kWithinTolerance:
      return fmt::format("{} of {} differ, {} of {} {}", grouped(diff.tensors_different),
                         plural(diff.tensors_compared, "tensor"), grouped(diff.elements_different),
                         plural(diff.elements_compared, "element"), compared);
    case Answer::kDifferent:
      return fmt::format("{} of {}, {} of {}{}{} {}", grouped(diff.tensors_outside),
                         plural(diff.tensors_compared, "tensor"), grouped(diff.elements_outside),
                         plural(diff.elements_compared, "element"), diff.any_tolerance ? " outside tolerance" : "",
                         structure_text(diff), compared);
    case Answer::kIncomplete:
      return fmt::format("{} agree{} {}", all, structure_text(diff), compared);
    case Answer::kNothing:
      break;
  }
  return diff.tensors.empty()
             ? "there is no tensor on either side"
             : fmt::format("of {} not one has elements on both sides", plural(diff.tensors.size(), "tensor name"));
}

std::string tolerance_line(const ModelDiff& diff, const TextOptions& options) {
  if (!diff.any_tolerance) {
    return "";
  }
  const bool one = std::all_of(diff.tensors.begin(), diff.tensors.end(), [&diff](const TensorDiff& tensor) {
    return tolerance_text(tensor.tolerance) == tolerance_text(diff.tensors.front().tolerance);
  });
  const std::uint64_t within = diff.elements_different - diff.elements_outside;
  return figure_line("tolerance",
                     fmt::format("{}; {} with other bits {} within it",
                                 one ? tolerance_text(diff.tensors.front().tolerance) : "by name",
                                 plural(within, "element"), within == 1 ? "is" : "are"),
                     options);
}

std::string first_line(const ModelDiff& diff, const TextOptions& options) {
  const TensorDiff* tensor = diff.first_different();
  if (tensor == nullptr) {
    return "";
  }
  const auto& first = tensor->outside.first ? tensor->outside.first : tensor->difference.first;
  return figure_line(
      "first",
      fmt::format("{} {}: {}", tensor->name, tensor::index_text(tensor->reference->ref.shape, first->element_index),
                  pair_text(tensor->reference->ref.dtype, *first, "", "")),
      options);
}

std::string worst_table(const ModelDiff& diff, const TextOptions& options) {
  const bool wide = options.columns >= kWideColumns;
  std::vector<TableColumn> columns = {{"tensor", false}, {"dtype", false}};
  const auto add_if = [&columns](bool wanted, std::string_view title, bool right = true) {
    if (wanted) {
      columns.push_back({std::string(title), right});
    }
  };
  add_if(wide, "shape", false);
  add_if(true, "different");
  add_if(true, "share");
  add_if(diff.any_tolerance, "outside");
  add_if(true, "max |d|");
  add_if(wide, "mean |d|");
  add_if(wide, "mean d");
  add_if(true, "max ULP");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(diff.worst.size(), diff::kShownTensors); ++i) {
    const TensorDiff& tensor = diff.tensors[diff.worst[i]];
    const tensor::Difference& difference = tensor.difference;
    std::vector<std::string>& cells = rows.emplace_back();
    const auto cell_if = [&cells](bool wanted, std::string text) {
      if (wanted) {
        cells.push_back(std::move(text));
      }
    };
    cell_if(true, printable(tensor.name, !options.unicode));
    cell_if(true, short_dtype(tensor.reference->ref.dtype));
    cell_if(wide, shape_text(tensor.reference->ref));
    cell_if(true, grouped(difference.different_elements));
    cell_if(true, share_text(difference.different_elements, difference.elements));
    cell_if(diff.any_tolerance, grouped(tensor.outside.elements));
    cell_if(true, short_number(difference.max_abs_difference));
    cell_if(wide, short_number(difference.mean_abs_difference()));
    cell_if(wide, short_number(difference.mean_difference()));
    cell_if(true, grouped(difference.max_ulp_distance));
  }
  if (rows.empty()) {
    return "";
  }
  std::string out = '\n' + table_text(columns, rows, options);
  if (diff.worst.size() > rows.size()) {
    out += fmt::format("  and {} more\n", plural(diff.worst.size() - rows.size(), "tensor"));
  }
  return out;
}

std::string range_text(const tensor::ValueRange& range) {
  return range.empty() ? "nothing finite"
                       : fmt::format("{} to {}", short_number(range.minimum), short_number(range.maximum));
}

std::string quantiles_text(const tensor::DifferenceDetail& detail) {
  std::string out = "of |d|:";
  for (std::size_t i = 0; i < detail.quantiles.size(); ++i) {
    out += fmt::format("{} {}% {}", i == 0 ? "" : ",", short_number(100 * tensor::kQuantiles.at(i)),
                       short_number(detail.quantiles.at(i)));
  }
  return out;
}

/// One line per row of the tensor, as wide as the terminal.
std::string row_lines(const TensorDiff& tensor, const TextOptions& options) {
  std::string out;
  for (const diff::RowPositions& row : tensor.detail->rows) {
    const std::string label = fmt::format("row {}", grouped(row.row));
    const std::string facts = fmt::format("{} from {}", grouped(row.different), grouped(row.first));
    const std::size_t used = std::max<std::size_t>(label.size() + 3, 13) + facts.size() + 3;
    const std::size_t room = options.columns > used + 8 ? options.columns - used : 8;
    out += "  " + styled(label, Style::kDim, options.colour) +
           std::string(label.size() + 3 < 13 ? 11 - label.size() : 1, ' ') + "|" +
           positions_text(row.bins, room, options.unicode) + "| " + facts + '\n';
  }
  if (tensor.detail->rows_different > tensor.detail->rows.size()) {
    out += figure_line(
        "", fmt::format("and {} more", plural(tensor.detail->rows_different - tensor.detail->rows.size(), "row")),
        options);
  }
  return out;
}

std::string figures(const TensorDiff& tensor, const TextOptions& options) {
  const tensor::TensorRef& ref = tensor.reference->ref;
  const tensor::Difference& difference = tensor.difference;
  const auto index = [&ref](std::uint64_t element) { return tensor::index_text(ref.shape, element); };
  std::string out = figure_line(
      "first",
      fmt::format("{}: {}", index(difference.first->element_index), pair_text(ref.dtype, *difference.first, "", "")),
      options);
  out += figure_line("classes", classes_text(difference), options);
  if (difference.max_abs_difference > 0) {
    out += figure_line("largest",
                       fmt::format("|d| {} at {}, {} ULP at {}", short_number(difference.max_abs_difference),
                                   index(difference.max_abs_index), grouped(difference.max_ulp_distance),
                                   index(difference.max_ulp_index)),
                       options);
  }
  if (difference.reference_non_finite + difference.candidate_non_finite > 0) {
    out += figure_line(
        "not finite",
        fmt::format("{} of the reference, {} of the candidate", plural(difference.reference_non_finite, "element"),
                    plural(difference.candidate_non_finite, "element")),
        options);
  }
  if (!tensor.detail) {
    return out;
  }
  const tensor::DifferenceDetail& detail = tensor.detail->statistics;
  out += figure_line("means",
                     fmt::format("d {}, |d| {}, RMS {}", short_number(difference.mean_difference()),
                                 short_number(difference.mean_abs_difference()), short_number(detail.rms_difference)),
                     options);
  out += figure_line("relative",
                     fmt::format("at most {} at {}; cosine {:.12g}", short_number(detail.max_relative_difference),
                                 index(detail.max_relative_index), detail.cosine),
                     options);
  out += figure_line("values",
                     fmt::format("reference {}, candidate {}", range_text(difference.reference_range),
                                 range_text(difference.candidate_range)),
                     options);
  out += figure_line("quantiles", quantiles_text(detail), options);
  const std::string chart = histogram_text(detail.histogram, detail.lowest_exponent, options.unicode);
  // Bars aren't text that may be broken at its blanks.
  out += chart.empty() ? "" : "  " + styled("histogram", Style::kDim, options.colour) + "  " + chart + '\n';
  for (const diff::Pattern& pattern : tensor.detail->patterns) {
    out += figure_line("hint", pattern_text(pattern, ref.shape), options);
  }
  return out + row_lines(tensor, options);
}

std::string tensor_blocks(const ModelDiff& diff, const TextOptions& options) {
  std::string out;
  for (std::size_t i = 0; i < std::min(diff.worst.size(), diff::kShownTensors); ++i) {
    const TensorDiff& tensor = diff.tensors[diff.worst[i]];
    out += '\n' + styled(printable(tensor.name, !options.unicode), Style::kBold, options.colour) + "  " +
           short_dtype(tensor.reference->ref.dtype) + ' ' + shape_text(tensor.reference->ref) + '\n' +
           (tensor.tolerance.exact() ? ""
                                     : figure_line("tolerance",
                                                   fmt::format("{}; {} outside", tolerance_text(tensor.tolerance),
                                                               plural(tensor.outside.elements, "element")),
                                                   options)) +
           figures(tensor, options);
  }
  return out;
}

}  // namespace

std::string diff_text(const ModelDiff& diff, const TextOptions& options) {
  std::string out = answer_line(diff.answer(), headline(diff), options);
  out += first_line(diff, options);
  out += tolerance_line(diff, options);
  if (diff.left_out > 0) {
    out += figure_line("selection", fmt::format("{} left out", plural(diff.left_out, "tensor")), options);
  }
  out += worst_table(diff, options);
  out += tensor_blocks(diff, options);
  return out + other_findings(diff.findings, options);
}

}  // namespace rlverify::report
