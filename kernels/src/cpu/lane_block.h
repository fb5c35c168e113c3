// SPDX-License-Identifier: Apache-2.0
// The block policy of the CPU: a block's lanes are an array in the first-level cache, and vectors of `Ops` walk over
// it. Rows are read front to back whatever the order of a lane's own additions is, because lanes do not depend on one
// another.
#pragma once

#include "arithmetic/exp_log_fp64.h"
#include "arithmetic/storage.h"
#include "contracts/shape.h"

namespace rlverify::kernels {

/// `Ops`: Vector, kWidth, load, store, load_lanes<E>, load_lanes_bf16<E>, splat, add, subtract, multiply, maximum,
/// exp_nonpositive (see scalar_ops.h).
template <class Ops>
class LaneBlock {
 public:
  static constexpr int kMaxLanes = 1024;

  /// Columns of one row, fp32 (column c is data[c - base]) or, where `stored` is set, bf16 as they lie in memory
  /// (stored[c]).
  struct Columns {
    const float* data;
    std::int64_t base;
    const std::uint16_t* stored;
  };
  struct Acc {
    alignas(64) float lane[kMaxLanes];
  };
  struct AccFp64 {
    alignas(64) double lane[64];
  };

  RLV_MEMBER Acc zero(int threads) const {
    Acc acc;
    for (int i = 0; i < threads; ++i)
      acc.lane[i] = 0.0F;
    return acc;
  }

  template <class Fill>
  RLV_MEMBER Acc generate(int threads, Fill fill) const {
    Acc acc;
    for (int i = 0; i < threads; ++i)
      acc.lane[i] = fill(i);
    return acc;
  }

  /// lane i becomes change(i, lane i).
  template <class Change>
  RLV_MEMBER void update(Acc& acc, int threads, Change change) const {
    for (int i = 0; i < threads; ++i)
      acc.lane[i] = change(i, acc.lane[i]);
  }
  /// sum + lane 0 + lane 1 + ..., one after the other.
  RLV_MEMBER float serial_sum(float sum, const Acc& acc, int threads) const {
    for (int i = 0; i < threads; ++i)
      sum = sum + acc.lane[i];
    return sum;
  }
  RLV_MEMBER float column(const Columns& columns, std::int64_t c) const {
    return columns.stored != nullptr ? widen_bf16(columns.stored[c]) : columns.data[c - columns.base];
  }
  /// The exponential of a single number.
  template <ExpKind>
  RLV_MEMBER static float exp(float x) {
    return exp_portable(x);
  }

  RLV_MEMBER void set(Acc& acc, int lane, float value) const { acc.lane[lane] = value; }

  RLV_MEMBER void add(Acc& acc, const Acc& other, int threads) const {
    for (int i = 0; i < threads; ++i)
      acc.lane[i] += other.lane[i];
  }

  /// Maximum of a range, by max_number: NaN loses, +0 wins over -0. -inf for an empty range.
  RLV_MEMBER float maximum(const Columns& columns, ColumnRange range) const {
    const std::int64_t count = range.end - range.begin;
    if (columns.stored != nullptr)
      return maximum_of<2>(StoredSource{columns.stored + range.begin}, count);
    return maximum_of<1>(WideSource{columns.data + (range.begin - columns.base)}, count);
  }

  /// Every lane adds term(z) over its columns of the sweep, `Elements` per chunk, ascending.
  template <int Elements, class Term>
  RLV_MEMBER void accumulate(Acc& acc, int threads, const Columns& columns, Sweep sweep, Term term) const {
    walk<Elements>(
        threads, columns, sweep, [&](int lane, const typename Ops::Vector* z) __attribute__((always_inline)) {
          auto sum = Ops::load(acc.lane + lane);
          for (int e = 0; e < Elements; ++e)
            sum = Ops::add(sum, term(Ops(), z[e]));
          Ops::store(sum, acc.lane + lane);
        });
  }

  /// The same with four elements per chunk, element e added to slots[e].
  template <class Term>
  RLV_MEMBER void accumulate_slots(Acc* slots, int threads, const Columns& columns, Sweep sweep, Term term) const {
    walk<4>(
        threads, columns, sweep, [&](int lane, const typename Ops::Vector* z) __attribute__((always_inline)) {
          for (int e = 0; e < 4; ++e)
            Ops::store(Ops::add(Ops::load(slots[e].lane + lane), term(Ops(), z[e])), slots[e].lane + lane);
        });
  }

  template <class AnyAcc>
  RLV_MEMBER void fold_down(AnyAcc& acc, int threads, int group, int offset) const {
    for (int first = 0; first < threads; first += group) {
      for (int i = 0; i < offset; ++i)
        acc.lane[first + i] += acc.lane[first + i + offset];
    }
  }
  RLV_MEMBER void fold_up(Acc& acc, int threads, int, int offset) const {
    for (int i = 0; i < threads; i += 2 * offset)
      acc.lane[i] += acc.lane[i + offset];
  }
  RLV_MEMBER void compact(Acc& acc, int stride, int count) const {
    for (int i = 0; i < 32; ++i)
      acc.lane[i] = i < count ? acc.lane[i * stride] : 0.0F;
  }
  RLV_MEMBER float first(const Acc& acc) const { return acc.lane[0]; }
  RLV_MEMBER double first(const AccFp64& acc) const { return acc.lane[0]; }

  RLV_MEMBER AccFp64 zero_fp64(int threads) const {
    AccFp64 acc;
    for (int i = 0; i < threads; ++i)
      acc.lane[i] = 0.0;
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
      for (int i = 0; i < lanes; ++i)
        acc.lane[i] += exp_portable_fp64(load_logit_fp64(row, first + i, transform) - max);
    }
  }

 private:
  /// Where a chunk's values come from: fp32, or bf16 widened on the way. `load` fills z[e] of the lanes from `lane` on.
  struct WideSource {
    const float* p;
    RLV_MEMBER float at(std::int64_t i) const { return p[i]; }
    template <int Elements>
    RLV_MEMBER void load(std::int64_t lane, typename Ops::Vector* z) const {
      Ops::template load_lanes<Elements>(p + lane * Elements, z);
    }
    RLV_MEMBER WideSource after(std::int64_t columns) const { return {p + columns}; }
  };
  struct StoredSource {
    const std::uint16_t* p;
    RLV_MEMBER float at(std::int64_t i) const { return widen_bf16(p[i]); }
    template <int Elements>
    RLV_MEMBER void load(std::int64_t lane, typename Ops::Vector* z) const {
      Ops::template load_lanes_bf16<Elements>(p + lane * Elements, z);
    }
    RLV_MEMBER StoredSource after(std::int64_t columns) const { return {p + columns}; }
  };

  /// Fetches one step of what follows the range that is being added: its exponentials take longer than the memory, and
  /// the next range's maximum would otherwise wait for it.
  template <int Bytes>
  RLV_MEMBER static void prefetch(const void* p) {
    for (int i = 0; i < Bytes; i += 64)
      __builtin_prefetch(static_cast<const char*>(p) + i);
  }

  /// Four steps of `Elements` vectors at a time.
  template <int Elements, class Source>
  RLV_MEMBER static float maximum_of(Source source, std::int64_t count) {
    constexpr std::int64_t kStep = static_cast<std::int64_t>(Elements) * Ops::kWidth;
    typename Ops::Vector running[4];
    for (auto& vector : running)
      vector = Ops::splat(negative_infinity());
    std::int64_t i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
      for (int j = 0; j < 4; ++j)
        running[j] = max_of_step<Elements>(running[j], source.after(i + j * kStep));
    }
    for (; i + kStep <= count; i += kStep)
      running[0] = max_of_step<Elements>(running[0], source.after(i));
    // No vector holds a NaN here, and the sign of a zero is settled at the end.
    const auto low = Ops::maximum(running[0], running[1]);
    float max = Ops::max_of_lanes(Ops::maximum(low, Ops::maximum(running[2], running[3])));
    for (; i < count; ++i)
      max = max_number(max, source.at(i));
    return max == 0.0F ? zero_of(source, count) : max;
  }
  template <int Elements, class Source>
  RLV_MEMBER static typename Ops::Vector max_of_step(typename Ops::Vector running, Source source) {
    typename Ops::Vector z[static_cast<std::size_t>(Elements)];
    source.template load<Elements>(0, z);
    for (const auto& vector : z)
      running = Ops::maximum(running, vector);
    return running;
  }

  /// Sign of a maximum that is zero: vector maxima do not tell +0 from -0.
  template <class Source>
  RLV_MEMBER static float zero_of(Source source, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (bits_of(source.at(i)) == 0U)
        return 0.0F;
    }
    return -0.0F;
  }

  template <int Elements, class Body>
  RLV_MEMBER static void walk(int threads, const Columns& columns, Sweep sweep, Body body) {
    if (columns.stored != nullptr) {
      walk_source<Elements>(threads, StoredSource{columns.stored}, sweep, body);
    } else {
      walk_source<Elements>(threads, WideSource{columns.data - columns.base}, sweep, body);
    }
  }

  /// Calls body(lane, z) for every chunk of the sweep and every vector of lanes. A chunk that reaches outside [low,
  /// high) is copied into a buffer of -inf, whose exponentials add +0: the same as skipping the columns.
  template <int Elements, class Source, class Body>
  RLV_MEMBER static void walk_source(int threads, Source columns, Sweep sweep, Body body) {
    const std::int64_t chunk_columns = static_cast<std::int64_t>(threads) * Elements;
    const std::int64_t ahead = sweep.high - sweep.low;
    for (std::int64_t first = sweep.first; first < sweep.high; first += sweep.stride) {
      const Source chunk = columns.after(first);
      if (first < sweep.low || first + chunk_columns > sweep.high) {
        walk_part<Elements>(chunk, smaller(sweep.high - first, chunk_columns),
                            first < sweep.low ? sweep.low - first : 0, body);
        continue;
      }
      for (int lane = 0; lane < threads; lane += Ops::kWidth) {
        typename Ops::Vector z[static_cast<std::size_t>(Elements)];
        chunk.template load<Elements>(lane, z);
        prefetch<Elements * Ops::kWidth* static_cast<int>(sizeof(*chunk.p))>(chunk.p + lane * Elements + ahead);
        body(lane, z);
      }
    }
  }

  /// Columns [low, high) of a chunk, whole vectors of lanes around them.
  template <int Elements, class Source, class Body>
  RLV_MEMBER static void walk_part(Source chunk, std::int64_t high, std::int64_t low, Body body) {
    constexpr std::int64_t kStep = static_cast<std::int64_t>(Ops::kWidth) * Elements;
    constexpr std::size_t kBuffer = static_cast<std::size_t>(kMaxLanes) * (Elements < 4 ? Elements : 4);
    alignas(64) float buffer[kBuffer];
    const std::int64_t begin = low / kStep * kStep;
    const std::int64_t end = divide_up(high, kStep) * kStep;
    for (std::int64_t i = begin; i < low; ++i)
      buffer[i] = negative_infinity();
    for (std::int64_t i = low; i < high; ++i)
      buffer[i] = chunk.at(i);
    for (std::int64_t i = high; i < end; ++i)
      buffer[i] = negative_infinity();
    for (std::int64_t i = begin; i < end; i += kStep) {
      typename Ops::Vector z[static_cast<std::size_t>(Elements)];
      Ops::template load_lanes<Elements>(buffer + i, z);
      body(static_cast<int>(i / Elements), z);
    }
  }
};

}  // namespace rlverify::kernels
