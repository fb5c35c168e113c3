// SPDX-License-Identifier: Apache-2.0
// logp_check --nccl: the merges of Megatron and slime through NCCL on the devices at hand, against the simulated
// orders.
#pragma once

#include <cstdint>

namespace rlverify::kernels {

/// Runs this program once per NCCL setting (NCCL reads its environment once per process) and prints what each gave.
/// Returns 0 when some simulated order explains every setting that has one, 1 when not, 4 when nothing could be run.
int check_nccl(std::uint64_t seed);

/// One setting, in the process that check_nccl() started: the environment is set already.
int run_nccl_setting(std::uint64_t seed);

}  // namespace rlverify::kernels
