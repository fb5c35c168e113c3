// SPDX-License-Identifier: Apache-2.0
// The sections of the validation document that come from readbacks, log and manifest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/value.h"

namespace rlverify::readback {

inline constexpr std::array<const char*, 3> kModules = {"attention", "ffn", "logp"};

struct CudagraphSection {
  bool launcher_marker = false;
  bool engine_mode = false;
  bool not_eager = false;
  bool capture_sizes = false;
  core::Value expected_capture_sizes;  ///< the manifest's value as it stands (points into the manifest's table);
                                       ///< absent: an empty list
  [[nodiscard]] bool passed() const { return launcher_marker && engine_mode && not_eager && capture_sizes; }
};

struct ModuleSummary {
  std::string case_id;
  std::string expected_implementation;
  std::int64_t installed_processes = 0;
  std::int64_t call_count = 0;
  std::vector<std::string> implementations;   ///< sorted by code point, unique
  std::vector<std::string> backend_ids;       ///< sorted by code point, unique
  std::optional<bool> native_marker_present;  ///< production megatron logp only, with native_backend_id
};

struct FrameworkSummary {
  std::int64_t readback_count = 0;
  std::array<ModuleSummary, 3> modules;  ///< in the order of kModules
};

struct ReadbackSection {
  std::optional<FrameworkSummary> megatron_training;  ///< absent without files
  std::optional<FrameworkSummary> vllm_rollout;
};

struct PcpSection {
  bool required = false;
  std::vector<std::int64_t> cp_rank_worker_counts;  ///< these two only where required
  std::int64_t expected_workers_per_cp_rank = 0;
};

/// A Python number: integer or float, as the log's literal gives it. Absent: null.
using PythonNumber = std::variant<std::int64_t, double>;

/// One row per step record, ascending (spec section 10, "Runtime scalar log-prob").
struct ScalarRow {
  std::int64_t step = 0;
  std::optional<PythonNumber> bitwise_mismatch_count;
  std::optional<PythonNumber> active_token_count;
  std::optional<PythonNumber> max_abs_dlogp;
  std::optional<PythonNumber> mean_abs_dlogp;
  std::optional<PythonNumber> vime_mean_mismatch_count_per_sample;
  std::optional<PythonNumber> vime_mean_active_tokens_per_sample;
};

struct ScalarSection {
  bool bitwise_zero = false;
  std::vector<ScalarRow> rows;
  PythonNumber total_active_token_exposure = std::int64_t{0};
};

}  // namespace rlverify::readback
