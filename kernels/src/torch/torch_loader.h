// SPDX-License-Identifier: Apache-2.0
// Loads the torch module on demand: libtorch costs half a second and 160 MB at every start, so nothing links it.
#pragma once

#include "prepare.h"
#include "rlverify_kernels/logp.h"

namespace rlverify::kernels {

/// Computes `input` (logits of `storage` at `logits`) with the frameworks' own ATen operations on the CPU; returns
/// microseconds.
double run_on_torch(const Contract& contract, const LogpInput& input, const void* logits, StorageType storage,
                    const Execution& execution, const LogpOutput& output);

/// Whether the module is there and can be loaded; `device` names the libtorch version.
[[nodiscard]] BackendStatus torch_status();

/// Empty when the torch backend has this contract, else the reason.
[[nodiscard]] std::string torch_unsupported_reason(ContractId id);

}  // namespace rlverify::kernels
