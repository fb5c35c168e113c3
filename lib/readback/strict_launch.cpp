// SPDX-License-Identifier: Apache-2.0
// Strict rules on manifest, launcher and status. A number is an integer here, not a string, float or boolean that
// Python would convert.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

core::Finding manifest_finding(const char* code, const char* field, std::string what, std::string expected,
                               std::string found) {
  core::Finding finding = make_finding(code, Section::kLaunch, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "manifest.json";
  finding.place.field = field;
  return finding;
}

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
}

/// "after step 3": the last step that the log records.
std::string last_step(const run::RunLog* log) {
  std::int64_t last = -1;
  if (log != nullptr) {
    for (const run::LogRecord& record : log->records) {
      last = strict_accepts(record) ? std::max(last, record.number) : last;
    }
  }
  return last < 0 ? "before the first step" : fmt::format("after step {}", last);
}

void typed_numbers(core::Value manifest, core::Value topology, core::Findings& findings) {
  const auto require = [&findings](core::Value value, const std::string& field, std::int64_t least) {
    if (value.present() && (!value.is_integer() || value.integer() < least)) {
      findings.add(manifest_finding("RLV-111", field.c_str(), field + " is no proper number",
                                    fmt::format("an integer of at least {}", least), shown(value)));
    }
  };
  require(manifest.get("num_rollout"), "num_rollout", 1);
  require(manifest.path({"batching", "global_batch_size"}), "batching.global_batch_size", 1);
  for (const char* key : {"gpus", "actor_gpus", "rollout_gpus", "tp", "cp", "pp", "rollout_tp", "rollout_cp",
                          "rollout_gpus_per_engine", "rollout_engines"}) {
    require(topology.get(key), std::string("topology.") + key, 1);
  }
  require(manifest.path({"training_memory", "recompute_num_layers"}), "training_memory.recompute_num_layers", 1);
  for (const char* key : {"colocate", "offload_rollout", "offload_train"}) {
    if (!topology.get(key).is(core::Kind::kBoolean)) {
      findings.add(manifest_finding("RLV-111", (std::string("topology.") + key).c_str(),
                                    std::string("topology.") + key + " is no flag", "true or false",
                                    shown(topology.get(key))));
    }
  }
  const core::Value reuse = manifest.path({"arm", "framework_use_rollout_logprobs"});
  if (!reuse.is(core::Kind::kBoolean)) {
    findings.add(manifest_finding("RLV-111", "arm.framework_use_rollout_logprobs",
                                  "arm.framework_use_rollout_logprobs is no flag", "true or false", shown(reuse)));
  }
}

void topology_keys(const StrictInput& input, core::Findings& findings) {
  const core::Value topology = input.base.frame.topology;
  for (std::size_t i = 0; i < topology.size(); ++i) {
    const std::string key(topology.key_at(i).text());
    if (std::find(input.profile.topology_keys.begin(), input.profile.topology_keys.end(), key) ==
        input.profile.topology_keys.end()) {
      findings.add(manifest_finding("RLV-107", ("topology." + key).c_str(),
                                    "the topology has a key that this experiment doesn't know: " + key,
                                    "only known parallel sizes", shown(topology.value_at(i))));
    }
  }
  const core::Value level = topology.get("evidence_level");
  if (level.present()) {
    const auto is = [&topology](const char* key, std::int64_t value) {
      return core::python_equal(topology.get(key), value);
    };
    const char* const wanted =
        is("tp", 4) && is("cp", 2) && is("rollout_tp", 4) && is("rollout_cp", 1) ? "reference" : "experimental";
    if (!core::python_equal(level, std::string_view(wanted))) {
      findings.add(manifest_finding("RLV-107", "topology.evidence_level", "evidence_level is not what the layout gives",
                                    wanted, shown(level)));
    }
  }
}

/// Cases and reuse flag that a group's name stands for (spec section 2); nothing for a name of another kind.
struct GroupMeaning {
  std::array<const char*, 3> cases;
  bool reuse;
};
std::optional<GroupMeaning> meaning_of(std::string group) {
  static const std::map<std::string, std::string> kAliases = {
      {"native", "M000"}, {"G00", "M000"}, {"consistency", "M111"}, {"G01", "M111"}};
  if (const auto alias = kAliases.find(group); alias != kAliases.end()) {
    group = alias->second;
  }
  if (group == "G10" || group == "G11") {
    const char* const all = group == "G10" ? "P/P" : "R/R";
    return GroupMeaning{{all, all, all}, true};
  }
  if (group.size() != 4 || group[0] != 'M' || group.find_first_not_of("01", 1) != std::string::npos) {
    return std::nullopt;
  }
  const auto side = [&group](std::size_t at) { return group[at] == '1' ? "R/R" : "P/P"; };
  return GroupMeaning{{side(1), side(2), side(3)}, false};
}

void group_rule(const Frame& frame, core::Findings& findings) {
  const core::Value group = frame.arm.get("group");
  const auto meaning = group.is_string() ? meaning_of(std::string(group.text())) : std::nullopt;
  if (!meaning) {
    core::Finding finding = manifest_finding("RLV-115", "arm.group", "the arm's group is none that is known",
                                             "native, consistency, G10, G11 or Mxyz", shown(group));
    findings.add(std::move(finding));
    return;
  }
  for (std::size_t module = 0; module < kModules.size(); ++module) {
    if (frame.cases.at(module) != meaning->cases.at(module)) {
      findings.add(manifest_finding(
          "RLV-115", "arm.group", fmt::format("group and {} case disagree", kModules.at(module)),
          fmt::format("{} for group {}", meaning->cases.at(module), group.text()), frame.cases.at(module)));
    }
  }
  const core::Value reuse = frame.arm.get("framework_use_rollout_logprobs");
  if (reuse.is(core::Kind::kBoolean) && reuse.boolean() != meaning->reuse) {
    findings.add(manifest_finding("RLV-115", "arm.framework_use_rollout_logprobs",
                                  "group and reuse of rollout log-probs disagree",
                                  fmt::format("{} for group {}", meaning->reuse, group.text()), shown(reuse)));
  }
}

/// The environment that was handed to the run must ask for the arm's cases.
void environment_rule(const Frame& frame, core::Findings& findings) {
  static constexpr std::array<const char*, 3> kNames = {"RL_KERNEL_ATTENTION_CASE", "RL_KERNEL_FFN_CASE",
                                                        "RL_KERNEL_LOGP_CASE"};
  const core::Value variables = frame.manifest.path({"runtime_env", "env_vars"});
  for (std::size_t module = 0; module < kModules.size(); ++module) {
    const core::Value value = variables.get(kNames.at(module));
    if (value.present() && !core::python_equal(value, std::string_view(frame.cases.at(module)))) {
      findings.add(manifest_finding("RLV-115", (std::string("runtime_env.env_vars.") + kNames.at(module)).c_str(),
                                    "environment and arm ask for different cases", frame.cases.at(module),
                                    shown(value)));
    }
  }
}

void execution_rule(const StrictInput& input, core::Findings& findings) {
  const core::Value execution = input.base.frame.manifest.get("vllm_execution");
  const auto require = [&](const char* key, bool holds, std::string_view wanted) {
    if (!holds) {
      findings.add(manifest_finding("RLV-143", (std::string("vllm_execution.") + key).c_str(),
                                    fmt::format("the manifest asks for another {}", key), std::string(wanted),
                                    shown(execution.get(key))));
    }
  };
  require("cudagraph_mode", core::python_equal(execution.get("cudagraph_mode"), input.profile.cudagraph_mode),
          input.profile.cudagraph_mode);
  const core::Value required = execution.get("cudagraph_required");
  require("cudagraph_required", required.is_true(), "true");
  const core::Value eager = execution.get("enforce_eager");
  require("enforce_eager", eager.is(core::Kind::kBoolean) && !eager.boolean(), "false");
}

/// Two names of one job: equal, or one the beginning of the other where output was cut.
bool same_job(std::string_view submission, std::string_view named) {
  return !named.empty() && submission.substr(0, named.size()) == named;
}

void observations(const core::JsonDocument& document, const std::string& name, core::Findings& findings) {
  for (const core::JsonObservation& observation : document.observations) {
    const bool duplicate = observation.what == core::JsonObservation::What::kDuplicateKey;
    core::Finding finding = make_finding(
        "RLV-106", Section::kLaunch, duplicate ? "a key stands twice in one object" : "a token that JSON doesn't have",
        duplicate ? "each key once" : "a number", observation.text);
    finding.place.file = name;
    finding.place.line = observation.place.line;
    finding.place.column = observation.place.column;
    findings.add(std::move(finding));
  }
}

}  // namespace

bool launch_failed(core::Value manifest, const run::RunLog* log, core::Findings& findings) {
  const core::Value status = manifest.get("status");
  const core::Value code = manifest.path({"submission", "returncode"});
  const bool submitted = core::python_equal(status, std::string_view("submitted"));
  const bool succeeded = !code.present() || (code.is_integer() && code.integer() == 0);
  if (submitted && succeeded) {
    return false;
  }
  if (!succeeded) {
    findings.add(manifest_finding("RLV-103", "submission.returncode",
                                  fmt::format("the launcher exited with {} {}", shown(code), last_step(log)), "0",
                                  shown(code)));
  } else {
    const bool dry = core::python_equal(status, std::string_view("planned"));
    findings.add(manifest_finding(
        "RLV-103", "status",
        dry ? "the run was planned and never launched (a dry run)" : "the run is not recorded as submitted",
        "submitted", shown(status)));
  }
  return true;
}

void strict_document_rules(const run::RunDirectory& run, core::Findings& findings) {
  observations(run.manifest.document, "manifest.json", findings);
  for (const run::JsonArtifact& readback : run.readbacks) {
    observations(readback.document, readback.name, findings);
  }
  for (const run::WeightAudit& audit : run.weight_audits) {
    core::JsonDocument document;
    document.observations = audit.observations;
    observations(document, "weight-audit/" + audit.name, findings);
  }
}

void strict_manifest_rules(const StrictInput& input, core::Findings& findings) {
  const Frame& frame = input.base.frame;
  typed_numbers(frame.manifest, frame.topology, findings);
  topology_rules(input.base, findings);
  topology_keys(input, findings);
  command_rules(input.base, findings);
  group_rule(frame, findings);
  environment_rule(frame, findings);
  execution_rule(input, findings);
  const core::Value sizes = frame.capture_sizes;
  bool proper = sizes.is_list() && sizes.size() > 0;
  for (std::size_t i = 0; i < sizes.size() && proper; ++i) {
    proper = sizes.at(i).is_integer() && sizes.at(i).integer() > 0;
  }
  if (!proper) {
    findings.add(manifest_finding("RLV-143", "vllm_execution.capture_sizes",
                                  "the manifest names no proper capture sizes", "a list of positive integers",
                                  shown(sizes)));
  }
}

void strict_status_rules(const StrictInput& input, core::Findings& findings) {
  const run::RunDirectory& run = input.base.run;
  const run::RayStatus& status = run.ray_status;
  if (!run.has_ray_status || run.ray_status_problem || status.state != run::JobState::kSucceeded) {
    core::Finding finding =
        make_finding("RLV-104", Section::kLaunch, "the job is not shown to have succeeded", "SUCCEEDED",
                     !run.has_ray_status         ? "no file"
                     : status.state_line.empty() ? "no status"
                                                 : status.state_line);
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  }
  const core::Value submission = input.base.frame.manifest.get("submission_id");
  if (!submission.is_string() || submission.text().empty()) {
    findings.add(manifest_finding("RLV-105", "submission_id", "the manifest names no submission",
                                  "the id under which the run was submitted", shown(submission)));
    return;
  }
  if (status.job_id && !same_job(submission.text(), *status.job_id)) {
    core::Finding finding = make_finding("RLV-105", Section::kLaunch, "the status is that of another run",
                                         std::string(submission.text()), *status.job_id);
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  }
  const auto& jobs = input.base.log.job_ids;
  const bool named = std::any_of(jobs.begin(), jobs.end(), [&submission](const run::LogMark& mark) {
    return same_job(submission.text(), mark.text);
  });
  if (!jobs.empty() && !named) {
    core::Finding finding = make_finding("RLV-105", Section::kLog, "the log is that of another run",
                                         std::string(submission.text()), jobs.front().text);
    finding.place.file = "run.log";
    finding.place.line = jobs.front().line;
    findings.add(std::move(finding));
  }
}

}  // namespace rlverify::readback
