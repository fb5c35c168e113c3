// SPDX-License-Identifier: Apache-2.0
// Charts and tables in lines of text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "diff/positions.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// Counts of |d| per power of two as one bar each, from the smallest power with a count to the largest:
/// "2^-12 |...| 2^-3". The highest bar is the largest count; a count above 0 always shows.
[[nodiscard]] std::string histogram_text(std::span<const std::uint64_t> counts, int lowest_exponent, bool unicode);

/// Positions of a sequence as at most `columns` cells: blank where nothing was compared, a dot where all is equal, else
/// a bar as high as the share that differs.
[[nodiscard]] std::string positions_text(const diff::PositionBins& bins, std::size_t columns, bool unicode);

/// A column's title; numbers stand to the right.
struct TableColumn {
  std::string title;
  bool right = true;
};
/// Rows under their titles, two spaces between columns and before the first. The first column is as wide as the line
/// leaves; what is wider has a line of its own, its row's other cells following in the next.
[[nodiscard]] std::string table_text(const std::vector<TableColumn>& columns,
                                     const std::vector<std::vector<std::string>>& rows, const TextOptions& options);

}  // namespace rlverify::report
