// SPDX-License-Identifier: Apache-2.0
// Replicas are told apart by file, not by shard: the files of tensor-parallel ranks hold the same samples.
#include "sidecar/run_series.h"

#include <set>
#include <tuple>

namespace rlverify::sidecar {

MismatchSeries series_of_files(const std::vector<SurveyedFile>& files) {
  MismatchSeries series;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> counted;
  for (const SurveyedFile& file : files) {
    if (file.problem || file.shards.empty()) {
      continue;
    }
    series.positions[file.rank].add(file.mismatches.positions);
    const Shard& shard = file.shards.front();
    if (counted.emplace(shard.dp, shard.call, shard.cp_rank).second) {
      series.magnitudes.add(file.mismatches.magnitudes);
    }
  }
  return series;
}

std::map<std::int64_t, std::uint64_t> mismatches_by_step(const MergedShards& merged,
                                                         const std::vector<SurveyedFile>& files,
                                                         const ExpectedRun& expected) {
  const CallSteps steps(files, expected.layout, expected.samples_per_group());
  std::map<std::int64_t, std::uint64_t> counts;
  for (const Shard* shard : merged.shards) {
    if (const auto step = steps.step_of(shard->dp, shard->call)) {
      counts[*step] += static_cast<std::uint64_t>(shard->statistics.bitwise_mismatch_count);
    }
  }
  return counts;
}

}  // namespace rlverify::sidecar
