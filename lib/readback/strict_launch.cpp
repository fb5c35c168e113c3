// SPDX-License-Identifier: Apache-2.0
// Strict rules on the manifest and the launcher. A number is an integer here, not a string, float or boolean that
// Python would convert.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

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

core::Finding manifest_finding(const char* code, const char* field, std::string what, std::string expected,
                               std::string found) {
  core::Finding finding = make_finding(code, Section::kLaunch, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "manifest.json";
  finding.place.field = field;
  return finding;
}

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
                                  fmt::format("launcher exited {} {}", shown(code), last_step(log)), "0", shown(code)));
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
  const core::Value submission = frame.manifest.get("submission");
  if (submission.present() && !submission.is_dict()) {
    findings.add(manifest_finding("RLV-111", "submission", "submission is no object", "an object with returncode",
                                  shown(submission)));
  }
  strict_arm_rules(frame, findings);
  topology_rules(input.base, findings);
  topology_keys(input, findings);
  command_rules(input.base, findings);
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

}  // namespace rlverify::readback
