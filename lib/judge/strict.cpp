// SPDX-License-Identifier: Apache-2.0
// The strict rules in causal order: launch, log, backends, graphs, weights, sidecars, scalars, dumps.
#include <fmt/format.h>

#include <cmath>

#include "core/python_value.h"
#include "judge/evidence.h"
#include "judge/rule_sets.h"
#include "readback/frame.h"
#include "readback/strict_rules.h"
#include "sidecar/strict_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using core::Severity;
using readback::CannotJudge;

/// Float32 sums and means stand between the log's numbers and the counts they came from.
constexpr double kScalarTolerance = 1e-5;

/// The log's token and mismatch counts ignore the loss mask, so they are held against all elements of the sidecars, not
/// the active ones.
void scalar_cross_rules(const readback::ScalarSection& scalars, const sidecar::UnmaskedTotals& totals,
                        const sidecar::SidecarSection& section, core::Findings& findings) {
  if (scalars.rows.empty() || totals.elements == 0) {
    return;
  }
  double logged_mismatches = 0.0;
  for (const readback::ScalarRow& row : scalars.rows) {
    logged_mismatches += row.bitwise_mismatch_count ? readback::as_double(*row.bitwise_mismatch_count) : 0.0;
  }
  const double logged_elements = readback::as_double(scalars.total_active_token_exposure);
  const auto elements = static_cast<double>(totals.elements);
  if (std::fabs(logged_elements - elements) > kScalarTolerance * elements) {
    findings.add(readback::make_finding("RLV-164", Section::kScalars,
                                        "log and sidecars count different response tokens (masked ones included)",
                                        fmt::format("{} in the sidecars", totals.elements),
                                        fmt::format("{} in the log", core::python_repr(logged_elements))));
  }
  const bool log_says_equal = logged_mismatches == 0.0;
  if (log_says_equal != (totals.mismatches == 0)) {
    core::Finding finding =
        readback::make_finding("RLV-179", Section::kScalars, "log and sidecars contradict each other about mismatches",
                               fmt::format("{} in the sidecars", totals.mismatches),
                               fmt::format("{} in the log", core::python_repr(logged_mismatches)));
    findings.add(std::move(finding));
  } else if (!log_says_equal && section.mismatch_count == 0) {
    core::Finding finding =
        readback::make_finding("RLV-174", Section::kScalars, "the log reports mismatches, all at masked tokens", "",
                               fmt::format("{} in the log", core::python_repr(logged_mismatches)));
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  } else if (std::fabs(logged_mismatches - static_cast<double>(totals.mismatches)) >
             0.5 + kScalarTolerance * elements) {
    core::Finding finding =
        readback::make_finding("RLV-179", Section::kScalars, "log and sidecars count different numbers of mismatches",
                               fmt::format("{} in the sidecars", totals.mismatches),
                               fmt::format("{} in the log", core::python_repr(logged_mismatches)));
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  }
}

std::vector<sidecar::SurveyedFile> judge_sidecars(const Bench& bench, const readback::Frame& frame,
                                                  report::ValidationResult& result) {
  const sidecar::Layout layout = {frame.tensor_parallel_size, frame.context_parallel_size};
  const core::Value gpus = frame.topology.get("actor_gpus");
  sidecar::ExpectedRun expected;
  expected.layout = layout;
  expected.ranks = gpus.is_integer() ? gpus.integer() : layout.tensor_parallel_size * layout.context_parallel_size;
  expected.steps = frame.num_rollout;
  expected.global_batch_size = frame.global_batch_size;
  expected.require_exact = frame.require_exact();
  auto files = survey_sidecars(bench.run, layout, bench.pool, bench.show_progress);
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  result.sidecars = sidecar::measure_sidecars(files, merged, expected.require_exact);
  sidecar::strict_sidecar_rules(files, merged, expected, result.sidecars, result.findings);
  sample_count_rule(frame.num_rollout, frame.global_batch_size, result.sidecars.sample_count, result.findings);
  scalar_cross_rules(result.scalars, sidecar::unmasked_totals(merged), result.sidecars, result.findings);
  return files;
}

void judge_dumps(const Bench& bench, const readback::Frame& frame, const std::vector<sidecar::SurveyedFile>& files,
                 report::ValidationResult& result) {
  const sidecar::ShardIndex index(files, {frame.tensor_parallel_size, frame.context_parallel_size},
                                  sidecar::calls_per_step(files, frame.num_rollout));
  const auto dumps = survey_dumps(bench.run, &index, bench.pool, bench.show_progress);
  for (const sidecar::SurveyedDump& dump : dumps) {
    ++result.offline.artifact_count;
    // Both forms count here; the public validator counts only the first.
    const bool comparable =
        !dump.problem && (dump.public_view == run::PublicDumpView::kHasLogProbs || dump.compared > 0);
    result.offline.comparable_artifact_count += comparable ? 1 : 0;
  }
  if (bench.run.dump_files.problem) {
    result.findings.add(*bench.run.dump_files.problem, "RLV-190", Section::kDumps);
  }
  const core::Value gpus = frame.topology.get("actor_gpus");
  sidecar::strict_dump_rules(dumps, gpus.is_integer() ? gpus.integer() : 0, frame.num_rollout, result.findings);
  result.coverage = coverage_of(bench.run, files, dumps, result.sidecars);
}

const run::Profile& profile_of(core::Value manifest, core::Findings& findings) {
  static constexpr const char* kDefault = "rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1";
  const core::Value schema = manifest.get("schema_version");
  const run::Profile* const profile = schema.is_string() ? run::find_profile(schema.text()) : nullptr;
  if (profile != nullptr) {
    return *profile;
  }
  core::Finding finding =
      readback::make_finding("RLV-114", Section::kLaunch, "the manifest is of an experiment that has no profile",
                             kDefault, schema.present() ? core::python_repr(schema) : "nothing");
  finding.place.file = "manifest.json";
  finding.place.field = "schema_version";
  findings.add(std::move(finding));
  return *run::find_profile(kDefault);
}

}  // namespace

void judge_strictly(const Bench& bench, report::ValidationResult& result) {
  const readback::Frame frame = readback::read_frame(bench.run.manifest.root());
  const run::RunLog& log = *bench.run.log;
  const run::Profile& profile = profile_of(frame.manifest, result.findings);
  if (frame.tensor_parallel_size <= 0 || frame.context_parallel_size <= 0) {
    throw CannotJudge("ValueError: parallel sizes must be positive");
  }
  result.group = frame.arm.get("group");
  result.readbacks = readback::measure_readbacks(frame, bench.run.readbacks, log);
  const readback::StepRecords steps =
      readback::step_records(log, readback::strict_accepts, readback::Repeated::kFirstCounts);
  result.scalars = readback::measure_scalars(steps, frame.global_batch_size);
  const readback::RuleInput base = {frame, bench.run, log, steps, result.readbacks, result.scalars};
  const readback::StrictInput input = {base, profile};

  readback::strict_document_rules(bench.run, result.findings);
  readback::strict_manifest_rules(input, result.findings);
  readback::estimator_rule(frame, result.findings);
  readback::strict_status_rules(input, result.findings);
  readback::strict_log_rules(input, result.findings);
  readback::strict_backend_rules(input, result.findings);
  readback::pcp_rules(base, result.pcp, result.findings);
  result.cudagraph = readback::strict_cudagraph(input, result.findings);
  readback::strict_weight_rules(input, result.findings);
  readback::strict_step_rules(input, result.findings);
  const auto files = judge_sidecars(bench, frame, result);
  judge_dumps(bench, frame, files, result);
}

}  // namespace rlverify::judge
