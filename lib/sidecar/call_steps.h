// SPDX-License-Identifier: Apache-2.0
// Which calls of a rank belong to which step. A step trains on a fixed number of samples, however many micro-batches
// they were cut into, so calls are counted by their samples: dynamic batches give one step one call and the next three.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sidecar/survey.h"

namespace rlverify::sidecar {

class CallSteps {
 public:
  /// `samples_per_step`: of one data-parallel group. Steps behind a missing call, or behind one that ends between two
  /// steps, are not known.
  CallSteps(const std::vector<SurveyedFile>& files, const Layout& layout, std::int64_t samples_per_step);

  /// The step that a call of a group belongs to.
  [[nodiscard]] std::optional<std::int64_t> step_of(std::int64_t dp, std::int64_t call) const;
  struct Calls {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  [[nodiscard]] std::optional<Calls> calls_of(std::int64_t dp, std::int64_t step) const;

 private:
  std::map<std::int64_t, std::vector<std::int64_t>> ends_;  ///< of each group: one past the last call of each step
};

}  // namespace rlverify::sidecar
