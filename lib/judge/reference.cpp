// SPDX-License-Identifier: Apache-2.0
// The reference rules in the order in which the public validator runs them, since where it raises is part of its
// verdict.
#include <fmt/format.h>

#include "judge/evidence.h"
#include "judge/rule_sets.h"
#include "readback/frame.h"
#include "readback/reference_rules.h"
#include "sidecar/reference_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using readback::CannotJudge;

/// X2: active tokens of the sidecars against those that the log counted, as exact numbers.
void exposure_rule(const readback::PythonNumber& exposure, std::int64_t element_count, core::Findings& findings) {
  const auto* whole = std::get_if<std::int64_t>(&exposure);
  const bool equal =
      whole != nullptr ? *whole == element_count : std::get<double>(exposure) == static_cast<double>(element_count);
  if (!equal) {
    findings.add(readback::make_finding(
        "RLV-164", Section::kLaunch, "the sidecars hold another number of active tokens than the log counted",
        fmt::format("{} tokens", readback::as_double(exposure)), fmt::format("{} tokens", element_count)));
  }
}

/// Dumps are only counted; one that can't be read ends the judgement, as it does for the public validator.
void count_dumps(const std::vector<sidecar::SurveyedDump>& dumps, sidecar::OfflineSection& section) {
  for (const sidecar::SurveyedDump& dump : dumps) {
    if (dump.problem) {
      throw CannotJudge("DumpError: " + dump.problem->text());
    }
    if (dump.public_view == run::PublicDumpView::kRaises) {
      throw CannotJudge("TypeError: train-data/" + dump.name + " holds no object that could have log_probs");
    }
    ++section.artifact_count;
    section.comparable_artifact_count += dump.public_view == run::PublicDumpView::kHasLogProbs ? 1 : 0;
  }
}

}  // namespace

void sample_count_rule(std::int64_t num_rollout, std::int64_t global_batch_size, std::int64_t sample_count,
                       core::Findings& findings) {
  std::int64_t samples = 0;
  const bool overflow = __builtin_mul_overflow(num_rollout, global_batch_size, &samples);
  if (overflow || sample_count != samples) {
    findings.add(readback::make_finding("RLV-163", Section::kLaunch,
                                        "the sidecars hold another number of samples than the run trained on",
                                        fmt::format("{} rollouts of {} samples", num_rollout, global_batch_size),
                                        fmt::format("{} samples", sample_count)));
  }
}

void judge_by_reference(const Bench& bench, report::ValidationResult& result) {
  const readback::Frame frame = readback::read_frame(bench.run.manifest.root());
  const run::RunLog& log = *bench.run.log;
  if (log.marks_overflow || !log.over_long.empty()) {
    throw CannotJudge("MemoryError: run.log has lines or marks beyond what is kept");
  }
  result.group = frame.arm.get("group");
  result.cudagraph = readback::measure_cudagraph(frame, log);
  result.readbacks = readback::measure_readbacks(frame, bench.run.readbacks, log);
  const readback::StepRecords steps =
      readback::step_records(log, readback::public_accepts, readback::Repeated::kLastCounts);
  result.scalars = readback::measure_scalars(steps, frame.global_batch_size);
  const readback::RuleInput input = {frame, bench.run, log, steps, result.readbacks, result.scalars};
  readback::cudagraph_rules(result.cudagraph, result.findings);
  readback::readback_rules(input, result.findings);
  readback::pcp_rules(input, result.pcp, result.findings);

  const sidecar::Layout layout = {frame.tensor_parallel_size, frame.context_parallel_size};
  if (layout.tensor_parallel_size <= 0 || layout.context_parallel_size <= 0) {
    throw CannotJudge("ValueError: parallel sizes must be positive");
  }
  const auto files = survey_sidecars(bench.run, layout, bench.pool, bench.show_progress);
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  result.sidecars = sidecar::measure_sidecars(files, merged, frame.require_exact());
  sidecar::sidecar_rules(files, merged, layout, result.sidecars, result.findings);
  readback::scalar_rules(input, result.findings);
  const auto dumps = survey_dumps(bench.run, nullptr, bench.pool, bench.show_progress);
  count_dumps(dumps, result.offline);
  result.coverage = coverage_of(bench.run, files, dumps, result.sidecars);

  readback::status_rule(input, result.findings);
  sample_count_rule(frame.num_rollout, frame.global_batch_size, result.sidecars.sample_count, result.findings);
  exposure_rule(result.scalars.total_active_token_exposure, result.sidecars.element_count, result.findings);
  readback::estimator_rule(frame, result.findings);
  readback::update_rules(input, result.findings);
  readback::topology_rules(input, result.findings);
  readback::command_rules(input, result.findings);
  readback::memory_rule(input, result.findings);
  readback::log_rules(input, result.findings);
}

}  // namespace rlverify::judge
