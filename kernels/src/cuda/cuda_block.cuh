// SPDX-License-Identifier: Apache-2.0
// The block policy of CUDA: a lane is a thread, an accumulator a register. Trees inside a warp are shuffles, wider ones
// go through shared memory; every thread of the block calls every method.
#pragma once

#include "arithmetic/exp_log_fp64.h"
#include "cuda/thread_walk.h"

namespace rlverify::kernels {

/// Shared memory of a block.
struct BlockMemory {
  float values[1024];
  double wide[64];
};

/// `Quad`: the threads work in independent groups of four lanes; else the whole block is one group.
/// `Ops` holds the exponentials: ScalarOps' portable ones, or the hardware's.
template <bool Quad, class Ops = ScalarOps>
class CudaBlock {
 public:
  using Columns = LogitColumns;
  struct Acc {
    float value;
  };
  struct AccFp64 {
    double value;
  };

  __device__ explicit CudaBlock(BlockMemory& memory) : memory_(memory) {}

  __device__ int lane() const { return Quad ? static_cast<int>(threadIdx.x % 4) : static_cast<int>(threadIdx.x); }

  __device__ Acc zero(int) const { return {0.0F}; }
  template <class Fill>
  __device__ Acc generate(int threads, Fill fill) const {
    return {lane() < threads ? fill(lane()) : 0.0F};
  }
  __device__ void set(Acc& acc, int lane_index, float value) const {
    if (lane() == lane_index)
      acc.value = value;
  }
  template <class Change>
  __device__ void update(Acc& acc, int threads, Change change) const {
    if (lane() < threads)
      acc.value = change(lane(), acc.value);
  }
  /// Every thread adds the lanes one after the other, all reading the same word at a time.
  __device__ float serial_sum(float sum, const Acc& acc, int threads) {
    __syncthreads();
    memory_.values[threadIdx.x] = acc.value;
    __syncthreads();
    for (int i = 0; i < threads; ++i)
      sum = sum + memory_.values[i];
    __syncthreads();
    return sum;
  }
  __device__ float column(const Columns& columns, std::int64_t c) const {
    return load_logit(columns.row, c, columns.transform);
  }
  template <ExpKind Kind>
  __device__ static float exp(float x) {
    return Ops::template exp_nonpositive<Kind>(x);
  }
  __device__ void add(Acc& acc, const Acc& other, int) const { acc.value += other.value; }

  __device__ float maximum(const Columns& columns, ColumnRange range) {
    const int threads = Quad ? 4 : static_cast<int>(blockDim.x);
    float max = thread_maximum(lane(), threads, columns, range);
    const int width = Quad ? 4 : 32;
    for (int offset = width / 2; offset >= 1; offset /= 2)
      max = max_number(max, __shfl_xor_sync(mask(), max, offset, width));
    if constexpr (Quad) {
      return max;
    } else {
      const int warps = static_cast<int>(blockDim.x) / 32;
      __syncthreads();
      if (threadIdx.x % 32 == 0)
        memory_.values[threadIdx.x / 32] = max;
      __syncthreads();
      for (int warp = 0; warp < warps; ++warp)
        max = max_number(max, memory_.values[warp]);
      __syncthreads();
      return max;
    }
  }

  template <int Elements, class Term>
  __device__ void accumulate(Acc& acc, int threads, const Columns& columns, Sweep sweep, Term term) const {
    acc.value = thread_accumulate<Elements, Ops>(lane(), threads, acc.value, columns, sweep, term);
  }
  template <class Term>
  __device__ void accumulate_slots(Acc* slots, int threads, const Columns& columns, Sweep sweep, Term term) const {
    float values[4] = {slots[0].value, slots[1].value, slots[2].value, slots[3].value};
    thread_accumulate_slots<Ops>(lane(), threads, values, columns, sweep, term);
    for (int e = 0; e < 4; ++e)
      slots[e].value = values[e];
  }

  __device__ void fold_down(Acc& acc, int threads, int group, int offset) {
    if (group <= 32) {
      acc.value += __shfl_down_sync(mask(), acc.value, static_cast<unsigned>(offset), Quad ? 4 : 32);
      return;
    }
    __syncthreads();
    memory_.values[threadIdx.x] = acc.value;
    __syncthreads();
    if (lane() % group < offset && lane() < threads)
      acc.value += memory_.values[lane() + offset];
  }
  __device__ void fold_down(AccFp64& acc, int threads, int, int offset) {
    __syncthreads();
    memory_.wide[threadIdx.x] = acc.value;
    __syncthreads();
    if (lane() < offset && lane() < threads)
      acc.value += memory_.wide[lane() + offset];
  }
  __device__ void fold_up(Acc& acc, int, int, int offset) const {
    acc.value += __shfl_down_sync(mask(), acc.value, static_cast<unsigned>(offset), 32);
  }
  __device__ void compact(Acc& acc, int stride, int count) {
    __syncthreads();
    if (lane() % stride == 0 && lane() / stride < count)
      memory_.values[lane() / stride] = acc.value;
    __syncthreads();
    acc.value = lane() < count ? memory_.values[lane()] : 0.0F;
  }
  /// Lane 0's value in every lane.
  __device__ float first(const Acc& acc) {
    if constexpr (Quad) {
      return __shfl_sync(mask(), acc.value, 0, 4);
    } else {
      __syncthreads();
      if (threadIdx.x == 0)
        memory_.values[0] = acc.value;
      __syncthreads();
      const float value = memory_.values[0];
      __syncthreads();
      return value;
    }
  }
  __device__ double first(const AccFp64& acc) {
    __syncthreads();
    if (threadIdx.x == 0)
      memory_.wide[0] = acc.value;
    __syncthreads();
    const double value = memory_.wide[0];
    __syncthreads();
    return value;
  }

  __device__ AccFp64 zero_fp64(int) const { return {0.0}; }
  __device__ double maximum_fp64(int threads, const void* row, const LogitTransform& transform, std::int64_t columns) {
    double max = -__longlong_as_double(0x7FF0000000000000LL);
    for (std::int64_t c = lane(); c < columns; c += threads) {
      const double z = load_logit_fp64(row, c, transform);
      max = z > max ? z : max;
    }
    __syncthreads();
    memory_.wide[threadIdx.x] = max;
    __syncthreads();
    for (int i = 0; i < threads; ++i)
      max = memory_.wide[i] > max ? memory_.wide[i] : max;
    __syncthreads();
    return max;
  }
  __device__ void accumulate_fp64(AccFp64& acc, int threads, const void* row, const LogitTransform& transform,
                                  std::int64_t columns, double max) const {
    for (std::int64_t c = lane(); c < columns; c += threads) {
      acc.value += exp_portable_fp64(load_logit_fp64(row, c, transform) - max);
    }
  }

 private:
  /// Threads that a shuffle waits for: the warp, or the group of four, whose loops may be shorter than its neighbours'.
  __device__ unsigned mask() const { return Quad ? 0xFU << (threadIdx.x % 32 / 4 * 4) : 0xFFFFFFFFU; }

  BlockMemory& memory_;
};

}  // namespace rlverify::kernels
