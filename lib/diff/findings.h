// SPDX-License-Identifier: Apache-2.0
// What the comparison of two models has to say (internal to diff/model_diff.h).
#pragma once

#include "diff/model_diff.h"

namespace rlverify::diff {

/// Adds a finding for each tensor that isn't equal (RLV-401 to RLV-406) or can't be read (RLV-220).
void add_findings(ModelDiff& diff);

}  // namespace rlverify::diff
