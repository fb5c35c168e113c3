// SPDX-License-Identifier: Apache-2.0
// A contract's CUDA kernels run through the block simulator, one thread block after the other.
#pragma once

#include <algorithm>
#include <vector>

#include "prepare.h"
#include "sim_block.h"
#include "test_support.h"

namespace rlverify::kernels::test {

/// partial_kernel and merge_kernel of contract type C with the exponentials of `Ops`.
template <class C, class Ops>
std::vector<float> simulate(const Contract& entry, const Problem& problem) {
  const Prepared prepared = prepare(entry, problem.input, problem.input.logits_type, problem.input.logits_type);
  const Shape& shape = prepared.shape;
  const int units = C::units(shape);
  std::vector<float> logp;
  for (std::int64_t row = 0; row < problem.input.rows; ++row) {
    const void* stored = problem.logits.data() + row * prepared.row_stride * storage_bytes(problem.input.logits_type);
    const LogitColumns columns{stored, prepared.transform};
    SimBlockOf<Ops> block(C::kQuadLanes ? 4 : std::max(32, C::lanes(shape)));
    SimBlockOf<Ops> merge_block(64);
    MergeInput in;
    if (C::kGlobalMax)
      in.global_max = SimBlock(512).maximum(columns, {0, shape.padded_vocab});
    std::vector<float> maxima;
    std::vector<float> sums;
    in.batch_row = shape.first_batch_row + row;
    for (int unit = 0; unit < units; ++unit) {
      const Partial partial = C::partial(block, columns, C::unit(shape, unit), in.global_max, shape, in.batch_row);
      maxima.push_back(partial.max);
      sums.push_back(partial.sum);
    }
    in.maxima = maxima.data();
    in.sums = sums.data();
    in.units = units;
    describe_target(in, problem.targets[static_cast<std::size_t>(row)], shape, stored, prepared.transform);
    logp.push_back(canonical(C::merge(merge_block, in, shape)));
  }
  return logp;
}

}  // namespace rlverify::kernels::test
