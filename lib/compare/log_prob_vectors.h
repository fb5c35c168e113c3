// SPDX-License-Identifier: Apache-2.0
// Two vectors of log-probs in response coordinates, position by position (internal to the comparison).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/samples.h"
#include "sidecar/mismatch_series.h"

namespace rlverify::compare {

/// What comparing two vectors position by position gave.
struct VectorDifference {
  std::uint64_t common = 0;  ///< positions that both have
  std::uint64_t reference_only = 0;
  std::uint64_t candidate_only = 0;
  std::uint64_t different = 0;
  std::optional<std::size_t> first;  ///< response position
};

/// Compares positions that both have, bit by bit; the dtypes must be the same. `series` gets magnitudes and positions
/// of what differs, by the candidate's rank; null: these elements are counted elsewhere.
[[nodiscard]] VectorDifference compare_vectors(const LogProbs& left, const LogProbs& right,
                                               sidecar::MismatchSeries* series);

/// The element at a response position: "-0.5 (0xbf000000)".
[[nodiscard]] std::string value_at(const LogProbs& vector, std::size_t position);

}  // namespace rlverify::compare
