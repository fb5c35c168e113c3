// SPDX-License-Identifier: Apache-2.0
// The first readable replica of a call says how many samples it has.
#include "sidecar/call_steps.h"

#include <algorithm>

namespace rlverify::sidecar {

CallSteps::CallSteps(const std::vector<SurveyedFile>& files, const Layout& layout, std::int64_t samples_per_step) {
  std::map<std::int64_t, std::map<std::int64_t, std::size_t>> samples;  // dp -> call -> samples
  for (const SurveyedFile& file : files) {
    if (!file.problem) {
      const std::int64_t dp = file.rank / layout.tensor_parallel_size / layout.context_parallel_size;
      samples[dp].emplace(file.call_index, file.shards.size());
    }
  }
  for (const auto& [dp, calls] : samples) {
    std::vector<std::int64_t>& ends = ends_[dp];
    std::int64_t next = 0;
    std::int64_t gathered = 0;
    for (const auto& [call, count] : calls) {
      gathered += static_cast<std::int64_t>(count);
      if (call != next || gathered > samples_per_step) {
        break;
      }
      ++next;
      if (gathered == samples_per_step) {
        ends.push_back(next);
        gathered = 0;
      }
    }
  }
}

std::optional<std::int64_t> CallSteps::step_of(std::int64_t dp, std::int64_t call) const {
  const auto group = ends_.find(dp);
  if (group == ends_.end()) {
    return std::nullopt;
  }
  const auto end = std::upper_bound(group->second.begin(), group->second.end(), call);
  if (end == group->second.end()) {
    return std::nullopt;
  }
  return end - group->second.begin();
}

std::optional<CallSteps::Calls> CallSteps::calls_of(std::int64_t dp, std::int64_t step) const {
  const auto group = ends_.find(dp);
  if (group == ends_.end() || step < 0 || static_cast<std::size_t>(step) >= group->second.size()) {
    return std::nullopt;
  }
  const auto at = static_cast<std::size_t>(step);
  return Calls{at == 0 ? 0 : group->second[at - 1], group->second[at]};
}

}  // namespace rlverify::sidecar
