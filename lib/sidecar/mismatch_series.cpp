// SPDX-License-Identifier: Apache-2.0
// Widths are powers of two, so that bins of different files can be joined without dividing any of them.
#include "sidecar/mismatch_series.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/element.h"

namespace rlverify::sidecar {

void PositionBins::widen(std::int64_t width) {
  while (width_ < width) {
    for (std::size_t i = 0; i < kBins / 2; ++i) {
      counts_.at(i) = counts_.at(2 * i) + counts_.at(2 * i + 1);
    }
    std::fill(counts_.begin() + kBins / 2, counts_.end(), 0);
    width_ *= 2;
  }
}

void PositionBins::add(std::int64_t position, std::uint64_t count) {
  if (position < 0) {
    return;
  }
  while (position / width_ >= static_cast<std::int64_t>(kBins)) {
    widen(width_ * 2);
  }
  counts_.at(static_cast<std::size_t>(position / width_)) += count;
}

void PositionBins::add(const PositionBins& other) {
  widen(other.width_);
  for (std::size_t i = 0; i < kBins; ++i) {
    add(static_cast<std::int64_t>(i) * other.width_, other.counts_.at(i));
  }
}

std::size_t PositionBins::used() const {
  std::size_t used = kBins;
  while (used > 0 && counts_.at(used - 1) == 0) {
    --used;
  }
  return used;
}

void Magnitudes::add(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) {
    ++non_finite;
  } else if (a == b) {
    ++sign_of_zero;
  } else {
    ++by_exponent[std::ilogb(a - b)];
  }
}

void Magnitudes::add(const Magnitudes& other) {
  for (const auto& [exponent, count] : other.by_exponent) {
    by_exponent[exponent] += count;
  }
  sign_of_zero += other.sign_of_zero;
  non_finite += other.non_finite;
}

void add_mismatches(tensor::DType dtype, std::span<const std::byte> train, std::span<const std::byte> rollout,
                    std::span<const std::uint8_t> active, const std::array<Range, 2>& ranges, FileMismatches& out) {
  const std::size_t width = tensor::bytes_per_element(dtype);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const std::byte* const t = train.data() + i * width;
    const std::byte* const r = rollout.data() + i * width;
    if (active[i] != 0 && std::memcmp(t, r, width) != 0) {
      out.positions.add(response_position(ranges, static_cast<std::int64_t>(i)));
      out.magnitudes.add(tensor::real_element(dtype, t), tensor::real_element(dtype, r));
    }
  }
}

}  // namespace rlverify::sidecar
