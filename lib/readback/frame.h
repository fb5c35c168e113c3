// SPDX-License-Identifier: Apache-2.0
// The few facts of the manifest that every other check stands on. Where one is missing or of a kind that can't be used,
// the run can't be judged: the public validator raises there and its report collapses (rule S3), and so does ours.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/value.h"

namespace rlverify::readback {

/// The run can't be judged. The text is "ExceptionName: reason", as the public validator's short report has it.
struct CannotJudge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Which implementation a side of a module must have used.
enum class Side { kTraining = 0, kRollout = 1 };

struct Frame {
  core::Value manifest;
  core::Value arm;
  core::Value topology;
  core::Value capture_sizes;         ///< absent: an empty list
  std::array<std::string, 3> cases;  ///< of attention, ffn, logp: "R/R"
  std::int64_t num_rollout = 0;
  std::int64_t global_batch_size = 0;
  std::int64_t tensor_parallel_size = 0;
  std::int64_t context_parallel_size = 0;

  /// All three modules run RL-Kernel on both sides: then log-probs must agree to the bit.
  [[nodiscard]] bool require_exact() const { return cases[0] == "R/R" && cases[1] == "R/R" && cases[2] == "R/R"; }
  /// "rl_kernel" or "production": the letter before the slash is the training side's, the one behind it the rollout
  /// side's.
  [[nodiscard]] std::string expected_implementation(std::size_t module, Side side) const;
  [[nodiscard]] bool runs_rl_kernel(std::size_t module, Side side) const {
    return expected_implementation(module, side) == "rl_kernel";
  }
};

/// Reads the frame as the public validator does (hard look-ups, int() conversions). Throws CannotJudge. The values
/// point into the manifest's table.
[[nodiscard]] Frame read_frame(core::Value manifest);

/// int(value), or CannotJudge naming `what`.
[[nodiscard]] std::int64_t require_int(core::Value value, const std::string& what);

}  // namespace rlverify::readback
