// SPDX-License-Identifier: Apache-2.0
// The order is causal: the frame first, since nothing can be judged without it, then measures, then rules.
#include "judge/judge.h"

#include <fmt/format.h>

#include "judge/evidence.h"
#include "readback/frame.h"
#include "readback/reference_rules.h"
#include "sidecar/reference_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using readback::CannotJudge;

/// Manifest, log and readbacks must be there and readable.
void require_artifacts(const run::RunDirectory& run) {
  if (run.manifest.problem) {
    throw CannotJudge("ManifestError: " + run.manifest.problem->text());
  }
  if (!run.log) {
    throw CannotJudge("LogError: " + (run.log_problem ? run.log_problem->text() : "run.log is missing"));
  }
  if (run.readback_files.problem) {
    throw CannotJudge("ReadbackError: " + run.readback_files.problem->text());
  }
  if (run.readbacks.empty()) {
    throw CannotJudge("ReadbackError: no readbacks/*.json");
  }
  for (const run::JsonArtifact& readback : run.readbacks) {
    if (readback.problem) {
      throw CannotJudge("ReadbackError: " + readback.problem->text());
    }
    if (!readback.root().is_dict()) {
      throw CannotJudge("ReadbackError: " + readback.name + " is no object");
    }
  }
  for (const run::Listing* listing : {&run.sidecar_files, &run.dump_files}) {
    if (listing->problem) {
      throw CannotJudge("OSError: " + listing->problem->text());
    }
  }
}

/// X1 and X2: what the sidecars hold against what manifest and log say.
void cross_checks(const readback::Frame& frame, const report::ValidationResult& result, core::Findings& findings) {
  std::int64_t samples = 0;
  const bool overflow = __builtin_mul_overflow(frame.num_rollout, frame.global_batch_size, &samples);
  if (overflow || result.sidecars.sample_count != samples) {
    findings.add(readback::make_finding("RLV-163", Section::kLaunch, "the sidecars hold another number of samples than the run trained on", fmt::format("{} rollouts of {} samples", frame.num_rollout, frame.global_batch_size),
                                        fmt::format("{} samples", result.sidecars.sample_count)));
  }
  const readback::PythonNumber& exposure = result.scalars.total_active_token_exposure;
  const auto* whole = std::get_if<std::int64_t>(&exposure);
  const bool equal = whole != nullptr ? *whole == result.sidecars.element_count : std::get<double>(exposure) == static_cast<double>(result.sidecars.element_count);
  if (!equal) {
    findings.add(readback::make_finding("RLV-164", Section::kLaunch, "the sidecars hold another number of active tokens than the log counted", fmt::format("{} tokens", readback::as_double(exposure)),
                                        fmt::format("{} tokens", result.sidecars.element_count)));
  }
}

void measure_dumps(const run::RunDirectory& run, core::ThreadPool& pool, bool show_progress, report::ValidationResult& result) {
  report::Coverage coverage;
  coverage.section = Section::kDumps;
  for (const SurveyedDump& dump : survey_dumps(run, pool, show_progress)) {
    if (dump.problem) {
      throw CannotJudge("DumpError: " + dump.problem->text());
    }
    if (dump.public_view == run::PublicDumpView::kRaises) {
      throw CannotJudge("TypeError: train-data/" + dump.name + " holds no object that could have log_probs");
    }
    ++result.offline.artifact_count;
    result.offline.comparable_artifact_count += dump.public_view == run::PublicDumpView::kHasLogProbs ? 1 : 0;
    ++coverage.files;
    coverage.tensors += dump.tensors;
    coverage.bytes += dump.bytes;
  }
  result.coverage.push_back(coverage);
}

void add_coverage(const run::RunDirectory& run, const std::vector<sidecar::SurveyedFile>& files, report::ValidationResult& result) {
  report::Coverage launch;
  launch.section = Section::kLaunch;
  launch.files = run.has_ray_status ? 2 : 1;
  report::Coverage log;
  log.section = Section::kLog;
  log.files = 1;
  log.bytes = run.log->bytes;
  report::Coverage backends;
  backends.section = Section::kBackends;
  backends.files = run.readbacks.size();
  report::Coverage weights;
  weights.section = Section::kWeights;
  weights.files = run.weight_audits.size();
  for (const run::WeightAudit& audit : run.weight_audits) {
    weights.tensors += audit.tensors.size();
  }
  report::Coverage log_probs;
  log_probs.section = Section::kLogProbs;
  for (const sidecar::SurveyedFile& file : files) {
    ++log_probs.files;
    log_probs.tensors += file.tensors;
    log_probs.bytes += file.bytes;
  }
  log_probs.elements = static_cast<std::uint64_t>(result.sidecars.element_count);
  result.coverage.insert(result.coverage.end(), {launch, log, backends, weights, log_probs});
}

void judge_by_reference(const run::RunDirectory& run, core::ThreadPool& pool, bool show_progress, report::ValidationResult& result) {
  const readback::Frame frame = readback::read_frame(run.manifest.root());
  const run::RunLog& log = *run.log;
  result.group = frame.arm.get("group");
  result.cudagraph = readback::measure_cudagraph(frame, log);
  result.readbacks = readback::measure_readbacks(frame, run.readbacks, log);
  const readback::StepRecords steps = readback::step_records(log, readback::public_accepts);
  result.scalars = readback::measure_scalars(steps, frame.global_batch_size);
  const readback::RuleInput input = {frame, run, log, steps, result.readbacks, result.scalars};
  readback::cudagraph_rules(result.cudagraph, result.findings);
  readback::readback_rules(input, result.findings);
  readback::pcp_rules(input, result.pcp, result.findings);

  const sidecar::Layout layout = {frame.tensor_parallel_size, frame.context_parallel_size};
  if (layout.tensor_parallel_size <= 0 || layout.context_parallel_size <= 0) {
    throw CannotJudge("ValueError: parallel sizes must be positive");
  }
  const auto files = survey_sidecars(run, layout, pool, show_progress);
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  result.sidecars = sidecar::measure_sidecars(files, merged, frame.require_exact());
  sidecar::sidecar_rules(files, merged, layout, result.sidecars, result.findings);
  readback::scalar_rules(input, result.findings);
  add_coverage(run, files, result);
  measure_dumps(run, pool, show_progress, result);

  readback::status_rule(input, result.findings);
  cross_checks(frame, result, result.findings);
  readback::algorithm_rules(input, result.findings);
  readback::topology_rules(input, result.findings);
  readback::command_rules(input, result.findings);
  readback::log_rules(input, result.findings);
}

}  // namespace

report::ValidationResult judge_run(const run::RunDirectory& run, report::RuleSet rules, core::ThreadPool& pool, bool show_progress) {
  report::ValidationResult result;
  result.rules = rules;
  result.run_directory = run.path;
  result.run_id = run.manifest.root().get("run_id");
  try {
    require_artifacts(run);
    judge_by_reference(run, pool, show_progress, result);
  } catch (const CannotJudge& reason) {
    report::ValidationResult short_form;
    short_form.rules = rules;
    short_form.run_directory = run.path;
    short_form.gives_up = reason.what();
    short_form.findings.add(readback::make_finding("RLV-101", Section::kLaunch, "the run can't be judged", "", reason.what()));
    return short_form;
  }
  result.findings.sort();
  return result;
}

}  // namespace rlverify::judge
