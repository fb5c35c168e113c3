// SPDX-License-Identifier: Apache-2.0
// Rules K1-K18 of the public validator over the surveyed sidecars, its cross-checks X1 and X2, and the counting of
// train dumps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/finding.h"
#include "run/dump_file.h"
#include "sidecar/section.h"
#include "sidecar/survey.h"

namespace rlverify::sidecar {

/// The shards that count: per (dp, call, sample, cp rank) the first one in file order, ascending. Replicas that differ
/// from it are listed.
struct MergedShards {
  std::vector<const Shard*> shards;
  struct Conflict {
    const Shard* first;
    const Shard* other;
  };
  std::vector<Conflict> conflicts;
};
[[nodiscard]] MergedShards merge_shards(const std::vector<SurveyedFile>& files);

/// Sums and counts over the merged shards (spec section 6, steps 4 to 7).
[[nodiscard]] SidecarSection measure_sidecars(const std::vector<SurveyedFile>& files, const MergedShards& merged,
                                              bool require_exact);

/// K1-K18.
void sidecar_rules(const std::vector<SurveyedFile>& files, const MergedShards& merged, const Layout& layout,
                   const SidecarSection& section, core::Findings& findings);

/// An error about log-probs at `place`.
[[nodiscard]] core::Finding finding_at(const char* code, core::FindingPlace place, std::string what,
                                       std::string expected, std::string found);

/// The place of a shard, for findings.
[[nodiscard]] core::FindingPlace place_of(const std::vector<SurveyedFile>& files, const Shard& shard);

/// A log-prob's shortest decimal and the bits of its stored form: "-0.25 (0xbe800000)".
[[nodiscard]] std::string value_text(double value, tensor::DType dtype);

}  // namespace rlverify::sidecar
