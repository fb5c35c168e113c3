// SPDX-License-Identifier: Apache-2.0
// One loop over the pairs of a block. Quantiles and histogram come from one table of counts by the highest bits of |d|:
// it needs no scale that is known beforehand, and tables of parts are joined by adding.
#include "tensor/difference_detail.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tensor/difference_format.h"
#include "tensor/sum_lanes.h"

namespace rlverify::tensor {
namespace {

constexpr unsigned kMagnitudeShift = 49;  // leaves 11 bits of exponent and 3 of fraction
constexpr unsigned kBinsPerOctave = 8;
constexpr int kExponentBias = 1023;

bool is_finite(ElementKind kind) {
  return kind < ElementKind::kInfinite;
}

/// The second pass over one block.
template <typename Format, unsigned kComponents>
class DetailLoop {
 public:
  DetailLoop(const BlockPair& block, DetailSums& sums) : block_(block), sums_(sums) {}

  void run() {
    for (std::uint64_t i = 0; i < block_.count * kComponents; ++i) {
      const auto a = Format::load(block_.reference.data(), i);
      const auto b = Format::load(block_.candidate.data(), i);
      if (is_finite(Format::kind(a)) && is_finite(Format::kind(b))) {
        pair(i, Format::value(a), Format::value(b));
      }
    }
    sums_.squared_difference += squared_difference_.total();
    sums_.squared_reference += squared_reference_.total();
    sums_.squared_candidate += squared_candidate_.total();
    sums_.product += product_.total();
  }

 private:
  void pair(std::uint64_t i, double reference, double candidate) {
    const double difference = candidate - reference;
    ++sums_.finite_pairs;
    squared_difference_.add(i, difference * difference);
    squared_reference_.add(i, reference * reference);
    squared_candidate_.add(i, candidate * candidate);
    product_.add(i, reference * candidate);
    if (difference == 0) {
      ++sums_.zero_differences;
      return;
    }
    const double magnitude = std::abs(difference);
    ++sums_.magnitudes[static_cast<std::size_t>(std::bit_cast<std::uint64_t>(magnitude) >> kMagnitudeShift)];
    // 0 as reference gives infinity, which is left out by name.
    if (reference != 0 && magnitude / std::abs(reference) > sums_.max_relative_difference) {
      sums_.max_relative_difference = magnitude / std::abs(reference);
      sums_.max_relative_index = block_.first_element + i / kComponents;
    }
  }

  const BlockPair& block_;
  DetailSums& sums_;
  SumLanes squared_difference_;
  SumLanes squared_reference_;
  SumLanes squared_candidate_;
  SumLanes product_;
};

void add_block(DType dtype, const BlockPair& block, DetailSums& sums) {
  visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    if (is_complex(dtype)) {
      DetailLoop<Format, 2>(block, sums).run();
    } else {
      DetailLoop<Format, 1>(block, sums).run();
    }
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

/// The bytes of one element, to compare with those of the other side.
template <typename Visit>
void visit_different(DType dtype, const BlockPair& block, const Visit& visit) {
  visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    const std::uint64_t components = is_complex(dtype) ? 2 : 1;
    for (std::uint64_t i = 0; i < block.count; ++i) {
      bool differs = false;
      for (std::uint64_t c = 0; c < components; ++c) {
        differs = differs || Format::load(block.reference.data(), i * components + c) !=
                                 Format::load(block.candidate.data(), i * components + c);
      }
      if (differs && !visit(block.first_element + i)) {
        return;
      }
    }
  });
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

void for_each_different_batch(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                              const std::function<bool(std::span<const std::uint64_t>)>& visit) {
  constexpr std::size_t kBatch = 4096;
  std::vector<std::uint64_t> indices;
  indices.reserve(kBatch);
  bool wanted = true;
  const auto hand_over = [&] {
    wanted = wanted && (indices.empty() || visit(indices));
    indices.clear();
    return wanted;
  };
  for (std::uint64_t part = 0; wanted && part < part_count(*reference.ref); ++part) {
    for_each_block_pair(reference, candidate, part, buffers, [&](const BlockPair& block) {
      if (block.reference.empty() ||
          std::memcmp(block.reference.data(), block.candidate.data(), block.reference.size()) == 0) {
        return true;
      }
      visit_different(reference.ref->dtype, block, [&](std::uint64_t index) {
        indices.push_back(index);
        return indices.size() < kBatch || hand_over();
      });
      return wanted;
    });
  }
  hand_over();
}

void for_each_different_element(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                                const std::function<bool(std::uint64_t)>& visit) {
  for_each_different_batch(reference, candidate, buffers, [&](std::span<const std::uint64_t> indices) {
    return std::all_of(indices.begin(), indices.end(), visit);
  });
}

}  // namespace rlverify::tensor
