// SPDX-License-Identifier: Apache-2.0
// Which response positions a context-parallel rank owns (spec/run-artifacts.md section 6, "CP mask slice"): two chunks
// of the sequence from both ends.
#pragma once

#include <array>
#include <cstdint>

namespace rlverify::sidecar {

/// [begin, end) in response coordinates. Positions may be owned by nobody when the prompt is empty.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// The ranges of rank `cp_rank` of `cp_size`, in the order in which its vectors hold them; an empty range has begin ==
/// end. Requires 0 < response_length <= total_length and 0 <= cp_rank < cp_size.
[[nodiscard]] std::array<Range, 2> owned_ranges(std::int64_t total_length, std::int64_t response_length,
                                                std::int64_t cp_size, std::int64_t cp_rank);

/// Number of positions in both ranges.
[[nodiscard]] inline std::int64_t owned_count(const std::array<Range, 2>& ranges) {
  return ranges[0].size() + ranges[1].size();
}

/// The response position of element `index` of the rank's vector.
[[nodiscard]] inline std::int64_t response_position(const std::array<Range, 2>& ranges, std::int64_t index) {
  return index < ranges[0].size() ? ranges[0].begin + index : ranges[1].begin + (index - ranges[0].size());
}

}  // namespace rlverify::sidecar
