// SPDX-License-Identifier: Apache-2.0
// Strict rules on weight audits: complete versions, digests that are what they claim, and updates that changed
// something.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;
using core::Severity;

core::Finding audit_finding(const char* code, const run::WeightAudit& audit, std::string what, std::string expected,
                            std::string found) {
  core::Finding finding = make_finding(code, Section::kWeights, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "weight-audit/" + audit.name;
  return finding;
}

std::string version_name(std::int64_t version) {
  return fmt::format("weight_v{:06d}", version);
}

std::string stem_of(const run::WeightAudit& audit) {
  return audit.name.substr(0, audit.name.rfind('.'));
}

/// Everything that one audit must hold by itself.
void audit_rules(const run::WeightAudit& audit, core::Findings& findings) {
  if (audit.problem) {
    findings.add(*audit.problem, "RLV-102", Section::kWeights);
    return;
  }
  const std::string stem = stem_of(audit);
  if (audit.version != stem) {
    findings.add(
        audit_finding("RLV-184", audit, "an audit's name and version disagree", stem, audit.version.value_or("none")));
  }
  if (audit.tensors.empty()) {
    findings.add(audit_finding("RLV-185", audit, "an audit without tensors", "digests of tensors", "none"));
    return;
  }
  for (const run::AuditTensor& tensor : audit.tensors) {
    if (!tensor.well_formed) {
      core::Finding finding = audit_finding("RLV-185", audit, "a tensor's entry is malformed",
                                            "sha256 of 64 hex digits, shape and dtype", "something else");
      finding.place.tensor = tensor.name;
      findings.add(std::move(finding));
    }
  }
  if (!audit.has_tensors) {
    return;
  }
  if (audit.scope != "all_exported_parameters") {
    findings.add(audit_finding("RLV-185", audit, "an audit of another scope", "all_exported_parameters",
                               audit.scope.value_or("none")));
  }
  if (audit.tensor_count != static_cast<std::int64_t>(audit.tensors.size())) {
    findings.add(audit_finding("RLV-185", audit, "tensor_count is not the number of tensors",
                               fmt::format("{}", audit.tensors.size()),
                               audit.tensor_count ? fmt::format("{}", *audit.tensor_count) : "nothing"));
  }
  const std::string digest = run::audit_digest(audit.tensors);
  if (audit.sha256 != digest) {
    findings.add(audit_finding("RLV-185", audit, "the total digest is not that of the tensors", digest,
                               audit.sha256.empty() ? "none" : audit.sha256));
  }
}

/// Versions from the initial sync to one after the last step, without holes and strangers.
void version_rules(const StrictInput& input, core::Findings& findings) {
  const std::int64_t first = input.profile.first_weight_version;
  const std::int64_t last = first + input.base.frame.num_rollout;
  std::vector<std::string> wanted;
  constexpr std::int64_t kMostVersions = 1'000'000;
  for (std::int64_t version = first; version <= last && version < first + kMostVersions; ++version) {
    wanted.push_back(version_name(version) + ".json");
  }
  const auto& have = input.base.run.weight_audit_files.names;
  for (const std::string& name : wanted) {
    if (!std::binary_search(have.begin(), have.end(), name)) {
      findings.add(make_finding("RLV-184", Section::kWeights, "missing weight audit " + name,
                                fmt::format("{} to {}", version_name(first), version_name(last)),
                                fmt::format("{} audits", have.size())));
    }
  }
  for (const std::string& name : have) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
      core::Finding finding = make_finding("RLV-184", Section::kWeights, "a weight audit that this run doesn't have",
                                           fmt::format("{} to {}", version_name(first), version_name(last)), name);
      finding.place.file = "weight-audit/" + name;
      findings.add(std::move(finding));
    }
  }
}

/// An update that leads back to earlier weights: an engine or a trainer that restored what it had.
void revert_rule(const StrictInput& input, core::Findings& findings) {
  std::map<std::string, const run::WeightAudit*> seen;
  const run::WeightAudit* before = nullptr;
  for (const run::WeightAudit& audit : input.base.run.weight_audits) {
    if (audit.problem || !audit.has_tensors || audit.sha256.empty()) {
      continue;
    }
    const auto [entry, fresh] = seen.emplace(audit.sha256, &audit);
    if (!fresh && entry->second != before && before->sha256 != audit.sha256) {
      findings.add(audit_finding("RLV-186", audit,
                                 fmt::format("the weights are those of {} again", stem_of(*entry->second)),
                                 "weights that were not there before", audit.sha256));
    }
    before = &audit;
  }
}

/// Names, shapes and dtypes stay; digests change from one version to the next.
void change_rules(const StrictInput& input, bool required, core::Findings& findings) {
  const run::WeightAudit* before = nullptr;
  for (const run::WeightAudit& audit : input.base.run.weight_audits) {
    if (audit.problem || audit.tensors.empty()) {
      before = nullptr;
      continue;
    }
    if (before != nullptr && before->sha256 == audit.sha256) {
      core::Finding finding =
          audit_finding("RLV-186", audit, fmt::format("the update from {} changed nothing", stem_of(*before)),
                        "another digest", audit.sha256);
      finding.severity = required ? Severity::kError : Severity::kWarning;
      findings.add(std::move(finding));
    }
    if (before != nullptr) {
      std::map<std::string, const run::AuditTensor*> known;
      for (const run::AuditTensor& tensor : before->tensors) {
        known[tensor.name] = &tensor;
      }
      bool same = before->tensors.size() == audit.tensors.size();
      for (const run::AuditTensor& tensor : audit.tensors) {
        const auto entry = known.find(tensor.name);
        same = same && entry != known.end() && entry->second->shape == tensor.shape &&
               entry->second->dtype == tensor.dtype;
      }
      if (!same) {
        findings.add(audit_finding("RLV-185", audit, "tensors appear, vanish or change shape or dtype between versions",
                                   "the tensors of " + before->name, "others"));
      }
    }
    before = &audit;
  }
}

/// Whether every step's gradient norm is zero: nothing is being trained.
void vacuous_rule(const StrictInput& input, bool required, core::Findings& findings) {
  const auto& steps = input.base.steps.by_step;
  const bool idle = !steps.empty() && std::all_of(steps.begin(), steps.end(), [](const StepRecord& step) {
    const auto norm = finite_metric(step.payload, "train/grad_norm");
    return norm && as_double(*norm) == 0.0;
  });
  if (!idle) {
    return;
  }
  core::Finding finding =
      make_finding("RLV-187", Section::kNorms, fmt::format("vacuous: no weight update in {} steps", steps.size()),
                   "a gradient in some step", "train/grad_norm is 0 in all");
  finding.severity = required ? Severity::kError : Severity::kWarning;
  findings.add(std::move(finding));
}

}  // namespace

void strict_weight_rules(const StrictInput& input, core::Findings& findings) {
  const core::Value flag = input.base.frame.manifest.path({"algorithm", "require_updates"});
  if (flag.present() && !flag.is(core::Kind::kBoolean)) {
    core::Finding finding = make_finding("RLV-111", Section::kLaunch, "algorithm.require_updates is no flag",
                                         "true or false", core::python_repr(flag));
    finding.place.file = "manifest.json";
    findings.add(std::move(finding));
  }
  const bool required = core::python_truth(flag);
  vacuous_rule(input, required, findings);
  if (!required && input.base.run.weight_audits.empty()) {
    return;
  }
  for (const run::WeightAudit& audit : input.base.run.weight_audits) {
    audit_rules(audit, findings);
  }
  version_rules(input, findings);
  change_rules(input, required, findings);
  revert_rule(input, findings);
  const bool readable =
      std::all_of(input.base.run.weight_audits.begin(), input.base.run.weight_audits.end(),
                  [](const run::WeightAudit& audit) { return !audit.problem && audit.is_object && audit.sha256_key; });
  if (readable) {
    update_rules(input.base, findings);
  }
}

}  // namespace rlverify::readback
