// SPDX-License-Identifier: Apache-2.0
// The CPU backend: choice of instruction set, threads over rows, scratch memory.
#pragma once

#include <string>

#include "prepare.h"
#include "rlverify_kernels/logp.h"

namespace rlverify::kernels {

/// Computes a prepared problem on the CPU. `logits` lie as prepared.transform.storage says.
void run_on_cpu(ContractId id, const Prepared& prepared, const void* logits, const LogpInput& input,
                const Execution& execution, const LogpOutput& output);

/// Multiplies rows [row, row + rows) of the hidden states, at most 64 of them, by the weight.
void project_on_cpu(const LogpInput& input, std::int64_t row, std::int64_t rows, StorageType rounding,
                    const Execution& execution, float* product);

/// Name of this processor, from the system.
[[nodiscard]] std::string cpu_name();

}  // namespace rlverify::kernels
