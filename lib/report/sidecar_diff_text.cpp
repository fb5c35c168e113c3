// SPDX-License-Identifier: Apache-2.0
// Samples take the place of tensors: the same order of reading.
#include <fmt/format.h>

#include <algorithm>

#include "report/diff_parts.h"
#include "report/diff_text.h"
#include "report/diff_words.h"
#include "report/finding_text.h"
#include "report/text_chart.h"
#include "report/text_layout.h"

namespace rlverify::report {
namespace {

using diff::Answer;
using diff::SampleDiff;
using diff::SidecarDiff;

constexpr std::size_t kShownSamples = 16;
constexpr std::size_t kPositionLines = 64;

std::string plural(std::uint64_t count, std::string_view word) {
  return fmt::format("{} {}{}", grouped(count), word, count == 1 ? "" : "s");
}

std::string headline(const SidecarDiff& diff) {
  const std::string compared =
      fmt::format("({}, {} compared)", plural(diff.files_read, "file"), bytes_text(diff.bytes_compared));
  const std::string all =
      fmt::format("{}, {}", plural(diff.samples.size(), "sample"), plural(diff.total.elements, "log-prob"));
  switch (diff.answer()) {
    case Answer::kEqual:
      return fmt::format("{} {}", all, compared);
    case Answer::kWithinTolerance:
      return fmt::format("{} of {} differ, {} of {} {}", grouped(diff.samples_different),
                         plural(diff.samples.size(), "sample"), grouped(diff.total.different_elements),
                         plural(diff.total.elements, "log-prob"), compared);
    case Answer::kDifferent:
      return fmt::format("{} of {}, {} of {}{} {}", grouped(diff.samples_outside),
                         plural(diff.samples.size(), "sample"), grouped(diff.elements_outside),
                         plural(diff.total.elements, "log-prob"), diff.tolerance.exact() ? "" : " outside tolerance",
                         compared);
    case Answer::kIncomplete:
      return fmt::format("{} {} agree; the rest can't be compared", all, compared);
    case Answer::kNothing:
      break;
  }
  return fmt::format("{} without an active log-prob", plural(diff.files_read, "sidecar"));
}

std::string first_line(const SidecarDiff& diff, const TextOptions& options) {
  const SampleDiff* sample = diff.first_different();
  if (sample == nullptr) {
    return "";
  }
  const auto& first = sample->outside.first ? sample->outside.first : sample->difference.first;
  return figure_line(
      "first",
      fmt::format("call {}, dp {}, sample {}, position {} (rank {}): {}", sample->call, sample->dp, sample->sample,
                  first->element_index, sample->rank, pair_text(sample->dtype, *first, "train", "rollout")),
      options);
}

std::string summary(const SidecarDiff& diff, const TextOptions& options) {
  std::uint64_t masked = 0;
  std::uint64_t masked_different = 0;
  for (const SampleDiff& sample : diff.samples) {
    masked += sample.masked;
    masked_different += sample.masked_different;
  }
  std::string out;
  if (!diff.tolerance.exact()) {
    const std::uint64_t within = diff.total.different_elements - diff.elements_outside;
    out += figure_line("tolerance",
                       fmt::format("{}; {} with other bits {} within it", tolerance_text(diff.tolerance),
                                   plural(within, "log-prob"), within == 1 ? "is" : "are"),
                       options);
  }
  if (!diff.total.equal()) {
    out += figure_line("classes", classes_text(diff.total), options);
    out += figure_line(
        "means",
        fmt::format("rollout - train {}, |d| {}, largest |d| {}", short_number(diff.total.mean_difference()),
                    short_number(diff.total.mean_abs_difference()), short_number(diff.total.max_abs_difference)),
        options);
  }
  if (masked > 0) {
    out += figure_line("masked",
                       fmt::format("{} left out by the loss mask, {} of them different", plural(masked, "log-prob"),
                                   grouped(masked_different)),
                       options);
  }
  return out;
}

std::string table(const SidecarDiff& diff, const TextOptions& options) {
  const std::vector<TableColumn> columns = {{"sample", false}, {"different"}, {"of"},
                                            {"first"},         {"max |d|"},   {"max ULP"}};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(diff.worst.size(), kShownSamples); ++i) {
    const SampleDiff& sample = diff.samples[diff.worst[i]];
    rows.push_back({fmt::format("call {} dp {} sample {}", sample.call, sample.dp, sample.sample),
                    grouped(sample.difference.different_elements), grouped(sample.difference.elements),
                    grouped(sample.difference.first->element_index), short_number(sample.difference.max_abs_difference),
                    grouped(sample.difference.max_ulp_distance)});
  }
  if (rows.empty()) {
    return "";
  }
  std::string out = '\n' + table_text(columns, rows, options);
  if (diff.worst.size() > rows.size()) {
    out += fmt::format("  and {} more\n", plural(diff.worst.size() - rows.size(), "sample"));
  }
  return out;
}

std::string position_lines(const SidecarDiff& diff, const TextOptions& options) {
  std::vector<const SampleDiff*> shown;
  std::uint64_t more = 0;
  for (const SampleDiff& sample : diff.samples) {
    if (!sample.bins || sample.difference.equal()) {
      continue;
    }
    if (shown.size() < kPositionLines) {
      shown.push_back(&sample);
    } else {
      ++more;
    }
  }
  std::vector<std::string> labels;
  std::size_t width = 0;
  for (const SampleDiff* sample : shown) {
    labels.push_back(fmt::format("call {} dp {} sample {}", sample->call, sample->dp, sample->sample));
    width = std::max(width, labels.back().size());
  }
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string facts = fmt::format("{} tokens", grouped(static_cast<std::uint64_t>(shown[i]->response_length)));
    const std::size_t used = 2 + width + 2 + 2 + facts.size();
    const std::size_t room = options.columns > used + 8 ? options.columns - used : 8;
    out += (i == 0 ? "\n  " : "  ") + styled(padded(labels[i], width), Style::kDim, options.colour) + " |" +
           positions_text(*shown[i]->bins, room, options.unicode) + "| " + facts + '\n';
  }
  return more == 0 ? out : out + fmt::format("  and {} more\n", plural(more, "sample"));
}

}  // namespace

std::string sidecar_diff_text(const SidecarDiff& diff, const TextOptions& options) {
  return answer_line(diff.answer(), headline(diff), options) + first_line(diff, options) + summary(diff, options) +
         table(diff, options) + position_lines(diff, options) + other_findings(diff.findings, options);
}

}  // namespace rlverify::report
