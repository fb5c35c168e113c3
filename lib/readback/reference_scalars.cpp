// SPDX-License-Identifier: Apache-2.0
// Rules N1-N5 and A1-A5 of the public validator: the step records of the log, and whether anything was trained.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/python_value.h"
#include "readback/reference_rules.h"

namespace rlverify::readback {
namespace {

using core::Kind;
using core::Section;

core::Finding step_finding(const char* code, const StepRecord& step, Section section, std::string what,
                           std::string expected, std::string found) {
  core::Finding finding = make_finding(code, section, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "run.log";
  finding.place.line = step.record->line;
  finding.place.step = step.step;
  return finding;
}

/// Python's `value > 0` or `value <= 0` for what a record may hold; raises as Python does for anything that is no
/// number.
bool greater_than_zero(core::Value value) {
  switch (value.kind()) {
    case Kind::kBoolean:
      return value.boolean();
    case Kind::kInteger:
      return value.integer() > 0;
    case Kind::kBigInteger:
      return value.text().front() != '-';
    case Kind::kReal:
      return value.real() > 0.0;
    default:
      throw CannotJudge("TypeError: a metric that is compared with 0 is no number");
  }
}
bool at_most_zero(core::Value value) {
  return value.is(Kind::kReal) ? value.real() <= 0.0 : !greater_than_zero(value);
}

/// A2: fewer than two audits, or fewer than two different digests among them.
bool weights_changed(const std::vector<run::WeightAudit>& audits) {
  if (audits.size() < 2) {
    return false;
  }
  std::set<std::string> digests;
  for (const run::WeightAudit& audit : audits) {
    if (!audit.is_object || !audit.sha256_key) {
      throw CannotJudge("TypeError: weight-audit/" + audit.name + " has no digest that can be compared");
    }
    digests.insert(*audit.sha256_key);
  }
  return digests.size() >= 2;
}

void demand_updates(const RuleInput& input, core::Findings& findings) {
  for (const run::WeightAudit& audit : input.run.weight_audits) {
    if (audit.problem) {
      throw CannotJudge("JSONDecodeError: " + audit.problem->text());
    }
  }
  if (!weights_changed(input.run.weight_audits)) {
    findings.add(make_finding("RLV-180", Section::kWeights, "the weights are not shown to have changed",
                              "at least two weight audits with different digests",
                              fmt::format("{} audits", input.run.weight_audits.size())));
  }
  if (input.steps.by_step.size() < 2) {
    findings.add(make_finding("RLV-181", Section::kScalars, "too few steps for an update", "at least 2",
                              fmt::format("{}", input.steps.by_step.size())));
  }
  // The order of arrival matters where a value is no number: Python stops at the first record that decides.
  bool idle = input.steps.by_step.empty();
  for (const std::size_t at : input.steps.by_arrival) {
    const core::Value rate = input.steps.by_step[at].payload.get("train/lr-pg_0");
    if (idle || !rate.present() || at_most_zero(rate)) {
      idle = true;
      break;
    }
  }
  if (idle) {
    findings.add(make_finding("RLV-182", Section::kWeights, "a step without a positive learning rate",
                              "train/lr-pg_0 above 0 in every step", "0, less, or none"));
  }
  bool moved = false;
  for (const std::size_t at : input.steps.by_arrival) {
    const core::Value norm = input.steps.by_step[at].payload.get("train/grad_norm");
    if (norm.present() && greater_than_zero(norm)) {
      moved = true;
      break;
    }
  }
  if (!moved) {
    findings.add(make_finding("RLV-183", Section::kWeights, "no step has a gradient",
                              "train/grad_norm above 0 in some step", "none"));
  }
}

}  // namespace

void record_rules(const StepRecord& step, core::Findings& findings) {
  for (std::size_t i = 0; i < step.payload.size(); ++i) {
    const core::Value value = step.payload.value_at(i);
    if (value.is(Kind::kReal) && !std::isfinite(value.real())) {
      findings.add(step_finding("RLV-170", step, Section::kScalars,
                                core::python_str(step.payload.key_at(i)) + " is not finite", "a finite number",
                                core::python_repr(value.real())));
    }
  }
  for (const char* name : {kMismatchCount, kMaxAbsDiff, kMeanAbsDiff, kNumel}) {
    if (!finite_metric(step.payload, name)) {
      const core::Value value = step.payload.get(name);
      findings.add(step_finding("RLV-171", step, Section::kScalars,
                                std::string(name) + " is missing or no finite number", "a finite number",
                                value.present() ? core::python_repr(value) : "nothing"));
    }
  }
  const auto numel = finite_metric(step.payload, kNumel);
  if (numel && as_double(*numel) <= 0.0) {
    findings.add(step_finding("RLV-172", step, Section::kScalars, "no token was compared in this step", "more than 0",
                              core::python_repr(as_double(*numel))));
  }
}

void scalar_rules(const RuleInput& input, core::Findings& findings) {
  for (const StepRecord& step : input.steps.by_step) {
    record_rules(step, findings);
  }
  const auto& steps = input.steps.by_step;
  bool complete = input.frame.num_rollout >= 0 && steps.size() == static_cast<std::size_t>(input.frame.num_rollout);
  if (input.frame.num_rollout < 0) {
    complete = steps.empty();  // Python's range() of a negative number is empty
  }
  for (std::size_t i = 0; i < steps.size() && complete; ++i) {
    complete = steps[i].step == static_cast<std::int64_t>(i);
  }
  if (!complete) {
    std::string found;
    for (std::size_t i = 0; i < steps.size() && i < 20; ++i) {
      found += fmt::format("{}{}", i == 0 ? "" : ", ", steps[i].step);
    }
    findings.add(make_finding("RLV-173", Section::kScalars, "the steps in the log are not those of the run",
                              fmt::format("steps 0 to {}", input.frame.num_rollout - 1),
                              found.empty() ? "none" : found + (steps.size() > 20 ? ", ..." : "")));
  }
  if (input.frame.require_exact() && !input.scalars.bitwise_zero) {
    findings.add(make_finding("RLV-174", Section::kScalars,
                              "the log reports mismatches although every module runs RL-Kernel on both sides",
                              "0 mismatches in every step", "others"));
  }
}

void estimator_rule(const Frame& frame, core::Findings& findings) {
  const core::Value estimator = frame.manifest.path({"algorithm", "advantage_estimator"});
  if (!core::python_equal(estimator, std::string_view("grpo"))) {
    findings.add(make_finding("RLV-109", Section::kLaunch, "another advantage estimator", "grpo",
                              estimator.present() ? core::python_str(estimator) : "nothing"));
  }
}

void update_rules(const RuleInput& input, core::Findings& findings) {
  if (core::python_truth(input.frame.manifest.path({"algorithm", "require_updates"}))) {
    demand_updates(input, findings);
  }
}

}  // namespace rlverify::readback
