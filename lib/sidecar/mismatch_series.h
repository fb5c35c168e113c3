// SPDX-License-Identifier: Apache-2.0
// Where and how large the differences of log-probs are, kept while elements are compared: the series that pictures are
// drawn from. Bounded by construction, so that a run in which everything differs costs no more than one in which little
// does. Nothing here is touched for elements that are equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sidecar/cp_slice.h"
#include "tensor/dtype.h"

namespace rlverify::sidecar {

/// Counts by position along a response. Starts with one bin for each position and doubles the width whenever a position
/// lies behind the last bin.
class PositionBins {
 public:
  static constexpr std::size_t kBins = 64;

  /// `position` counts from 0; a negative one is ignored.
  void add(std::int64_t position, std::uint64_t count = 1);
  /// Joins `other`; the wider of the two widths stands.
  void add(const PositionBins& other);
  [[nodiscard]] std::int64_t width() const { return width_; }  ///< positions in a bin
  [[nodiscard]] const std::array<std::uint64_t, kBins>& counts() const { return counts_; }
  /// Bins up to the last one with a count.
  [[nodiscard]] std::size_t used() const;
  /// Doubles the width until it is at least `width` (a power of two).
  void widen(std::int64_t width);

 private:
  std::array<std::uint64_t, kBins> counts_{};
  std::int64_t width_ = 1;
};

/// How many elements differ by how much.
struct Magnitudes {
  std::map<int, std::uint64_t> by_exponent;  ///< floor(log2 |a - b|) -> elements
  std::uint64_t sign_of_zero = 0;            ///< other bits, difference 0
  std::uint64_t non_finite = 0;              ///< NaN or infinite on a side

  void add(double a, double b);
  void add(const Magnitudes& other);
  [[nodiscard]] bool empty() const { return by_exponent.empty() && sign_of_zero == 0 && non_finite == 0; }
};

/// The series of one comparison of log-probs.
struct MismatchSeries {
  std::map<std::int64_t, std::uint64_t> by_step;   ///< steps whose elements were compared, equal ones with 0
  std::map<std::int64_t, PositionBins> positions;  ///< by rank (-1: not known); without a difference: none or no counts
  Magnitudes magnitudes;
};

/// One file's part of it.
struct FileMismatches {
  PositionBins positions;
  Magnitudes magnitudes;
};

/// Adds the active elements of one shard whose bytes differ. `train`, `rollout` and `active` are as for
/// compare_log_probs; `ranges` are the shard's.
void add_mismatches(tensor::DType dtype, std::span<const std::byte> train, std::span<const std::byte> rollout,
                    std::span<const std::uint8_t> active, const std::array<Range, 2>& ranges, FileMismatches& out);

}  // namespace rlverify::sidecar
