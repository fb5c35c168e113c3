// SPDX-License-Identifier: Apache-2.0
// The two loops of tensor/difference_vector.cpp, for the instruction set that Highway has chosen when it includes this
// (so it's read once per set, and its guard goes with Highway's).
#if defined(RLVERIFY_TENSOR_DIFFERENCE_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RLVERIFY_TENSOR_DIFFERENCE_VECTOR_INL_H
#undef RLVERIFY_TENSOR_DIFFERENCE_VECTOR_INL_H
#else
#define RLVERIFY_TENSOR_DIFFERENCE_VECTOR_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "tensor/difference_vector.h"

HWY_BEFORE_NAMESPACE();
namespace rlverify::tensor::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A vector from any address.
template <class D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const std::byte* bytes) {
  const hn::Repartition<std::uint8_t, D> d8;
  return hn::BitCast(d, hn::LoadU(d8, reinterpret_cast<const std::uint8_t*>(bytes)));
}

/// Codes of one chunk after the other. Counts stay in the elements' own width over a whole block: one per lane and
/// step, at most 32,768.
template <typename Code, unsigned kFractionBits>
class CodePass {
 public:
  static constexpr std::size_t kStep = HWY_MAX_BYTES / sizeof(Code);
  static_assert(kBlockBytes / HWY_MAX_BYTES < 65536, "a count would overflow");

  // Written out: a constructor that the compiler makes wouldn't be of this instruction set.
  HWY_INLINE CodePass() {
    const Unsigned zero = hn::Zero(D());
    const Signed low = hn::Set(DI(), kMaximum);
    const Signed high = hn::Set(DI(), static_cast<Integer>(-kMaximum));
    counts_ = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, low, high, low, high};
    farthest_ = zero;
    farthest_chunk_ = zero;
  }

  HWY_INLINE void chunk(std::uint64_t number, const std::byte* reference, const std::byte* candidate,
                        std::size_t bytes) {
    Counts counts = counts_;
    Unsigned farthest = hn::Zero(D());
    for (std::size_t at = 0; at < bytes; at += HWY_MAX_BYTES) {
      step(load_bytes(D(), reference + at), load_bytes(D(), candidate + at), counts, farthest);
    }
    if (!first_different_ && !hn::AllTrue(D(), hn::Eq(counts.different, hn::Zero(D())))) {
      first_different_ = number;
    }
    const auto farther = hn::Gt(farthest, farthest_);
    farthest_ = hn::IfThenElse(farther, farthest, farthest_);
    farthest_chunk_ = hn::IfThenElse(farther, hn::Set(D(), static_cast<Code>(number)), farthest_chunk_);
    counts_ = counts;
  }

  void finish(VectorTotals& totals) const {
    totals.different = sum(counts_.different);
    totals.different_finite = sum(counts_.different_finite);
    totals.different_zeros = sum(counts_.different_zeros);
    totals.nan_payload = sum(counts_.nan_payload);
    totals.nan_against_number = sum(counts_.nan_against_number);
    totals.subnormal = sum(counts_.subnormal);
    totals.within_one_ulp = sum(counts_.within_one_ulp);
    totals.within_few_ulp = sum(counts_.within_few_ulp);
    totals.finite_pairs = sum(counts_.finite_pairs);
    totals.reference_finite = sum(counts_.reference_finite);
    totals.candidate_finite = sum(counts_.candidate_finite);
    totals.first_different_chunk = first_different_;
    totals.reference_low = lowest(counts_.reference_low);
    totals.candidate_low = lowest(counts_.candidate_low);
    totals.reference_high = highest(counts_.reference_high);
    totals.candidate_high = highest(counts_.candidate_high);
    Code distances[kStep];
    Code chunks[kStep];
    hn::StoreU(farthest_, D(), distances);
    hn::StoreU(farthest_chunk_, D(), chunks);
    for (std::size_t i = 0; i < kStep; ++i) {
      const bool earlier = distances[i] == totals.max_ulp_distance && chunks[i] < totals.max_ulp_chunk;
      if (distances[i] > totals.max_ulp_distance || earlier) {
        totals.max_ulp_distance = distances[i];
        totals.max_ulp_chunk = chunks[i];
      }
    }
  }

 private:
  using D = hn::ScalableTag<Code>;
  using DI = hn::RebindToSigned<D>;
  using Integer = hn::TFromD<DI>;
  using Unsigned = hn::Vec<D>;
  using Signed = hn::Vec<DI>;
  using Mask = hn::Mask<D>;

  static constexpr Integer kMaximum = std::numeric_limits<Integer>::max();
  static constexpr Integer kMinNormal = static_cast<Integer>(Integer{1} << kFractionBits);
  /// All exponent bits.
  static constexpr Integer kInfinity = static_cast<Integer>(kMaximum - (kMinNormal - 1));

  struct Counts {
    Unsigned different, different_finite, different_zeros;
    Unsigned nan_payload, nan_against_number;
    Unsigned subnormal, within_one_ulp, within_few_ulp;
    Unsigned finite_pairs, reference_finite, candidate_finite;
    Signed reference_low, reference_high, candidate_low, candidate_high;
  };

  static HWY_INLINE void count(Unsigned& counter, Mask mask) { counter = hn::Sub(counter, hn::VecFromMask(D(), mask)); }

  /// Sign and magnitude as a number on the line of all numbers, on which both zeros are one.
  static HWY_INLINE Signed line_of(Unsigned code, Signed magnitude) {
    const Signed sign = hn::BroadcastSignBit(hn::BitCast(DI(), code));
    return hn::Sub(hn::Xor(magnitude, sign), sign);
  }

  static HWY_INLINE void widen(Signed& low, Signed& high, hn::Mask<DI> finite, Signed line) {
    low = hn::Min(low, hn::IfThenElse(finite, line, low));
    high = hn::Max(high, hn::IfThenElse(finite, line, high));
  }

  static HWY_INLINE void step(Unsigned a, Unsigned b, Counts& counts, Unsigned& farthest) {
    const D d;
    const DI di;
    const Signed magnitude_a = hn::And(hn::BitCast(di, a), hn::Set(di, kMaximum));
    const Signed magnitude_b = hn::And(hn::BitCast(di, b), hn::Set(di, kMaximum));
    const Signed line_a = line_of(a, magnitude_a);
    const Signed line_b = line_of(b, magnitude_b);
    // The distance of any two finite numbers fits the code's width when taken as unsigned.
    const Unsigned distance = hn::BitCast(d, hn::Sub(hn::Max(line_a, line_b), hn::Min(line_a, line_b)));
    const Signed infinity = hn::Set(di, kInfinity);
    const auto finite_a = hn::Lt(magnitude_a, infinity);
    const auto finite_b = hn::Lt(magnitude_b, infinity);
    const auto finite = hn::RebindMask(d, hn::And(finite_a, finite_b));
    count(counts.reference_finite, hn::RebindMask(d, finite_a));
    count(counts.candidate_finite, hn::RebindMask(d, finite_b));
    count(counts.finite_pairs, finite);
    widen(counts.reference_low, counts.reference_high, finite_a, line_a);
    widen(counts.candidate_low, counts.candidate_high, finite_b, line_b);
    farthest = hn::Max(farthest, hn::IfThenElseZero(finite, distance));

    const Mask different = hn::Ne(a, b);
    const Mask different_finite = hn::And(different, finite);
    const auto nan_a = hn::RebindMask(d, hn::Gt(magnitude_a, infinity));
    const auto nan_b = hn::RebindMask(d, hn::Gt(magnitude_b, infinity));
    count(counts.different, different);
    count(counts.different_finite, different_finite);
    count(counts.nan_payload, hn::And(different, hn::And(nan_a, nan_b)));
    count(counts.nan_against_number, hn::Xor(nan_a, nan_b));

    const Mask zeros = hn::RebindMask(d, hn::Eq(hn::Or(magnitude_a, magnitude_b), hn::Zero(di)));
    const Mask different_zeros = hn::And(different, zeros);
    // Less one, zero is the largest of all, and only subnormal numbers are below the least normal one.
    const Unsigned one = hn::Set(d, Code{1});
    const Unsigned smaller =
        hn::Min(hn::Sub(hn::BitCast(d, magnitude_a), one), hn::Sub(hn::BitCast(d, magnitude_b), one));
    const Mask subnormal = hn::And(different_finite, hn::Lt(smaller, hn::Set(d, static_cast<Code>(kMinNormal - 1))));
    const Mask normal = hn::AndNot(hn::Or(zeros, subnormal), different_finite);
    count(counts.different_zeros, different_zeros);
    count(counts.subnormal, subnormal);
    count(counts.within_one_ulp, hn::And(normal, hn::Eq(distance, one)));
    count(counts.within_few_ulp, hn::And(normal, hn::Lt(distance, hn::Set(d, Code{17}))));
  }

  static std::uint64_t sum(Unsigned counter) {
    Code lanes[kStep];
    hn::StoreU(counter, D(), lanes);
    std::uint64_t total = 0;
    for (const Code lane : lanes) {
      total += lane;
    }
    return total;
  }
  static std::int64_t lowest(Signed line) {
    Integer lanes[kStep];
    hn::StoreU(line, DI(), lanes);
    return *std::min_element(lanes, lanes + kStep);
  }
  static std::int64_t highest(Signed line) {
    Integer lanes[kStep];
    hn::StoreU(line, DI(), lanes);
    return *std::max_element(lanes, lanes + kStep);
  }

  Counts counts_;
  Unsigned farthest_;
  Unsigned farthest_chunk_;
  std::optional<std::uint64_t> first_different_;
};

/// Elements as doubles: exact.
template <VectorFormat kFormat>
HWY_INLINE hn::Vec<hn::ScalableTag<double>> load_values(const std::byte* bytes) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d_float;
  if constexpr (kFormat == VectorFormat::kFloat64) {
    return load_bytes(d, bytes);
  } else if constexpr (kFormat == VectorFormat::kFloat32) {
    return hn::PromoteTo(d, load_bytes(d_float, bytes));
  } else if constexpr (kFormat == VectorFormat::kFloat16) {
    return hn::PromoteTo(d, hn::PromoteTo(d_float, load_bytes(hn::Rebind<hwy::float16_t, decltype(d)>(), bytes)));
  } else {
    const hn::Rebind<std::uint32_t, decltype(d)> d32;
    const auto words = hn::PromoteTo(d32, load_bytes(hn::Rebind<std::uint16_t, decltype(d)>(), bytes));
    return hn::PromoteTo(d, hn::BitCast(d_float, hn::ShiftLeft<16>(words)));
  }
}

/// Values of one chunk after the other.
template <VectorFormat kFormat, std::size_t kElementBytes>
class ValuePass {
 public:
  HWY_INLINE ValuePass() {
    largest_ = hn::Zero(D());
    largest_chunk_ = hn::Zero(D());
    for (std::size_t v = 0; v < kVectors; ++v) {
      absolute_[v] = hn::Zero(D());
      difference_[v] = hn::Zero(D());
    }
  }

  HWY_INLINE void chunk(std::uint64_t number, const std::byte* reference, const std::byte* candidate,
                        std::size_t bytes) {
    const D d;
    Vector absolute[kVectors];
    Vector difference[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      absolute[v] = absolute_[v];
      difference[v] = difference_[v];
    }
    Vector largest = hn::Zero(d);
    for (std::size_t at = 0; at < bytes; at += kSumLanes * kElementBytes) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t place = at + v * kLanes * kElementBytes;
        const Vector a = load_values<kFormat>(reference + place);
        const Vector b = load_values<kFormat>(candidate + place);
        const Vector apart = hn::Sub(b, a);
        const auto finite = both_finite(a, b, apart);
        const Vector magnitude = hn::IfThenElseZero(finite, hn::Abs(apart));
        absolute[v] = hn::Add(absolute[v], magnitude);
        difference[v] = hn::Add(difference[v], hn::IfThenElseZero(finite, apart));
        largest = hn::Max(largest, magnitude);
      }
    }
    const auto larger = hn::Gt(largest, largest_);
    largest_ = hn::IfThenElse(larger, largest, largest_);
    largest_chunk_ = hn::IfThenElse(larger, hn::Set(d, static_cast<double>(number)), largest_chunk_);
    for (std::size_t v = 0; v < kVectors; ++v) {
      absolute_[v] = absolute[v];
      difference_[v] = difference[v];
    }
  }

  void finish(VectorTotals& totals) const {
    const D d;
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(absolute_[v], d, totals.absolute_lanes.data() + v * kLanes);
      hn::StoreU(difference_[v], d, totals.signed_lanes.data() + v * kLanes);
    }
    double values[kLanes];
    double chunks[kLanes];
    hn::StoreU(largest_, d, values);
    hn::StoreU(largest_chunk_, d, chunks);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto number = static_cast<std::uint64_t>(chunks[i]);
      const bool earlier = values[i] == totals.max_abs_difference && number < totals.max_abs_chunk;
      if (values[i] > totals.max_abs_difference || earlier) {
        totals.max_abs_difference = values[i];
        totals.max_abs_chunk = number;
      }
    }
  }

 private:
  using D = hn::ScalableTag<double>;
  using Vector = hn::Vec<D>;
  static constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(double);
  static constexpr std::size_t kVectors = kSumLanes / kLanes;

  static HWY_INLINE hn::Mask<D> both_finite(Vector a, Vector b, Vector apart) {
    const Vector infinity = hn::Inf(D());
    if constexpr (kFormat == VectorFormat::kFloat64) {
      return hn::And(hn::Lt(hn::Abs(a), infinity), hn::Lt(hn::Abs(b), infinity));
    } else {
      // Of smaller formats, the difference of two finite numbers is finite, and any other isn't.
      return hn::Lt(hn::Abs(apart), infinity);
    }
  }

  Vector absolute_[kVectors];
  Vector difference_[kVectors];
  Vector largest_;
  Vector largest_chunk_;
};

}  // namespace rlverify::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
