// SPDX-License-Identifier: Apache-2.0
// logp_check --bandwidth: the CUDA kernels' time against one read of the logits at the memory's peak rate.
#pragma once

#include <cstdint>

namespace rlverify::kernels {

/// Prints microseconds, GB/s and the fraction of the peak for every contract on bf16 logits, portable and native.
/// Returns 0, or 4 without a GPU.
int check_bandwidth(int device, std::int64_t rows, std::int64_t vocab, std::uint64_t seed);

}  // namespace rlverify::kernels
