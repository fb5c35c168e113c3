// SPDX-License-Identifier: Apache-2.0
// Short stretches of a block are turned into doubles once, and gone over several times. Quantiles and histogram come
// from one table of counts by the highest bits of |d|: it needs no scale that is known beforehand, and tables of parts
// are joined by adding.
#include "tensor/difference_detail.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tensor/difference_format.h"
#include "tensor/sum_lanes.h"

namespace rlverify::tensor {
namespace {

constexpr unsigned kMagnitudeShift = 49;  // leaves 11 bits of exponent and 3 of fraction
constexpr unsigned kBinsPerOctave = 8;
constexpr int kExponentBias = 1023;

/// A stretch of pairs as doubles. Pairs that aren't finite, and places past the end, hold zeros: they add nothing to a
/// sum of squares or products, and are taken off the zeros afterwards.
constexpr std::size_t kChunk = 256;
using Doubles = std::array<double, kChunk>;
struct Values {
  Doubles reference{};
  Doubles candidate{};
  Doubles apart{};
  std::uint64_t finite_pairs = 0;
};

template <typename Format>
void load_values(const BlockPair& block, std::uint64_t first, std::size_t count, Values& out) {
  out.reference.fill(0);
  out.candidate.fill(0);
  out.finite_pairs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = Format::load(block.reference.data(), first + i);
    const auto b = Format::load(block.candidate.data(), first + i);
    const bool finite = is_finite(Format::kind(a)) && is_finite(Format::kind(b));
    out.reference[i] = finite ? Format::value(a) : 0;
    out.candidate[i] = finite ? Format::value(b) : 0;
    out.finite_pairs += finite ? 1 : 0;
  }
  for (std::size_t i = 0; i < kChunk; ++i) {
    out.apart[i] = out.candidate[i] - out.reference[i];
  }
}

/// The four sums and the two extremes of one block. The loops are of fixed length and go by lanes, so that the compiler
/// makes vectors of them without changing an order.
class DetailLoop {
 public:
  explicit DetailLoop(DetailSums& sums) : sums_(sums) {}

  /// `first_value` counts components of complex elements from the block's first.
  void add(const Values& values, std::uint64_t first_element, std::uint64_t first_value, unsigned components) {
    add_products(values.apart, values.apart, squared_difference_);
    add_products(values.reference, values.reference, squared_reference_);
    add_products(values.candidate, values.candidate, squared_candidate_);
    add_products(values.reference, values.candidate, product_);
    add_magnitudes(values);
    sums_.finite_pairs += values.finite_pairs;
    Doubles relative;
    if (const double largest = relative_differences(values, relative); largest > sums_.max_relative_difference) {
      const auto place = std::find(relative.begin(), relative.end(), largest) - relative.begin();
      sums_.max_relative_difference = largest;
      sums_.max_relative_index = first_element + (first_value + static_cast<std::uint64_t>(place)) / components;
    }
  }

  void finish() {
    sums_.squared_difference += join_lanes(squared_difference_);
    sums_.squared_reference += join_lanes(squared_reference_);
    sums_.squared_candidate += join_lanes(squared_candidate_);
    sums_.product += join_lanes(product_);
  }

 private:
  using Lanes = std::array<double, kSumLanes>;

  static void add_products(const Doubles& one, const Doubles& other, Lanes& sums) {
    Lanes lanes = sums;
    for (std::size_t i = 0; i < kChunk; i += kSumLanes) {
      for (std::size_t lane = 0; lane < kSumLanes; ++lane) {
        lanes[lane] += one[i + lane] * other[i + lane];
      }
    }
    sums = lanes;
  }

  void add_magnitudes(const Values& values) {
    std::uint64_t zeros = 0;
    for (const double apart : values.apart) {
      zeros += apart == 0 ? 1U : 0U;
      ++sums_.magnitudes[static_cast<std::size_t>(std::bit_cast<std::uint64_t>(std::abs(apart)) >> kMagnitudeShift)];
    }
    sums_.magnitudes[0] -= zeros;
    sums_.zero_differences += zeros - (kChunk - values.finite_pairs);
  }

  /// |d| / |reference|, 0 where the reference is 0; returns the largest.
  static double relative_differences(const Values& values, Doubles& relative) {
    Lanes largest{};
    for (std::size_t i = 0; i < kChunk; i += kSumLanes) {
      for (std::size_t lane = 0; lane < kSumLanes; ++lane) {
        const double size = std::abs(values.reference[i + lane]);
        const double value =
            std::abs(values.apart[i + lane]) / (size == 0 ? std::numeric_limits<double>::infinity() : size);
        relative[i + lane] = value;
        largest[lane] = value > largest[lane] ? value : largest[lane];
      }
    }
    return *std::max_element(largest.begin(), largest.end());
  }

  DetailSums& sums_;
  Lanes squared_difference_{};
  Lanes squared_reference_{};
  Lanes squared_candidate_{};
  Lanes product_{};
};

void add_block(DType dtype, const BlockPair& block, DetailSums& sums) {
  visit_format(dtype, [&](auto format) {
    const unsigned components = is_complex(dtype) ? 2 : 1;
    const std::uint64_t count = block.count * components;
    DetailLoop loop(sums);
    Values values;
    for (std::uint64_t first = 0; first < count; first += kChunk) {
      load_values<decltype(format)>(block, first,
                                    static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, count - first)), values);
      loop.add(values, block.first_element, first, components);
    }
    loop.finish();
  });
}

double cosine_of(const DetailSums& sums) {
  if (sums.squared_reference == 0 && sums.squared_candidate == 0) {
    return 1;
  }
  // One norm alone being 0 gives 0/0. Rounding may lead a hair beyond 1.
  const double cosine = sums.product / (std::sqrt(sums.squared_reference) * std::sqrt(sums.squared_candidate));
  return std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0);
}

int exponent_of_bin(std::size_t bin) {
  return static_cast<int>(bin / kBinsPerOctave) - kExponentBias;
}

void fill_histogram(const DetailSums& sums, double max_abs_difference, DifferenceDetail& detail) {
  const auto highest =
      static_cast<std::size_t>(std::bit_cast<std::uint64_t>(std::abs(max_abs_difference)) >> kMagnitudeShift);
  detail.lowest_exponent =
      (max_abs_difference == 0 ? 0 : exponent_of_bin(highest)) - static_cast<int>(kHistogramBins - 1);
  for (std::size_t bin = 0; bin < sums.magnitudes.size(); ++bin) {
    const int place =
        std::clamp(exponent_of_bin(bin) - detail.lowest_exponent, 0, static_cast<int>(kHistogramBins) - 1);
    detail.histogram[static_cast<std::size_t>(place)] += sums.magnitudes[bin];
  }
}

/// The upper edge of the bin that holds the value of this rank (from 1; zeros come first).
double value_of_rank(const DetailSums& sums, std::uint64_t rank, double max_abs_difference) {
  std::uint64_t below = sums.zero_differences;
  if (rank <= below) {
    return 0;
  }
  for (std::size_t bin = 0; bin < sums.magnitudes.size(); ++bin) {
    below += sums.magnitudes[bin];
    if (rank <= below) {
      const double edge = std::bit_cast<double>(static_cast<std::uint64_t>(bin + 1) << kMagnitudeShift);
      // Above the largest double lies infinity; a bin of infinities has no edge above it.
      return std::isnan(edge) ? max_abs_difference : std::min(edge, max_abs_difference);
    }
  }
  return max_abs_difference;
}

}  // namespace

void DetailSums::add(const DetailSums& next) {
  finite_pairs += next.finite_pairs;
  zero_differences += next.zero_differences;
  squared_difference += next.squared_difference;
  squared_reference += next.squared_reference;
  squared_candidate += next.squared_candidate;
  product += next.product;
  if (next.max_relative_difference > max_relative_difference) {
    max_relative_difference = next.max_relative_difference;
    max_relative_index = next.max_relative_index;
  }
  if (magnitudes.empty()) {
    magnitudes = next.magnitudes;
    return;
  }
  for (std::size_t bin = 0; bin < next.magnitudes.size(); ++bin) {
    magnitudes[bin] += next.magnitudes[bin];
  }
}

DetailSums detail_part(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                       BlockBuffers& buffers) {
  DetailSums sums;
  sums.magnitudes.resize(kMagnitudeBins);
  for_each_block_pair(reference, candidate, part, buffers, [&](const BlockPair& block) {
    add_block(reference.ref->dtype, block, sums);
    return true;
  });
  return sums;
}

DifferenceDetail finish_detail(const DetailSums& sums, double max_abs_difference) {
  DifferenceDetail detail;
  detail.finite_pairs = sums.finite_pairs;
  detail.zero_differences = sums.zero_differences;
  detail.max_relative_difference = sums.max_relative_difference;
  detail.max_relative_index = sums.max_relative_index;
  detail.cosine = cosine_of(sums);
  fill_histogram(sums, max_abs_difference, detail);
  if (sums.finite_pairs == 0) {
    return detail;
  }
  const auto pairs = static_cast<double>(sums.finite_pairs);
  detail.rms_difference = std::sqrt(sums.squared_difference / pairs);
  detail.reference_rms = std::sqrt(sums.squared_reference / pairs);
  detail.candidate_rms = std::sqrt(sums.squared_candidate / pairs);
  // n - floor(n / 1000) is 0.999 n rounded up, without an overflow.
  constexpr std::array<std::uint64_t, kQuantiles.size()> kAboveOneIn = {2, 10, 100, 1000};
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    detail.quantiles[i] =
        value_of_rank(sums, sums.finite_pairs - sums.finite_pairs / kAboveOneIn[i], max_abs_difference);
  }
  return detail;
}

DifferenceDetail difference_detail(const TensorBytes& reference, const TensorBytes& candidate,
                                   const Difference& first_pass, BlockBuffers& buffers) {
  DetailSums sums;
  for (std::uint64_t part = 0; part < part_count(*reference.ref); ++part) {
    sums.add(detail_part(reference, candidate, part, buffers));
  }
  return finish_detail(sums, first_pass.max_abs_difference);
}

}  // namespace rlverify::tensor
