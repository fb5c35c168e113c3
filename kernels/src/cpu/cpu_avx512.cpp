// SPDX-License-Identifier: Apache-2.0
// The CPU backend for AVX-512: this file alone is compiled with those instructions and called only where the processor
// has them.
#include "cpu/highway_ops.h"
#include "cpu/project.h"
#include "cpu/run_rows.h"

namespace rlverify::kernels {

namespace {

struct VectorLevel {
  template <bool Quad>
  using OpsFor = HWY_NAMESPACE::HighwayOps<Quad ? 4 : HWY_MAX_BYTES / 4>;
};

}  // namespace

CpuLevel avx512_level() noexcept {
  return {&RowRunner<VectorLevel>::run_rows, &Projector<VectorLevel::OpsFor<false>>::project};
}

}  // namespace rlverify::kernels
