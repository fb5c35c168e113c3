// SPDX-License-Identifier: Apache-2.0
// The first loop of tensor/difference_vector.cpp: codes in integer vectors of the elements' own width. Read once per
// instruction set, for the one that Highway has chosen when it includes this, so the guard goes with Highway's.
#if defined(RLVERIFY_TENSOR_DIFFERENCE_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RLVERIFY_TENSOR_DIFFERENCE_CODES_INL_H
#undef RLVERIFY_TENSOR_DIFFERENCE_CODES_INL_H
#else
#define RLVERIFY_TENSOR_DIFFERENCE_CODES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "tensor/difference_values-inl.h"
#include "tensor/difference_vector.h"

HWY_BEFORE_NAMESPACE();
namespace rlverify::tensor::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
    counts_ = {zero, zero, zero, zero, low, high, low, high};
    rare_ = {zero, zero, zero, zero, zero, zero, zero, zero};
    farthest_ = zero;
    farthest_chunk_ = zero;
  }

  /// Returns whether all of the chunk is known to be normal numbers. Most chunks are, and cost half as much; after one
  /// that isn't, a few are taken for such without trying.
  HWY_INLINE bool chunk(std::uint64_t number, const std::byte* reference, const std::byte* candidate,
                        std::size_t bytes) {
    counts_.farthest = hn::Zero(D());
    const bool normal = untried_ == 0 && normal_chunk(reference, candidate, bytes);
    if (!normal) {
      untried_ = untried_ == 0 ? kUntried : untried_ - 1;
      any_chunk(reference, candidate, bytes);
    }
    const Unsigned different = hn::Or(counts_.different_finite, rare_.different_other);
    if (!first_different_ && !hn::AllTrue(D(), hn::Eq(different, hn::Zero(D())))) {
      first_different_ = number;
    }
    const auto farther = hn::Gt(counts_.farthest, farthest_);
    farthest_ = hn::IfThenElse(farther, counts_.farthest, farthest_);
    farthest_chunk_ = hn::IfThenElse(farther, hn::Set(D(), static_cast<Code>(number)), farthest_chunk_);
    return normal;
  }

  void finish(VectorTotals& totals) const {
    totals.different_finite = sum(counts_.different_finite);
    totals.different = totals.different_finite + sum(rare_.different_other);
    totals.different_zeros = sum(rare_.different_zeros);
    totals.nan_payload = sum(rare_.nan_payload);
    totals.nan_against_number = sum(rare_.nan_against_number);
    totals.subnormal = sum(rare_.subnormal);
    totals.within_one_ulp = sum(counts_.within_one_ulp);
    totals.within_few_ulp = sum(counts_.within_few_ulp);
    totals.finite_pairs = normal_pairs_ + sum(rare_.finite_pairs);
    totals.reference_finite = normal_pairs_ + sum(rare_.reference_finite);
    totals.candidate_finite = normal_pairs_ + sum(rare_.candidate_finite);
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

  /// Of all steps.
  struct Counts {
    Unsigned different_finite, within_one_ulp, within_few_ulp, farthest;
    Signed reference_low, reference_high, candidate_low, candidate_high;
  };
  /// Of steps that hold more than normal numbers.
  struct RareCounts {
    Unsigned different_other, different_zeros, nan_payload, nan_against_number, subnormal;
    Unsigned finite_pairs, reference_finite, candidate_finite;
  };

  static HWY_INLINE void count(Unsigned& counter, Mask mask) {
    if constexpr (HWY_MAX_BYTES == 64) {
      counter = hn::IfThenElse(mask, hn::Add(counter, hn::Set(D(), Code{1})), counter);  // one masked addition
    } else {
      counter = hn::Sub(counter, hn::VecFromMask(D(), mask));
    }
  }

  /// Sign and magnitude as a number on the line of all numbers, on which both zeros are one.
  static HWY_INLINE Signed line_of(Unsigned code, Signed magnitude) {
    const Signed sign = hn::BroadcastSignBit(hn::BitCast(DI(), code));
    return hn::Sub(hn::Xor(magnitude, sign), sign);
  }

  struct Pair {
    Signed magnitude_a, magnitude_b;
    Signed line_a, line_b;
    Unsigned distance;
  };

  static HWY_INLINE Pair load_pair(const std::byte* reference, const std::byte* candidate) {
    const DI di;
    const Unsigned a = load_bytes(D(), reference);
    const Unsigned b = load_bytes(D(), candidate);
    Pair pair;
    pair.magnitude_a = hn::And(hn::BitCast(di, a), hn::Set(di, kMaximum));
    pair.magnitude_b = hn::And(hn::BitCast(di, b), hn::Set(di, kMaximum));
    pair.line_a = line_of(a, pair.magnitude_a);
    pair.line_b = line_of(b, pair.magnitude_b);
    // The distance of any two finite numbers fits the code's width when taken as unsigned.
    pair.distance = hn::BitCast(D(), hn::Sub(hn::Max(pair.line_a, pair.line_b), hn::Min(pair.line_a, pair.line_b)));
    return pair;
  }

  /// A chunk of normal numbers alone; says whether it was one, and otherwise has counted nothing.
  HWY_INLINE bool normal_chunk(const std::byte* reference, const std::byte* candidate, std::size_t bytes) {
    const D d;
    Counts counts = counts_;
    const Signed least = hn::Set(DI(), kMinNormal);
    const Unsigned one = hn::Set(d, Code{1});
    Unsigned beyond = hn::Zero(d);
    for (std::size_t at = 0; at < bytes; at += HWY_MAX_BYTES) {
      const Pair pair = load_pair(reference + at, candidate + at);
      // Smaller numbers wrap around and are the largest of all.
      beyond = hn::Max(beyond, hn::BitCast(d, hn::Sub(pair.magnitude_a, least)));
      beyond = hn::Max(beyond, hn::BitCast(d, hn::Sub(pair.magnitude_b, least)));
      counts.reference_low = hn::Min(counts.reference_low, pair.line_a);
      counts.reference_high = hn::Max(counts.reference_high, pair.line_a);
      counts.candidate_low = hn::Min(counts.candidate_low, pair.line_b);
      counts.candidate_high = hn::Max(counts.candidate_high, pair.line_b);
      counts.farthest = hn::Max(counts.farthest, pair.distance);
      // Less one, a distance of 0 is the largest of all.
      const Unsigned over_one = hn::Sub(pair.distance, one);
      count(counts.different_finite, hn::Ne(pair.distance, hn::Zero(d)));
      count(counts.within_one_ulp, hn::Eq(pair.distance, one));
      count(counts.within_few_ulp, hn::Lt(over_one, hn::Set(d, Code{16})));
    }
    if (!hn::AllTrue(d, hn::Lt(beyond, hn::Set(d, static_cast<Code>(kInfinity - kMinNormal))))) {
      return false;
    }
    counts_ = counts;
    normal_pairs_ += bytes / sizeof(Code);
    return true;
  }

  static HWY_INLINE void widen(Signed& low, Signed& high, hn::Mask<DI> finite, Signed line) {
    low = hn::Min(low, hn::IfThenElse(finite, line, low));
    high = hn::Max(high, hn::IfThenElse(finite, line, high));
  }

  HWY_INLINE void any_chunk(const std::byte* reference, const std::byte* candidate, std::size_t bytes) {
    Counts counts = counts_;
    RareCounts rare = rare_;
    for (std::size_t at = 0; at < bytes; at += HWY_MAX_BYTES) {
      const Mask different = hn::Ne(load_bytes(D(), reference + at), load_bytes(D(), candidate + at));
      any_step(load_pair(reference + at, candidate + at), different, counts, rare);
    }
    counts_ = counts;
    rare_ = rare;
  }

  static HWY_INLINE void any_step(const Pair& pair, Mask different, Counts& counts, RareCounts& rare) {
    const D d;
    const DI di;
    const Signed infinity = hn::Set(di, kInfinity);
    const auto finite_a = hn::Lt(pair.magnitude_a, infinity);
    const auto finite_b = hn::Lt(pair.magnitude_b, infinity);
    const Mask finite = hn::RebindMask(d, hn::And(finite_a, finite_b));
    count(rare.reference_finite, hn::RebindMask(d, finite_a));
    count(rare.candidate_finite, hn::RebindMask(d, finite_b));
    count(rare.finite_pairs, finite);
    widen(counts.reference_low, counts.reference_high, finite_a, pair.line_a);
    widen(counts.candidate_low, counts.candidate_high, finite_b, pair.line_b);
    counts.farthest = hn::Max(counts.farthest, hn::IfThenElseZero(finite, pair.distance));

    const Mask different_finite = hn::And(different, finite);
    const auto nan_a = hn::RebindMask(d, hn::Gt(pair.magnitude_a, infinity));
    const auto nan_b = hn::RebindMask(d, hn::Gt(pair.magnitude_b, infinity));
    count(counts.different_finite, different_finite);
    count(rare.different_other, hn::AndNot(finite, different));
    count(rare.nan_payload, hn::And(different, hn::And(nan_a, nan_b)));
    count(rare.nan_against_number, hn::Xor(nan_a, nan_b));

    const Mask zeros = hn::RebindMask(d, hn::Eq(hn::Or(pair.magnitude_a, pair.magnitude_b), hn::Zero(di)));
    // Less one, zero is the largest of all, and only subnormal numbers are below the least normal one.
    const Unsigned one = hn::Set(d, Code{1});
    const Unsigned smaller =
        hn::Min(hn::Sub(hn::BitCast(d, pair.magnitude_a), one), hn::Sub(hn::BitCast(d, pair.magnitude_b), one));
    const Mask subnormal = hn::And(different_finite, hn::Lt(smaller, hn::Set(d, static_cast<Code>(kMinNormal - 1))));
    const Mask normal = hn::AndNot(hn::Or(zeros, subnormal), different_finite);
    count(rare.different_zeros, hn::And(different, zeros));
    count(rare.subnormal, subnormal);
    count(counts.within_one_ulp, hn::And(normal, hn::Eq(pair.distance, one)));
    count(counts.within_few_ulp, hn::And(normal, hn::Lt(pair.distance, hn::Set(d, Code{17}))));
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

  static constexpr unsigned kUntried = 3;

  Counts counts_;
  RareCounts rare_;
  std::uint64_t normal_pairs_ = 0;
  unsigned untried_ = 0;
  Unsigned farthest_;
  Unsigned farthest_chunk_;
  std::optional<std::uint64_t> first_different_;
};

}  // namespace rlverify::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
