// SPDX-License-Identifier: Apache-2.0
// One pass over the pairs of a block. Whole steps of IEEE elements are counted by tensor/difference_vector.h; the loop
// here does the rest, and every other format. Both write one set of sixteen lanes, so that where the one ends and the
// other begins can't be seen in a sum.
#include "tensor/difference_elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tensor/difference_format.h"
#include "tensor/difference_totals.h"
#include "tensor/difference_vector.h"
#include "tensor/sum_lanes.h"

namespace rlverify::tensor {
namespace {

DifferenceClass class_of(ElementKind reference, ElementKind candidate, std::uint64_t ulp_distance) {
  if (reference == ElementKind::kNan || candidate == ElementKind::kNan) {
    return reference == candidate ? DifferenceClass::kNanPayload : DifferenceClass::kNanAgainstNumber;
  }
  if (reference == ElementKind::kInfinite || candidate == ElementKind::kInfinite) {
    return DifferenceClass::kInfinity;
  }
  if (reference == ElementKind::kZero && candidate == ElementKind::kZero) {
    return DifferenceClass::kSignOfZero;
  }
  if (reference == ElementKind::kSubnormal || candidate == ElementKind::kSubnormal) {
    return DifferenceClass::kSubnormal;
  }
  return ulp_distance <= 1    ? DifferenceClass::kOneUlp
         : ulp_distance <= 16 ? DifferenceClass::kFewUlp
                              : DifferenceClass::kManyUlp;
}

/// Walks the pairs of one block; `kComponents` is 2 for complex elements.
template <typename Format, unsigned kComponents>
class PairLoop {
 public:
  PairLoop(const BlockPair& block, Difference& out)
      : first_element_(block.first_element),
        reference_(block.reference.data()),
        candidate_(block.candidate.data()),
        out_(out) {}

  /// Elements [begin, end) of the block; the lanes go on from what was summed of those before.
  void run(std::uint64_t begin, std::uint64_t end, const VectorTotals& before) {
    absolute_ = SumLanes(before.absolute_lanes);
    signed_ = SumLanes(before.signed_lanes);
    for (std::uint64_t i = begin; i < end; ++i) {
      element(i);
    }
    out_.elements += end - begin;
    out_.sum_abs_difference += absolute_.total();
    out_.sum_difference += signed_.total();
  }

 private:
  using Code = typename Format::Code;

  void element(std::uint64_t i) {
    bool differs = false;
    bool reference_finite = true;
    bool candidate_finite = true;
    for (unsigned c = 0; c < kComponents; ++c) {
      const Code a = Format::load(reference_, i * kComponents + c);
      const Code b = Format::load(candidate_, i * kComponents + c);
      const ElementKind kind_a = Format::kind(a);
      const ElementKind kind_b = Format::kind(b);
      reference_finite = reference_finite && is_finite(kind_a);
      candidate_finite = candidate_finite && is_finite(kind_b);
      values(i, c, a, b, kind_a, kind_b);
      if (a != b) {
        difference(i, differs, a, b, kind_a, kind_b);
        differs = true;
      }
    }
    out_.different_elements += differs ? 1 : 0;
    out_.reference_non_finite += reference_finite ? 0 : 1;
    out_.candidate_non_finite += candidate_finite ? 0 : 1;
  }

  void values(std::uint64_t i, unsigned component, Code a, Code b, ElementKind kind_a, ElementKind kind_b) {
    const double value_a = Format::value(a);
    const double value_b = Format::value(b);
    if (is_finite(kind_a)) {
      out_.reference_range.include(value_a);
    }
    if (is_finite(kind_b)) {
      out_.candidate_range.include(value_b);
    }
    if (!is_finite(kind_a) || !is_finite(kind_b)) {
      return;
    }
    ++out_.finite_pairs;
    const double difference = value_b - value_a;
    absolute_.add(i * kComponents + component, std::abs(difference));
    signed_.add(i * kComponents + component, difference);
    if (std::abs(difference) > out_.max_abs_difference) {
      out_.max_abs_difference = std::abs(difference);
      out_.max_abs_index = first_element_ + i;
    }
  }

  void difference(std::uint64_t i, bool known, Code a, Code b, ElementKind kind_a, ElementKind kind_b) {
    const bool finite = is_finite(kind_a) && is_finite(kind_b);
    const std::uint64_t distance = finite ? Format::ulp_distance(a, b) : 0;
    const DifferenceClass difference_class = class_of(kind_a, kind_b, distance);
    ++out_.class_counts[static_cast<std::size_t>(difference_class)];
    if (distance > out_.max_ulp_distance) {
      out_.max_ulp_distance = distance;
      out_.max_ulp_index = first_element_ + i;
    }
    if (!out_.first && !known) {
      set_first(i, difference_class, distance);
    }
  }

  void set_first(std::uint64_t i, DifferenceClass difference_class, std::uint64_t distance) {
    FirstDifference& first = out_.first.emplace();
    first.element_index = first_element_ + i;
    first.difference_class = difference_class;
    first.ulp_distance = distance;
    for (unsigned c = 0; c < kComponents; ++c) {
      const Code codes[2] = {Format::load(reference_, i * kComponents + c),
                             Format::load(candidate_, i * kComponents + c)};
      std::memcpy(first.reference.data() + c * sizeof(Code), &codes[0], sizeof(Code));
      std::memcpy(first.candidate.data() + c * sizeof(Code), &codes[1], sizeof(Code));
    }
  }

  std::uint64_t first_element_;
  const std::byte* reference_;
  const std::byte* candidate_;
  Difference& out_;
  SumLanes absolute_;
  SumLanes signed_;
};

/// Formats that have a vector pass.
template <typename Format>
constexpr std::optional<VectorFormat> vector_format() {
  if constexpr (std::is_same_v<Format, IeeeFormat<std::uint16_t, 10>>) {
    return VectorFormat::kFloat16;
  } else if constexpr (std::is_same_v<Format, IeeeFormat<std::uint16_t, 7>>) {
    return VectorFormat::kBfloat16;
  } else if constexpr (std::is_same_v<Format, IeeeFormat<std::uint32_t, 23>>) {
    return VectorFormat::kFloat32;
  } else if constexpr (std::is_same_v<Format, IeeeFormat<std::uint64_t, 52>>) {
    return VectorFormat::kFloat64;
  } else {
    return std::nullopt;
  }
}

}  // namespace

void compare_elements(VectorLevel level, DType dtype, const BlockPair& block, Difference& out) {
  visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    if (is_complex(dtype)) {
      PairLoop<Format, 2>(block, out).run(0, block.count, VectorTotals());
      return;
    }
    VectorTotals totals;
    if constexpr (vector_format<Format>()) {
      totals =
          vector_totals(level, *vector_format<Format>(), block.reference.data(), block.candidate.data(), block.count);
      if (totals.values > 0) {
        const TotalsOfBlock<Format> counted(totals, block);
        counted.add_to(out);
        if (totals.first_different_chunk) {
          const std::uint64_t first = counted.first_different();
          Difference one;
          PairLoop<Format, 1>(block, one).run(first, first + 1, VectorTotals());
          out.first = one.first;
        }
      }
    }
    PairLoop<Format, 1>(block, out).run(totals.values, block.count, totals);
  });
}

void extend_range(DType dtype, std::uint64_t count, std::span<const std::byte> elements, ValueRange& range) {
  visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    const std::uint64_t codes = is_complex(dtype) ? 2 * count : count;
    for (std::uint64_t i = 0; i < codes; ++i) {
      const auto code = Format::load(elements.data(), i);
      if (is_finite(Format::kind(code))) {
        range.include(Format::value(code));
      }
    }
  });
}

}  // namespace rlverify::tensor
