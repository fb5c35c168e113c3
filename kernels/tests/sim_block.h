// SPDX-License-Identifier: Apache-2.0
// A simulator of the CUDA block: every thread's columns by the kernel's own indexing (cuda/thread_walk.h), every
// exchange by the hardware's rules for shuffles and shared memory, written independently of both the CPU's arrays and
// the CUDA code.
#pragma once

#include <vector>

#include "arithmetic/exp_log_fp64.h"
#include "cuda/thread_walk.h"

namespace rlverify::kernels::test {

template <class Ops>
class SimBlockOf {
 public:
  using Columns = LogitColumns;
  struct Acc {
    std::vector<float> lane;
  };
  struct AccFp64 {
    std::vector<double> lane;
  };

  /// `group`: threads that work together (a block, or four lanes).
  explicit SimBlockOf(int group) : size_(group) {}

  Acc zero(int) const { return {std::vector<float>(static_cast<std::size_t>(size_), 0.0F)}; }
  template <class Fill>
  Acc generate(int threads, Fill fill) const {
    Acc acc = zero(0);
    for (int i = 0; i < size_ && i < threads; ++i)
      acc.lane[index(i)] = fill(i);
    return acc;
  }
  void set(Acc& acc, int lane, float value) const { acc.lane.at(index(lane)) = value; }
  template <class Change>
  void update(Acc& acc, int threads, Change change) const {
    for (int i = 0; i < threads; ++i)
      acc.lane[index(i)] = change(i, acc.lane[index(i)]);
  }
  float serial_sum(float sum, const Acc& acc, int threads) const {
    for (int i = 0; i < threads; ++i)
      sum = sum + acc.lane.at(index(i));
    return sum;
  }
  float column(const Columns& columns, std::int64_t c) const { return load_logit(columns.row, c, columns.transform); }
  template <ExpKind Kind>
  static float exp(float x) {
    return Ops::template exp_nonpositive<Kind>(x);
  }
  void add(Acc& acc, const Acc& other, int) const {
    for (int i = 0; i < size_; ++i)
      acc.lane[index(i)] += other.lane[index(i)];
  }
  float maximum(const Columns& columns, ColumnRange range) const {
    float max = negative_infinity();
    for (int i = 0; i < size_; ++i)
      max = max_number(max, thread_maximum(i, size_, columns, range));
    return max;
  }
  template <int Elements, class Term>
  void accumulate(Acc& acc, int threads, const Columns& columns, Sweep sweep, Term term) const {
    for (int i = 0; i < size_; ++i) {
      acc.lane[index(i)] = thread_accumulate<Elements, Ops>(i, threads, acc.lane[index(i)], columns, sweep, term);
    }
  }
  template <class Term>
  void accumulate_slots(Acc* slots, int threads, const Columns& columns, Sweep sweep, Term term) const {
    for (int i = 0; i < size_; ++i) {
      float values[4];
      for (int e = 0; e < 4; ++e)
        values[e] = slots[e].lane[index(i)];
      thread_accumulate_slots<Ops>(i, threads, values, columns, sweep, term);
      for (int e = 0; e < 4; ++e)
        slots[e].lane[index(i)] = values[e];
    }
  }
  /// Groups of 32 or fewer: shfl_down, where a lane that would read past its warp gets its own value. Wider: shared
  /// memory.
  void fold_down(Acc& acc, int threads, int group, int offset) const {
    if (group <= 32)
      return shuffle_down(acc, offset);
    const std::vector<float> shared = acc.lane;
    for (int i = 0; i < threads; ++i) {
      if (i % group < offset)
        acc.lane[index(i)] += shared.at(index(i + offset));
    }
  }
  void fold_down(AccFp64& acc, int, int, int offset) const {
    const std::vector<double> shared = acc.lane;
    for (int i = 0; i < offset; ++i)
      acc.lane[index(i)] += shared.at(index(i + offset));
  }
  void fold_up(Acc& acc, int, int, int offset) const { shuffle_down(acc, offset); }
  void compact(Acc& acc, int stride, int count) const {
    const std::vector<float> before = acc.lane;
    for (int i = 0; i < size_; ++i)
      acc.lane[index(i)] = i < count ? before.at(index(i * stride)) : 0.0F;
  }
  float first(const Acc& acc) const { return acc.lane[0]; }
  double first(const AccFp64& acc) const { return acc.lane[0]; }

  AccFp64 zero_fp64(int threads) const { return {std::vector<double>(index(threads), 0.0)}; }
  double maximum_fp64(int, const void* row, const LogitTransform& transform, std::int64_t columns) const {
    double max = -__builtin_inf();
    for (std::int64_t c = 0; c < columns; ++c) {
      const double z = load_logit_fp64(row, c, transform);
      if (z > max)
        max = z;
    }
    return max;
  }
  void accumulate_fp64(AccFp64& acc, int threads, const void* row, const LogitTransform& transform,
                       std::int64_t columns, double max) const {
    for (int i = 0; i < threads; ++i) {
      for (std::int64_t c = i; c < columns; c += threads) {
        acc.lane[index(i)] += exp_portable_fp64(load_logit_fp64(row, c, transform) - max);
      }
    }
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  void shuffle_down(Acc& acc, int offset) const {
    const int width = size_ < 32 ? size_ : 32;
    const std::vector<float> before = acc.lane;
    for (int i = 0; i < size_; ++i) {
      const int source = i % width + offset < width ? i + offset : i;
      acc.lane[index(i)] += before.at(index(source));
    }
  }

  int size_;
};

using SimBlock = SimBlockOf<ScalarOps>;

}  // namespace rlverify::kernels::test
