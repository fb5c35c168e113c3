// SPDX-License-Identifier: Apache-2.0
// The row loop of the CPU backend, instantiated once per instruction set: widen a row's columns where needed, let the
// contract compute its units, merge. Included only by cpu_scalar.cpp, cpu_avx2.cpp and cpu_avx512.cpp.
#pragma once

#include <type_traits>

#include "contracts/dispatch.h"
#include "cpu/lane_block.h"
#include "cpu/task.h"

namespace rlverify::kernels {

/// `Level`: Wide and Quad vector operations of one instruction set.
template <class Level>
class RowRunner {
 public:
  static void run_rows(const CpuTask& task, std::int64_t begin, std::int64_t end, float* scratch) {
    with_contract(task.id, [&](auto tag) {
      using C = typename decltype(tag)::type;
      if constexpr (std::is_same_v<C, Fp64Reference>) {
        run_fp64(task, begin, end);
      } else {
        run<C>(task, begin, end, scratch);
      }
    });
  }

 private:
  static const void* row_of(const CpuTask& task, std::int64_t row) {
    return static_cast<const char*>(task.logits) +
           row * task.row_stride * (task.transform.storage == StorageType::kFloat32 ? 4 : 2);
  }

  /// The range as a block reads it: the stored row itself when nothing has to be done to it, else an fp32 copy in
  /// `stage`.
  template <class Block>
  static typename Block::Columns columns_of(const CpuTask& task, const void* row, ColumnRange range, float* stage) {
    const LogitTransform& transform = task.transform;
    if (!transform.active && transform.storage == StorageType::kFloat32)
      return {static_cast<const float*>(row), 0, nullptr};
    if (!transform.active && transform.storage == StorageType::kBFloat16)
      return {nullptr, 0, static_cast<const std::uint16_t*>(row)};
    const std::int64_t count = range.end - range.begin;
    if (!transform.active) {
      const std::uint16_t* stored = static_cast<const std::uint16_t*>(row) + range.begin;
      for (std::int64_t i = 0; i < count; ++i)
        stage[i] = widen_fp16(stored[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        stage[i] = load_logit(row, range.begin + i, transform);
    }
    return {stage, range.begin, nullptr};
  }

  template <class Contract>
  static void run(const CpuTask& task, std::int64_t begin, std::int64_t end, float* scratch) {
    using Block = LaneBlock<typename Level::template OpsFor<Contract::kQuadLanes>>;
    Block block;
    const Shape& shape = task.shape;
    const int units = Contract::units(shape);
    float* maxima = scratch;
    float* sums = scratch + padded_units(units);
    float* stage = sums + padded_units(units);
    for (std::int64_t row = begin; row < end; ++row) {
      const void* stored = row_of(task, row);
      const std::int64_t batch_row = shape.first_batch_row + row;
      typename Block::Columns columns{};
      float global_max = 0.0F;
      if constexpr (Contract::kGlobalMax) {
        const ColumnRange all{0, shape.padded_vocab};
        columns = columns_of<Block>(task, stored, all, stage);
        global_max = block.maximum(columns, all);
      }
      for (int unit = 0; unit < units; ++unit) {
        const ColumnRange range = Contract::unit(shape, unit);
        if constexpr (!Contract::kGlobalMax)
          columns = columns_of<Block>(task, stored, range, stage);
        const Partial partial = Contract::partial(block, columns, range, global_max, shape, batch_row);
        maxima[unit] = partial.max;
        sums[unit] = partial.sum;
      }
      const MergeInput merge_input = merge_input_of(task, row, stored, {maxima, sums, units, batch_row, global_max});
      write(task, row, canonical(Contract::merge(block, merge_input, shape)));
      if constexpr (kHasEntropy<Contract>) {
        if (task.entropy != nullptr) {
          columns = columns_of<Block>(task, stored, {0, shape.padded_vocab}, stage);
          task.entropy[row] = canonical(entropy_of<Contract>(block, columns, merge_input, shape));
        }
      }
    }
  }

  /// The units' parts from left to right.
  template <class Contract, class Block>
  static float entropy_of(Block& block, const typename Block::Columns& columns, const MergeInput& in,
                          const Shape& shape) {
    const EntropyInput input{Contract::log_sum_exp(block, in, shape), in.maxima[0], in.sums[0]};
    float entropy = Contract::entropy_partial(block, columns, 0, input, shape, in.batch_row);
    for (int unit = 1; unit < Contract::entropy_units(shape); ++unit)
      entropy = entropy + Contract::entropy_partial(block, columns, unit, input, shape, in.batch_row);
    return entropy;
  }

  static MergeInput merge_input_of(const CpuTask& task, std::int64_t row, const void* stored, MergeInput in) {
    describe_target(in, task.targets[row], task.shape, stored, task.transform);
    return in;
  }

  static void run_fp64(const CpuTask& task, std::int64_t begin, std::int64_t end) {
    LaneBlock<typename Level::template OpsFor<false>> block;
    for (std::int64_t row = begin; row < end; ++row) {
      const double logp = Fp64Reference::logp(block, row_of(task, row), task.transform, task.targets[row], task.shape);
      if (task.logp_fp64 != nullptr)
        task.logp_fp64[row] = logp;
      if (task.logp != nullptr)
        task.logp[row] = canonical(static_cast<float>(logp));
    }
  }

  static void write(const CpuTask& task, std::int64_t row, float logp) {
    if (task.logp != nullptr)
      task.logp[row] = logp;
    if (task.logp_fp64 != nullptr)
      task.logp_fp64[row] = canonical(static_cast<double>(logp));
  }
};

}  // namespace rlverify::kernels
