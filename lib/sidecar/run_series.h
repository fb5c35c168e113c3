// SPDX-License-Identifier: Apache-2.0
// The series of a whole run, joined from its files (mismatch_series.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sidecar/reference_rules.h"
#include "sidecar/strict_rules.h"

namespace rlverify::sidecar {

/// Positions of every rank that has a readable file, replicas included; magnitudes once for all tensor-parallel
/// replicas (the first file of a group, call and context-parallel rank counts). No steps.
[[nodiscard]] MismatchSeries series_of_files(const std::vector<SurveyedFile>& files);

/// Active elements that differ in bits, as far as the step of a call is known; steps without a difference have 0.
[[nodiscard]] std::map<std::int64_t, std::uint64_t> mismatches_by_step(const MergedShards& merged,
                                                                       const std::vector<SurveyedFile>& files,
                                                                       const ExpectedRun& expected);

}  // namespace rlverify::sidecar
