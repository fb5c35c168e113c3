// SPDX-License-Identifier: Apache-2.0
// Train dumps against sidecars: both keep the log-probs of the same samples, so at active positions they must hold the
// same bytes. A dump is reduced to what that comparison gives while it is open; nothing of it is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/finding.h"
#include "run/dump_file.h"
#include "sidecar/call_steps.h"
#include "sidecar/survey.h"

namespace rlverify::sidecar {

/// The shards of one rank in one step, in call and list order, and the number of calls that they came from.
struct StepShards {
  std::vector<const Shard*> shards;
  std::int64_t calls = 0;
};

/// The shards of the sidecars by place; the first file of a rank and call counts.
class ShardIndex {
 public:
  /// `samples_per_step`: of one data-parallel group.
  ShardIndex(const std::vector<SurveyedFile>& files, const Layout& layout, std::int64_t samples_per_step);
  /// Empty when a call of the step is missing, or can't be told from the next step's.
  [[nodiscard]] StepShards of_rank(std::int64_t rank, std::int64_t step) const;
  [[nodiscard]] const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  CallSteps steps_;
  std::map<std::pair<std::int64_t, std::int64_t>, const SurveyedFile*> files_;  ///< (rank, call)
};

/// What one dump says.
struct SurveyedDump {
  std::string name;
  std::optional<core::Problem> problem;
  run::PublicDumpView public_view = run::PublicDumpView::kRaises;
  std::uint64_t bytes = 0;
  std::uint64_t tensors = 0;
  std::optional<std::int64_t> rollout_id;
  std::optional<std::int64_t> rank;
  bool whole_samples = false;  ///< form 2
  std::int64_t compared = 0;   ///< vectors that were held against a sidecar's
  std::string unavailable;     ///< why nothing could be compared; empty otherwise
  core::Findings findings;     ///< disagreements
};

/// Reads one dump and, given an index, checks that its bytes are those that were written and holds its log-probs
/// against the sidecars. Faults become `problem`.
[[nodiscard]] SurveyedDump survey_dump(std::unique_ptr<core::ByteSource> source, std::string name,
                                       const ShardIndex* index);

/// Strict rules over all dumps: names and payloads agree, every rank's dump of every step is there (form 1) or every
/// step's (form 2).
void strict_dump_rules(const std::vector<SurveyedDump>& dumps, std::int64_t ranks, std::int64_t steps,
                       core::Findings& findings);

}  // namespace rlverify::sidecar
