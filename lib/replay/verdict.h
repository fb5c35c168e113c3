// SPDX-License-Identifier: Apache-2.0
// From tallies to verdicts: which contract a side follows, whether both sides follow the same, and what is to be said
// about it.
#pragma once

#include "replay/result.h"

namespace rlverify::replay {

/// Fills verdict, followed, tied, nearest and setting_is_clear from the rows. A contract is named when all its bits
/// match, or when it differs in under a fifth of the runner-up's values; contracts whose values are the same
/// everywhere (Row::same_as) count as one.
void judge_side(SideResult& side);

/// Fills `common` and adds the findings RLV-510 to 517 about the sides, which were judged before.
void judge_sides(ReplayResult& result);

}  // namespace rlverify::replay
