// SPDX-License-Identifier: Apache-2.0
// From the counts of a vector pass to a Difference (internal to tensor/difference.h).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tensor/difference.h"
#include "tensor/difference_format.h"
#include "tensor/difference_vector.h"

namespace rlverify::tensor {

/// Turns what a vector pass counted into a Difference. What it knows by chunk alone is looked up there.
template <typename Format>
class TotalsOfBlock {
 public:
  TotalsOfBlock(const VectorTotals& totals, const BlockPair& block) : totals_(totals), block_(block) {}

  /// All but the first difference and the sums, which go on in the loop after this one.
  void add_to(Difference& out) const {
    out.elements += totals_.values;
    out.different_elements += totals_.different;
    out.finite_pairs += totals_.finite_pairs;
    out.reference_non_finite += totals_.values - totals_.reference_finite;
    out.candidate_non_finite += totals_.values - totals_.candidate_finite;
    add_classes(out);
    add_range(totals_.reference_low, totals_.reference_high, out.reference_range);
    add_range(totals_.candidate_low, totals_.candidate_high, out.candidate_range);
    if (totals_.max_ulp_distance > 0) {
      out.max_ulp_distance = totals_.max_ulp_distance;
      out.max_ulp_index = block_.first_element + find(totals_.max_ulp_chunk, [this](Code a, Code b, bool finite) {
                            return finite && Format::ulp_distance(a, b) == totals_.max_ulp_distance;
                          });
    }
    if (totals_.max_abs_difference > 0) {
      out.max_abs_difference = totals_.max_abs_difference;
      out.max_abs_index =
          block_.first_element + find(totals_.max_abs_chunk, [this](Code a, Code b, bool finite) {
            return finite && std::abs(Format::value(b) - Format::value(a)) == totals_.max_abs_difference;
          });
    }
  }

  /// The place in the block of the first pair that differs; first_different_chunk is known.
  [[nodiscard]] std::uint64_t first_different() const {
    return find(*totals_.first_different_chunk, [](Code a, Code b, bool /*finite*/) { return a != b; });
  }

 private:
  using Code = typename Format::Code;

  void add_classes(Difference& out) const {
    const auto add = [&out](DifferenceClass difference_class, std::uint64_t count) {
      out.class_counts[static_cast<std::size_t>(difference_class)] += count;
    };
    const VectorTotals& t = totals_;
    add(DifferenceClass::kSignOfZero, t.different_zeros);
    add(DifferenceClass::kNanPayload, t.nan_payload);
    add(DifferenceClass::kNanAgainstNumber, t.nan_against_number);
    add(DifferenceClass::kInfinity, t.different - t.different_finite - t.nan_payload - t.nan_against_number);
    add(DifferenceClass::kSubnormal, t.subnormal);
    add(DifferenceClass::kOneUlp, t.within_one_ulp);
    add(DifferenceClass::kFewUlp, t.within_few_ulp - t.within_one_ulp);
    add(DifferenceClass::kManyUlp, t.different_finite - t.different_zeros - t.subnormal - t.within_few_ulp);
  }

  static double value_on_line(std::int64_t place) {
    const auto magnitude = static_cast<Code>(place < 0 ? -place : place);
    return place < 0 ? -Format::value(magnitude) : Format::value(magnitude);
  }

  static void add_range(std::int64_t low, std::int64_t high, ValueRange& range) {
    if (low <= high) {
      range.include(value_on_line(low));
      range.include(value_on_line(high));
    }
  }

  /// The first value of a chunk that is as wanted; there is one.
  template <typename Wanted>
  [[nodiscard]] std::uint64_t find(std::uint64_t chunk, const Wanted& wanted) const {
    std::uint64_t i = chunk * (kChunkBytes / sizeof(Code));
    for (; i < totals_.values; ++i) {
      const Code a = Format::load(block_.reference.data(), i);
      const Code b = Format::load(block_.candidate.data(), i);
      if (wanted(a, b, is_finite(Format::kind(a)) && is_finite(Format::kind(b)))) {
        break;
      }
    }
    return i;
  }

  const VectorTotals& totals_;
  const BlockPair& block_;
};

}  // namespace rlverify::tensor
