// SPDX-License-Identifier: Apache-2.0
// The rows of a side's table over the candidates of a replay: as computed, and rounded to bfloat16 (internal to
// replay.h).
#pragma once

#include <cstddef>

#include "replay/result.h"
#include "replay/table.h"

namespace rlverify::replay {

inline constexpr std::size_t kOutputs = 2;

/// Where the row of a candidate lies before name_rows().
[[nodiscard]] constexpr std::size_t row_index(std::size_t candidate, std::size_t output) {
  return candidate * kOutputs + output;
}

/// What a candidate gives for row `row` of the piece, as a side of `dtype` would hold it.
[[nodiscard]] double output_value(const Candidate& candidate, std::size_t row, std::size_t output, tensor::DType dtype);

/// Which settings have a meaning in this run.
struct RowFilter {
  bool one_temperature = false;  ///< every file's temperature is 1
  bool has_padding = false;      ///< some file's vocabulary is padded
};

/// Names the hypothesis of every row and leaves out what was not asked for, does not fit every group, or is no setting
/// of its own here (bfloat16 output of a bfloat16 side included).
void name_rows(SideResult& side, const Table& table, const RowFilter& filter);

}  // namespace rlverify::replay
