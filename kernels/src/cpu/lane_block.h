// SPDX-License-Identifier: Apache-2.0
// The block policy of the CPU: a block's lanes are an array in the first-level cache, and vectors of `Ops` walk over it. Rows are
// read front to back whatever the order of a lane's own additions is, because lanes do not depend on one another.
#pragma once

#include "arithmetic/exp_log_fp64.h"
#include "contracts/shape.h"

namespace rlverify::kernels {

/// `Ops`: Vector, kWidth, load, store, load_lanes<E>, splat, add, subtract, maximum, exp_nonpositive (see scalar_ops.h).
template <class Ops>
class LaneBlock {
 public:
  static constexpr int kMaxLanes = 1024;
  static constexpr int kMaxElements = 8;

  /// fp32 columns of one row; column c is data[c - base].
  struct Columns {
    const float* data;
    std::int64_t base;
  };
  struct Acc {
    alignas(64) float lane[kMaxLanes];
  };
  struct AccFp64 {
    alignas(64) double lane[64];
  };

  RLV_MEMBER Acc zero(int threads) const {
    Acc acc;
    for (int i = 0; i < threads; ++i) acc.lane[i] = 0.0F;
    return acc;
  }

  template <class Fill>
  RLV_MEMBER Acc generate(int threads, Fill fill) const {
    Acc acc;
    for (int i = 0; i < threads; ++i) acc.lane[i] = fill(i);
    return acc;
  }

  RLV_MEMBER void set(Acc& acc, int lane, float value) const { acc.lane[lane] = value; }

  RLV_MEMBER void add(Acc& acc, const Acc& other, int threads) const {
    for (int i = 0; i < threads; ++i) acc.lane[i] += other.lane[i];
  }

  /// Maximum of a range, by max_number: NaN loses, +0 wins over -0. -inf for an empty range.
  RLV_MEMBER float maximum(const Columns& columns, ColumnRange range) const {
    const float* z = columns.data + (range.begin - columns.base);
    const std::int64_t count = range.end - range.begin;
    constexpr std::int64_t kWidth = Ops::kWidth;
    typename Ops::Vector running[4];
    for (auto& vector : running) vector = Ops::splat(negative_infinity());
    std::int64_t i = 0;
    for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
      for (int j = 0; j < 4; ++j) running[j] = Ops::maximum(running[j], Ops::load(z + i + j * kWidth));
    }
    for (; i + kWidth <= count; i += kWidth) running[0] = Ops::maximum(running[0], Ops::load(z + i));
    // No vector holds a NaN here, and the sign of a zero is settled at the end.
    const auto low = Ops::maximum(running[0], running[1]);
    float max = Ops::max_of_lanes(Ops::maximum(low, Ops::maximum(running[2], running[3])));
    for (; i < count; ++i) max = max_number(max, z[i]);
    return max == 0.0F ? zero_of(z, count) : max;
  }

  /// Every lane adds term(z) over its columns of the sweep, `Elements` per chunk, ascending.
  template <int Elements, class Term>
  RLV_MEMBER void accumulate(Acc& acc, int threads, const Columns& columns, Sweep sweep, Term term) const {
    const std::int64_t ahead = sweep.high - sweep.low;
    walk<Elements>(threads, columns, sweep, [&](const float* chunk, int first_lane, int last_lane) __attribute__((always_inline)) {
      for (int lane = first_lane; lane < last_lane; lane += Ops::kWidth) {
        typename Ops::Vector z[static_cast<std::size_t>(Elements)];
        Ops::template load_lanes<Elements>(chunk + lane * Elements, z);
        prefetch<Elements>(chunk + lane * Elements + ahead);
        auto sum = Ops::load(acc.lane + lane);
        for (int e = 0; e < Elements; ++e) sum = Ops::add(sum, term(Ops(), z[e]));
        Ops::store(sum, acc.lane + lane);
      }
    });
  }

  /// The same with four elements per chunk, element e added to slots[e].
  template <class Term>
  RLV_MEMBER void accumulate_slots(Acc* slots, int threads, const Columns& columns, Sweep sweep, Term term) const {
    walk<4>(threads, columns, sweep, [&](const float* chunk, int first_lane, int last_lane) __attribute__((always_inline)) {
      for (int lane = first_lane; lane < last_lane; lane += Ops::kWidth) {
        typename Ops::Vector z[4];
        Ops::template load_lanes<4>(chunk + lane * 4, z);
        for (int e = 0; e < 4; ++e) Ops::store(Ops::add(Ops::load(slots[e].lane + lane), term(Ops(), z[e])), slots[e].lane + lane);
      }
    });
  }

  template <class AnyAcc>
  RLV_MEMBER void fold_down(AnyAcc& acc, int threads, int group, int offset) const {
    for (int first = 0; first < threads; first += group) {
      for (int i = 0; i < offset; ++i) acc.lane[first + i] += acc.lane[first + i + offset];
    }
  }
  RLV_MEMBER void fold_up(Acc& acc, int threads, int, int offset) const {
    for (int i = 0; i < threads; i += 2 * offset) acc.lane[i] += acc.lane[i + offset];
  }
  RLV_MEMBER void compact(Acc& acc, int stride, int count) const {
    for (int i = 0; i < 32; ++i) acc.lane[i] = i < count ? acc.lane[i * stride] : 0.0F;
  }
  RLV_MEMBER float first(const Acc& acc) const { return acc.lane[0]; }
  RLV_MEMBER double first(const AccFp64& acc) const { return acc.lane[0]; }

  RLV_MEMBER AccFp64 zero_fp64(int threads) const {
    AccFp64 acc;
    for (int i = 0; i < threads; ++i) acc.lane[i] = 0.0;
    return acc;
  }
  RLV_MEMBER double maximum_fp64(int, const void* row, const LogitTransform& transform, std::int64_t columns) const {
    double max = -__builtin_inf();
    for (std::int64_t c = 0; c < columns; ++c) {
      const double z = load_logit_fp64(row, c, transform);
      max = z > max ? z : max;
    }
    return max;
  }
  RLV_MEMBER void accumulate_fp64(AccFp64& acc, int threads, const void* row, const LogitTransform& transform,
                                  std::int64_t columns, double max) const {
    for (std::int64_t first = 0; first < columns; first += threads) {
      const int lanes = static_cast<int>(smaller(threads, columns - first));
      for (int i = 0; i < lanes; ++i) acc.lane[i] += exp_portable_fp64(load_logit_fp64(row, first + i, transform) - max);
    }
  }

 private:
  /// Fetches one step of what follows the range that is being added: its exponentials take longer than the memory, and the next
  /// range's maximum would otherwise wait for it.
  template <int Elements>
  RLV_MEMBER static void prefetch(const float* p) {
    constexpr int kLine = 16;
    for (int i = 0; i < Elements * Ops::kWidth; i += kLine) __builtin_prefetch(p + i);
  }

  /// Sign of a maximum that is zero: vector maxima do not tell +0 from -0.
  RLV_MEMBER static float zero_of(const float* z, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (bits_of(z[i]) == 0U) return 0.0F;
    }
    return -0.0F;
  }

  /// Calls body(chunk, first_lane, last_lane) for every chunk of the sweep; lanes are multiples of the vector width. A chunk that
  /// reaches outside [low, high) is copied into a buffer of -inf, whose exponentials add +0: the same as skipping the columns.
  template <int Elements, class Body>
  RLV_MEMBER static void walk(int threads, const Columns& columns, Sweep sweep, Body body) {
    const std::int64_t chunk_columns = static_cast<std::int64_t>(threads) * Elements;
    std::int64_t first = sweep.first;
    for (; first < sweep.high; first += sweep.stride) {
      if (first >= sweep.low && first + chunk_columns <= sweep.high) {
        body(columns.data + (first - columns.base), 0, threads);
        continue;
      }
      constexpr std::int64_t kStep = static_cast<std::int64_t>(Ops::kWidth) * Elements;
      constexpr std::size_t kBuffer = static_cast<std::size_t>(kMaxLanes) * (Elements < 4 ? Elements : 4);
      alignas(64) float buffer[kBuffer];
      const std::int64_t low = first < sweep.low ? sweep.low - first : 0;
      const std::int64_t high = smaller(sweep.high - first, chunk_columns);
      const std::int64_t begin = low / kStep * kStep;
      const std::int64_t end = divide_up(high, kStep) * kStep;
      for (std::int64_t i = begin; i < low; ++i) buffer[i] = negative_infinity();
      const float* source = columns.data + (first - columns.base);
      for (std::int64_t i = low; i < high; ++i) buffer[i] = source[i];
      for (std::int64_t i = high; i < end; ++i) buffer[i] = negative_infinity();
      body(buffer, static_cast<int>(begin / Elements), static_cast<int>(end / Elements));
    }
  }
};

}  // namespace rlverify::kernels
