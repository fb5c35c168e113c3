// SPDX-License-Identifier: Apache-2.0
// The order of the sums over a block, as tensor/difference.h states it: sixteen lanes, joined pairwise. A loop over
// vectors keeps the same lanes and ends with the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/difference.h"

namespace rlverify::tensor {

/// Adds the lanes pairwise: 0+8, 1+9, ... then distances 4, 2 and 1.
[[nodiscard]] inline double join_lanes(std::array<double, kSumLanes> lanes) {
  for (std::size_t width = kSumLanes / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      lanes[i] += lanes[i + width];
    }
  }
  return lanes[0];
}

/// One sum over the values of a block.
class SumLanes {
 public:
  SumLanes() = default;
  /// Goes on from sums that another loop began.
  explicit SumLanes(const std::array<double, kSumLanes>& lanes) : lanes_(lanes) {}
  /// `index` counts from the block's first value.
  void add(std::uint64_t index, double value) { lanes_[index % kSumLanes] += value; }
  [[nodiscard]] double total() const { return join_lanes(lanes_); }

 private:
  std::array<double, kSumLanes> lanes_{};
};

}  // namespace rlverify::tensor
