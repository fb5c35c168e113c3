// SPDX-License-Identifier: Apache-2.0
// Measures of readbacks, log and manifest: each fills its section with what is there. Judging it is the rules' work
// (reference_rules.h, strict_rules.h).
#pragma once

#include <string>
#include <vector>

#include "core/finding.h"
#include "readback/frame.h"
#include "readback/sections.h"
#include "run/run_directory.h"

namespace rlverify::readback {

/// The two pairs of framework and target that a run has, in the order of the document.
struct Pair {
  const char* framework;
  const char* target;
  Side side;
  const char* name;  ///< "megatron/training"
};
inline constexpr std::array<Pair, 2> kPairs = {{{"megatron", "training", Side::kTraining, "megatron/training"},
                                                {"vllm", "rollout", Side::kRollout, "vllm/rollout"}}};

/// Readbacks of one pair: their positions in the run's list.
[[nodiscard]] std::vector<const run::JsonArtifact*> readbacks_of(const std::vector<run::JsonArtifact>& readbacks,
                                                                 const Pair& pair);
/// The operator record of a module in one readback; absent without.
[[nodiscard]] core::Value operator_record(core::Value readback, const char* module);
/// Whether the native log-prob route of the training side is attested in the log (spec rule R3).
[[nodiscard]] bool has_native_marker(const run::RunLog& log, const std::string& logp_case);

[[nodiscard]] CudagraphSection measure_cudagraph(const Frame& frame, const run::RunLog& log);
/// Throws CannotJudge where the public validator raises: records, provenance or hooks of a kind that it can't look
/// into.
[[nodiscard]] ReadbackSection measure_readbacks(const Frame& frame, const std::vector<run::JsonArtifact>& readbacks,
                                                const run::RunLog& log);

/// The record of each step that counts, ascending, and the order in which the steps first appeared.
struct StepRecord {
  std::int64_t step = 0;
  const run::LogRecord* record = nullptr;
  core::Value payload;
};
struct StepRecords {
  std::vector<StepRecord> by_step;      ///< ascending
  std::vector<std::size_t> by_arrival;  ///< positions in by_step, in the order of first appearance
};
/// What the public validator keeps: step lines its pattern and parser take, `critic-step` included.
[[nodiscard]] bool public_accepts(const run::LogRecord& record);
/// What the strict rules keep: every step record that can be read, of no other role.
[[nodiscard]] bool strict_accepts(const run::LogRecord& record);
/// Which of several records of one step counts. The public validator keeps the last; where that is a fault of its own,
/// the first one stands.
enum class Repeated { kLastCounts, kFirstCounts };
[[nodiscard]] StepRecords step_records(const run::RunLog& log, bool (*accept)(const run::LogRecord&),
                                       Repeated repeated);

/// Metric names of a step record that the rows come from.
inline constexpr const char* kMismatchCount = "train/train_current_rollout_logprob_mismatch_count";
inline constexpr const char* kMaxAbsDiff = "train/train_current_rollout_logprob_max_abs_diff";
inline constexpr const char* kMeanAbsDiff = "train/train_rollout_logprob_abs_diff";
inline constexpr const char* kNumel = "train/train_current_rollout_logprob_numel";

/// A finite number of a record (no bool), or nothing (rule N2 refuses it).
[[nodiscard]] std::optional<PythonNumber> finite_metric(core::Value payload, const char* name);
[[nodiscard]] ScalarSection measure_scalars(const StepRecords& steps, std::int64_t global_batch_size);
[[nodiscard]] double as_double(const PythonNumber& number);

/// Strings anywhere in a value contain "triton", or a triton_used/uses_triton key is true (spec section 5,
/// contains-triton).
[[nodiscard]] bool contains_triton(core::Value value);
/// The platform of a provenance (spec section 5, dense); nothing without one.
[[nodiscard]] std::optional<std::string> platform_of(core::Value provenance);
/// Every string under keys actual_backend and backend_id, in order.
void collect_backend_ids(core::Value value, std::vector<std::string>& ids);

}  // namespace rlverify::readback
