// SPDX-License-Identifier: Apache-2.0
// miles_fused: miles' default path, Megatron's fused cross entropy (megatron_ce_fused.h) on a fp32 copy. Source: miles
// of August 2026. Order: logits times fp32(1/T), rounded back to the incoming type, then as megatron_ce_fused; at T =
// 1, and for fp32 logits at every T, the two are one computation. Its stand-ins are megatron_ce_fused's.
#pragma once

#include "contracts/megatron_ce_fused.h"

namespace rlverify::kernels {

/// Only the temperature rule, which the registry holds, tells the two apart.
using MilesFused = MegatronCeFused;

}  // namespace rlverify::kernels
