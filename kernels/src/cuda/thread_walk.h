// SPDX-License-Identifier: Apache-2.0
// What one CUDA thread does with its columns: indexing, loads and additions. Host code compiles it too, so that the
// tests' block simulator follows the kernel's own indexing and not a copy of it.
#pragma once

#include "contracts/shape.h"
#include "cpu/scalar_ops.h"

namespace rlverify::kernels {

/// A stored row; column c is widened and transformed when it is loaded.
struct LogitColumns {
  const void* row;
  LogitTransform transform;
};

#if defined(__CUDACC__)
/// Loads `Words` 32-bit words with the widest loads that the address allows (16 bytes where it can).
template <int Words>
__device__ __forceinline__ void load_words(const void* address, std::uint32_t* words) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if constexpr (Words % 4 == 0) {
    if (place % 16 == 0) {
      for (int i = 0; i < Words; i += 4) {
        const uint4 v = __ldg(reinterpret_cast<const uint4*>(address) + i / 4);
        words[i] = v.x;
        words[i + 1] = v.y;
        words[i + 2] = v.z;
        words[i + 3] = v.w;
      }
      return;
    }
  }
  if constexpr (Words % 2 == 0) {
    if (place % 8 == 0) {
      for (int i = 0; i < Words; i += 2) {
        const uint2 v = __ldg(reinterpret_cast<const uint2*>(address) + i / 2);
        words[i] = v.x;
        words[i + 1] = v.y;
      }
      return;
    }
  }
  for (int i = 0; i < Words; ++i)
    words[i] = __ldg(reinterpret_cast<const unsigned int*>(address) + i);
}
#endif

/// z[e] = column c + e. All of them exist.
template <int Elements>
RLV_INLINE void load_whole(const LogitColumns& columns, std::int64_t c, float* z) {
#if defined(__CUDA_ARCH__)
  const StorageType storage = columns.transform.storage;
  if (storage == StorageType::kFloat32) {
    std::uint32_t words[Elements];
    load_words<Elements>(static_cast<const float*>(columns.row) + c, words);
    for (int e = 0; e < Elements; ++e)
      z[e] = transform_logit(float_of_bits(words[e]), columns.transform);
    return;
  }
  if constexpr (Elements % 2 == 0) {
    const std::uint16_t* first = static_cast<const std::uint16_t*>(columns.row) + c;
    if (reinterpret_cast<std::uintptr_t>(first) % 4 == 0) {
      std::uint32_t words[Elements / 2];
      load_words<Elements / 2>(first, words);
      for (int e = 0; e < Elements; ++e) {
        const auto stored = static_cast<std::uint16_t>(words[e / 2] >> (16 * (e % 2)));
        const float widened = storage == StorageType::kBFloat16 ? widen_bf16(stored) : widen_fp16(stored);
        z[e] = transform_logit(widened, columns.transform);
      }
      return;
    }
  }
#endif
  for (int e = 0; e < Elements; ++e)
    z[e] = load_logit(columns.row, c + e, columns.transform);
}

/// The same for columns of which some may lie outside [low, high): those are -inf, whose exponential adds +0.
template <int Elements>
RLV_INLINE void load_part(const LogitColumns& columns, std::int64_t c, std::int64_t low, std::int64_t high, float* z) {
  if (c >= low && c + Elements <= high) {
    load_whole<Elements>(columns, c, z);
    return;
  }
  for (int e = 0; e < Elements; ++e) {
    const bool inside = c + e >= low && c + e < high;
    z[e] = inside ? load_logit(columns.row, c + e, columns.transform) : negative_infinity();
  }
}

/// One thread's share of a sweep, added to its accumulator in ascending order. `Ops`: ScalarOps, or another with its
/// own exponentials.
template <int Elements, class Ops, class Term>
RLV_INLINE float thread_accumulate(int lane, int threads, float acc, const LogitColumns& columns, Sweep sweep,
                                   Term term) {
  if (lane >= threads)
    return acc;
  for (std::int64_t c = sweep.first + static_cast<std::int64_t>(lane) * Elements; c < sweep.high; c += sweep.stride) {
    float z[static_cast<std::size_t>(Elements)];
    load_part<Elements>(columns, c, sweep.low, sweep.high, z);
    for (int e = 0; e < Elements; ++e)
      acc = acc + term(Ops(), z[e]);
  }
  return acc;
}

/// One thread's share of a sweep of four elements, element e added to slots[e].
template <class Ops, class Term>
RLV_INLINE void thread_accumulate_slots(int lane, int threads, float* slots, const LogitColumns& columns, Sweep sweep,
                                        Term term) {
  if (lane >= threads)
    return;
  for (std::int64_t c = sweep.first + static_cast<std::int64_t>(lane) * 4; c < sweep.high; c += sweep.stride) {
    float z[4];
    load_part<4>(columns, c, sweep.low, sweep.high, z);
    for (int e = 0; e < 4; ++e)
      slots[e] = slots[e] + term(Ops(), z[e]);
  }
}

/// One thread's share of a maximum; the order does not matter, so every load is a wide one after the first boundary.
/// Every temperature rule is a rounded monotone function, so the maximum is taken of stored values and transformed
/// once. (T of 0 or infinity makes NaN of some values; then the sum is NaN whatever the maximum is.)
RLV_INLINE float thread_maximum(int lane, int threads, const LogitColumns& stored, ColumnRange range) {
  float max = negative_infinity();
  LogitColumns columns = stored;
  columns.transform.active = false;
  constexpr int kElements = 8;
  const std::int64_t bytes = columns.transform.storage == StorageType::kFloat32 ? 4 : 2;
  const auto place =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(columns.row) % 16) / bytes + range.begin;
  const std::int64_t step = 16 / bytes;
  const std::int64_t aligned = range.begin - place % step;
  const std::int64_t stride = static_cast<std::int64_t>(threads) * kElements;
  for (std::int64_t c = aligned + static_cast<std::int64_t>(lane) * kElements; c < range.end; c += stride) {
    float z[kElements];
    load_part<kElements>(columns, c, range.begin, range.end, z);
    for (int e = 0; e < kElements; ++e)
      max = max_number(max, z[e]);
  }
  return transform_logit(max, stored.transform);
}

}  // namespace rlverify::kernels
