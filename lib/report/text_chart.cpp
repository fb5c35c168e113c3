// SPDX-License-Identifier: Apache-2.0
// Eight heights where block characters can be shown; in ASCII, characters of rising ink.
#include "report/text_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/text_layout.h"
#include "report/utf8.h"

namespace rlverify::report {
namespace {

constexpr std::size_t kLevels = 8;
constexpr std::array<std::string_view, kLevels> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kLevels> kInk = {":", "-", "=", "+", "*", "%", "#", "@"};

/// A bar for part of whole, both above 0.
std::string_view bar(std::uint64_t part, std::uint64_t whole, bool unicode) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  const auto level = std::min(static_cast<std::size_t>(share * static_cast<double>(kLevels)), kLevels - 1);
  return unicode ? kBlocks.at(level) : kInk.at(level);
}

}  // namespace

std::string histogram_text(std::span<const std::uint64_t> counts, int lowest_exponent, bool unicode) {
  const auto above_zero = [](std::uint64_t count) { return count > 0; };
  const auto begin = std::find_if(counts.begin(), counts.end(), above_zero);
  if (begin == counts.end()) {
    return "";
  }
  const auto end = std::find_if(counts.rbegin(), counts.rend(), above_zero).base();
  const std::uint64_t largest = *std::max_element(begin, end);
  std::string bars;
  for (auto at = begin; at != end; ++at) {
    bars += *at == 0 ? std::string_view(" ") : bar(*at, largest, unicode);
  }
  const auto first = lowest_exponent + static_cast<int>(begin - counts.begin());
  return fmt::format("2^{} |{}| 2^{}", first, bars, first + static_cast<int>(end - begin) - 1);
}

std::string positions_text(const diff::PositionBins& bins, std::size_t columns, bool unicode) {
  const std::vector<diff::PositionBins::Bin>& all = bins.bins();
  const std::size_t cells = std::min(all.size(), std::max<std::size_t>(columns, 1));
  std::string out;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::uint64_t covered = 0;
    std::uint64_t different = 0;
    for (std::size_t i = cell * all.size() / cells; i < (cell + 1) * all.size() / cells; ++i) {
      covered += all[i].covered;
      different += all[i].different;
    }
    if (different > 0) {
      out += bar(different, std::max(covered, different), unicode);
    } else {
      out += covered == 0 ? " " : ".";
    }
  }
  return out;
}

std::string table_text(const std::vector<TableColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       const TextOptions& options) {
  std::vector<std::size_t> widths;
  std::size_t others = 2;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    widths.push_back(columns[i].title.size());
    for (const std::vector<std::string>& row : rows) {
      widths.back() = std::max(widths.back(), display_width(row.at(i)));
    }
    others += i == 0 ? 0 : widths.back() + 2;
  }
  widths[0] = std::min(widths[0], std::max<std::size_t>(columns[0].title.size(),
                                                        options.columns > others ? options.columns - others : 0));
  const auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line = "  ";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t used = display_width(cells[i]);
      const std::string space(widths[i] > used ? widths[i] - used : 0, ' ');
      line += (i == 0 ? "" : "  ") + (columns[i].right ? space + cells[i] : cells[i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  };
  std::vector<std::string> titles;
  for (const TableColumn& column : columns) {
    titles.push_back(column.title);
  }
  std::string head = line_of(titles);
  head.pop_back();
  std::string out = styled(head, Style::kDim, options.colour) + '\n';
  for (std::vector<std::string> cells : rows) {
    if (display_width(cells[0]) > widths[0]) {
      out += "  " + cells[0] + '\n';
      cells[0].clear();
    }
    out += line_of(cells);
  }
  return out;
}

}  // namespace rlverify::report
