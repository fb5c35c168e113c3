// SPDX-License-Identifier: Apache-2.0
// The CPU backend in plain C++: every machine, any compiler, the same bits as the vectors.
#include "cpu/project.h"
#include "cpu/run_rows.h"
#include "cpu/scalar_ops.h"

namespace rlverify::kernels {

namespace {

struct ScalarLevel {
  template <bool Quad>
  using OpsFor = ScalarOps;
};

}  // namespace

CpuLevel scalar_level() noexcept {
  return {&RowRunner<ScalarLevel>::run_rows, &Projector<ScalarOps>::project};
}

}  // namespace rlverify::kernels
