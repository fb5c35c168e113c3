// SPDX-License-Identifier: Apache-2.0
// Where along a sequence the differences lie, in few enough bins for a line of a terminal, whatever its length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rlverify::diff {

inline constexpr std::uint64_t kPositionBins = 256;

/// Positions 0 to length - 1 in at most kPositionBins bins; a bin for each where they are that few.
class PositionBins {
 public:
  struct Bin {
    std::uint32_t covered = 0;  ///< positions that were compared
    std::uint32_t different = 0;
  };

  explicit PositionBins(std::uint64_t length) : length_(length), bins_(std::min(length, kPositionBins)) {}

  void cover(std::uint64_t position) { ++bin(position).covered; }
  void mark(std::uint64_t position) { ++bin(position).different; }
  [[nodiscard]] std::uint64_t length() const { return length_; }
  [[nodiscard]] const std::vector<Bin>& bins() const { return bins_; }
  /// All positions are compared, as those of a tensor are.
  void cover_all() {
    for (std::uint64_t i = 0; i < bins_.size(); ++i) {
      bins_[static_cast<std::size_t>(i)].covered =
          static_cast<std::uint32_t>(length_ / bins_.size() + (i < length_ % bins_.size() ? 1 : 0));
    }
  }
  /// Adds the bins of another piece of the same sequence.
  void add(const PositionBins& other) {
    for (std::size_t i = 0; i < std::min(bins_.size(), other.bins_.size()); ++i) {
      bins_[i].covered += other.bins_[i].covered;
      bins_[i].different += other.bins_[i].different;
    }
  }

 private:
  /// By quotient first, so that no length overflows.
  Bin& bin(std::uint64_t position) {
    const std::uint64_t count = bins_.size();
    const std::uint64_t width = length_ / count;
    const std::uint64_t rest = length_ % count;  // the first `rest` bins are one wider
    const std::uint64_t wide = rest * (width + 1);
    return bins_[static_cast<std::size_t>(position < wide ? position / (width + 1) : rest + (position - wide) / width)];
  }

  std::uint64_t length_;
  std::vector<Bin> bins_;
};

}  // namespace rlverify::diff
