// SPDX-License-Identifier: Apache-2.0
// The strict rules in causal order: launch, log, backends, graphs, weights, sidecars, scalars, dumps.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/python_value.h"
#include "judge/evidence.h"
#include "judge/rule_sets.h"
#include "judge/scalar_cross.h"
#include "readback/frame.h"
#include "readback/strict_rules.h"
#include "sidecar/run_series.h"
#include "sidecar/strict_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using core::Severity;
using readback::CannotJudge;

/// Sidecars as the manifest expects them.
sidecar::ExpectedRun expected_run(const readback::Frame& frame) {
  sidecar::ExpectedRun expected;
  expected.layout = {frame.tensor_parallel_size, frame.context_parallel_size};
  const core::Value gpus = frame.topology.get("actor_gpus");
  expected.ranks = gpus.is_integer() ? gpus.integer() : frame.tensor_parallel_size * frame.context_parallel_size;
  expected.steps = frame.num_rollout;
  expected.global_batch_size = frame.global_batch_size;
  expected.require_exact = frame.require_exact();
  return expected;
}

std::vector<sidecar::SurveyedFile> judge_sidecars(const Bench& bench, const sidecar::ExpectedRun& expected,
                                                  report::ValidationResult& result) {
  auto files = survey_sidecars(bench.run, expected.layout, bench.pool, bench.show_progress);
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  result.sidecars = sidecar::measure_sidecars(files, merged, expected.require_exact);
  result.sidecars.series.by_step = sidecar::mismatches_by_step(merged, files, expected);
  sidecar::strict_sidecar_rules(files, merged, expected, result.sidecars, result.findings);
  sample_count_rule(expected.steps, expected.global_batch_size, result.sidecars.sample_count, result.findings);
  scalar_cross_rules(result.scalars,
                     {sidecar::unmasked_totals(merged), sidecar::unmasked_steps(merged, files, expected)},
                     result.sidecars, result.findings);
  return files;
}

void judge_dumps(const Bench& bench, const sidecar::ExpectedRun& expected,
                 const std::vector<sidecar::SurveyedFile>& files, report::ValidationResult& result) {
  const sidecar::ShardIndex index(files, expected.layout, expected.samples_per_group());
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
  sidecar::strict_dump_rules(dumps, expected.ranks, expected.steps, result.findings);
  result.coverage = coverage_of(bench.run, files, dumps, result.sidecars);
}

/// What follows from an earlier fault says so: missing or refused sidecars take their tokens and samples with them, and
/// missing steps their learning rates.
void mark_consequences(core::Findings& findings) {
  struct Link {
    std::string_view cause;
    std::array<std::string_view, 5> effects;
  };
  static constexpr std::array<Link, 4> kLinks = {{{"RLV-150", {"RLV-161", "RLV-163", "RLV-164"}},
                                                  {"RLV-151", {"RLV-154", "RLV-161", "RLV-163", "RLV-164", "RLV-167"}},
                                                  {"RLV-165", {"RLV-154", "RLV-163", "RLV-164"}},
                                                  {"RLV-173", {"RLV-164", "RLV-181", "RLV-182", "RLV-183"}}}};
  const auto has_error = [&findings](std::string_view code) {
    return std::any_of(findings.list().begin(), findings.list().end(), [code](const core::Finding& finding) {
      return finding.code == code && finding.severity == Severity::kError;
    });
  };
  core::Findings marked;
  for (core::Finding finding : findings.list()) {
    for (const Link& link : kLinks) {
      const bool follows = std::find(link.effects.begin(), link.effects.end(), finding.code) != link.effects.end();
      if (follows && finding.because_of.empty() && has_error(link.cause)) {
        finding.because_of = link.cause;
      }
    }
    marked.add(std::move(finding));
  }
  findings = std::move(marked);
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
  constexpr std::int64_t kLargestSize = 1 << 16;
  if (frame.tensor_parallel_size <= 0 || frame.context_parallel_size <= 0 ||
      frame.tensor_parallel_size > kLargestSize || frame.context_parallel_size > kLargestSize) {
    throw CannotJudge("ValueError: parallel sizes must be positive and no larger than any machine");
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
  const sidecar::ExpectedRun expected = expected_run(frame);
  const auto files = judge_sidecars(bench, expected, result);
  judge_dumps(bench, expected, files, result);
  mark_consequences(result.findings);
}

}  // namespace rlverify::judge
