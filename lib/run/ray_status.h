// SPDX-License-Identifier: Apache-2.0
// ray-status.txt: what `ray job status` printed (spec/run-artifacts.md section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlverify::run {

enum class JobState { kSucceeded, kFailed, kStopped, kRunning, kPending, kUnknown };

struct RayStatus {
  bool has_succeeded_word = false;      ///< the public validator's test: the whole word, any case, anywhere
  JobState state = JobState::kUnknown;  ///< as Ray writes it: the last line that states one
  std::optional<std::string> job_id;    ///< the quoted name on that line
  std::string state_line;               ///< that line, colour codes removed
};

/// `bytes` may be any text; bad UTF-8 is replaced.
[[nodiscard]] RayStatus read_ray_status(std::string_view bytes);

/// "SUCCEEDED", "FAILED", "STOPPED", "RUNNING", "PENDING" or "UNKNOWN".
[[nodiscard]] std::string_view job_state_name(JobState state);

}  // namespace rlverify::run
