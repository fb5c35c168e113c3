// SPDX-License-Identifier: Apache-2.0
// The log's step metrics against what the sidecars hold. The log's token and mismatch counts ignore the loss mask, so
// they are held against all elements of the sidecars, not the active ones (spec section 3a, section 12 no. 3 and 4).
#pragma once

#include <cstdint>
#include <map>

#include "core/finding.h"
#include "readback/sections.h"
#include "sidecar/section.h"
#include "sidecar/strict_rules.h"

namespace rlverify::judge {

struct SidecarTotals {
  sidecar::UnmaskedTotals run;
  std::map<std::int64_t, sidecar::UnmaskedTotals> steps;  ///< of the steps that are known
};

/// RLV-164, 174 and 179.
void scalar_cross_rules(const readback::ScalarSection& scalars, const SidecarTotals& sidecars,
                        const sidecar::SidecarSection& section, core::Findings& findings);

}  // namespace rlverify::judge
