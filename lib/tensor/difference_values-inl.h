// SPDX-License-Identifier: Apache-2.0
// The second loop of tensor/difference_vector.cpp: values in double. Read once per instruction set, for the one that
// Highway has chosen when it includes this, so the guard goes with Highway's.
#if defined(RLVERIFY_TENSOR_DIFFERENCE_VALUES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RLVERIFY_TENSOR_DIFFERENCE_VALUES_INL_H
#undef RLVERIFY_TENSOR_DIFFERENCE_VALUES_INL_H
#else
#define RLVERIFY_TENSOR_DIFFERENCE_VALUES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

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

  /// `kAllFinite`: no value of the chunk is infinite or NaN.
  template <bool kAllFinite>
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
        Vector counted = apart;
        if constexpr (!kAllFinite) {
          counted = hn::IfThenElseZero(both_finite(a, b, apart), apart);
        }
        const Vector magnitude = hn::Abs(counted);
        absolute[v] = hn::Add(absolute[v], magnitude);
        difference[v] = hn::Add(difference[v], counted);
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
