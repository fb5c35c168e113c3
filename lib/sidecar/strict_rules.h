// SPDX-License-Identifier: Apache-2.0
// The strict rules on sidecars (docs/rules.md argues each): complete ranks and calls, names that agree with contents,
// values that log-probs can have, and what the log's scalars must agree with. They come on top of the reference's K
// rules.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/finding.h"
#include "sidecar/call_steps.h"
#include "sidecar/reference_rules.h"

namespace rlverify::sidecar {

/// What the manifest says about the sidecars that must be there.
struct ExpectedRun {
  Layout layout;
  std::int64_t ranks = 0;  ///< training GPUs
  std::int64_t steps = 0;
  std::int64_t global_batch_size = 0;
  bool require_exact = false;

  /// Samples of one step that one data-parallel group trains on; 0 when they can't be shared out evenly.
  [[nodiscard]] std::int64_t samples_per_group() const;
};

/// RLV-151 to 169.
void strict_sidecar_rules(const std::vector<SurveyedFile>& files, const MergedShards& merged,
                          const ExpectedRun& expected, const SidecarSection& section, core::Findings& findings);

/// What the sidecars hold with the mask ignored, as the log's scalars count.
struct UnmaskedTotals {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
};
[[nodiscard]] UnmaskedTotals unmasked_totals(const MergedShards& merged);
/// The same per step, as far as steps are known and all their shards could be compared.
[[nodiscard]] std::map<std::int64_t, UnmaskedTotals> unmasked_steps(const MergedShards& merged,
                                                                    const std::vector<SurveyedFile>& files,
                                                                    const ExpectedRun& expected);

}  // namespace rlverify::sidecar
