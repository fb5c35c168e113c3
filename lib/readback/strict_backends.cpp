// SPDX-License-Identifier: Apache-2.0
// Strict rules on readbacks: every record of every process counts, and what ran must be proven by what the process
// wrote down, not by what was asked for.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "readback/entry_walk.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

struct Record {
  const run::JsonArtifact& file;
  const Pair& pair;
  std::size_t module = 0;
  core::Value value;
};

core::Finding at_record(const char* code, const Record& record, std::string what, std::string expected,
                        std::string found, const std::string& field) {
  core::Finding finding = make_finding(code, Section::kBackends,
                                       fmt::format("{} {}: {}", record.pair.name, kModules.at(record.module), what),
                                       std::move(expected), std::move(found));
  finding.place.file = record.file.name;
  finding.place.field = fmt::format("operators.{}{}{}", kModules.at(record.module), field.empty() ? "" : ".", field);
  return finding;
}

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
}

/// A fallback flag anywhere that is true, or no flag; and, where asked for, the proof that at least one says false.
void fallback_rule(const StrictInput& input, const Record& record, bool expects_rl_kernel, core::Findings& findings) {
  bool proven = false;
  for_each_entry(record.value, "", [&](const std::string& path, const std::string& key, core::Value value) {
    const auto& flags = input.profile.fallback_flags;
    if (std::find(flags.begin(), flags.end(), key) == flags.end()) {
      return;
    }
    if (value.is(core::Kind::kBoolean) && !value.boolean()) {
      proven = true;
    } else if (!value.is(core::Kind::kNull)) {
      findings.add(at_record("RLV-130", record, "fallback reported at " + path, "false", shown(value), path));
    }
  });
  if (!proven && expects_rl_kernel && input.profile.fallback_proof) {
    findings.add(at_record("RLV-131", record, "fallback=false not proven", "fallback: false in the provenance",
                           "no such key", "provenance"));
  }
}

void identity_rule(const Record& record, core::Findings& findings) {
  const auto check = [&](const char* field, std::string_view wanted) {
    const core::Value value = record.value.get(field);
    if (!core::python_equal(value, wanted)) {
      findings.add(at_record("RLV-124", record, fmt::format("{} names another place", field), std::string(wanted),
                             shown(value), field));
    }
  };
  check("framework", record.pair.framework);
  check("target", record.pair.target);
  check("module", kModules.at(record.module));
}

/// The attention backend that the environment asked the engine for; absent where it asked for none.
core::Value requested_backend(const StrictInput& input, const Record& record) {
  const core::Value asked = input.base.frame.manifest.path({"runtime_env", "env_vars", "VLLM_ATTENTION_BACKEND"});
  return record.pair.side == Side::kRollout && record.module == 0 && asked.is_string() ? asked : core::Value();
}

core::Finding unasked_backend(const Record& record, std::string_view asked, std::string_view executed,
                              const std::string& path) {
  core::Finding finding = at_record("RLV-132", record, fmt::format("requested {}, executed {}", asked, executed),
                                    std::string(asked), std::string(executed), path);
  finding.hint = "manifest.json asks for it in runtime_env.env_vars.VLLM_ATTENTION_BACKEND";
  return finding;
}

/// What was asked of RL-Kernel and what the record says that it executed. The record's own backend must be one that the
/// experiment names; parts inside it (a projection, a communication step) must be of RL-Kernel's family.
void executed_rule(const StrictInput& input, const Record& record, core::Findings& findings) {
  const core::Value id = record.value.get("backend_id");
  const std::string_view wanted = input.profile.backend_ids.at(record.module);
  if (!core::python_equal(id, wanted)) {
    findings.add(at_record("RLV-127", record, "another backend ran", std::string(wanted), shown(id), "backend_id"));
  }
  const core::Value asked = requested_backend(input, record);
  for_each_entry(
      record.value.get("provenance"), "provenance",
      [&](const std::string& path, const std::string& key, core::Value value) {
        const auto& allowed = input.profile.actual_backends;
        const bool named =
            value.is_string() && std::find(allowed.begin(), allowed.end(), value.text()) != allowed.end();
        const bool part = path != "provenance.actual_backend" && value.text().rfind("rlkernel.", 0) == 0;
        if (key != "actual_backend" || named || part) {
          return;
        }
        if (asked.present() && value.is_string()) {
          findings.add(unasked_backend(record, asked.text(), value.text(), path));
        } else {
          findings.add(at_record("RLV-132", record, fmt::format("requested rl_kernel, executed {}", shown(value)),
                                 "one of RL-Kernel's backends", shown(value), path));
        }
      });
}

/// A production record whose executed backend is not the one that the environment asked for.
void requested_rule(const StrictInput& input, const Record& record, core::Findings& findings) {
  const core::Value asked = requested_backend(input, record);
  if (!asked.present()) {
    return;
  }
  for_each_entry(record.value, "", [&](const std::string& path, const std::string& key, core::Value value) {
    if (key == "actual_backend" && value.is_string() && value.text() != asked.text()) {
      findings.add(unasked_backend(record, asked.text(), value.text(), path));
    }
  });
}

void number_rules(const StrictInput& input, const Record& record, core::Findings& findings) {
  const core::Value calls = record.value.get("call_count");
  if (!calls.is_integer() || calls.integer() < 1) {
    findings.add(at_record("RLV-134", record, "call_count is no proper number", "an integer of at least 1",
                           shown(calls), "call_count"));
  }
  const core::Value execution = record.value.path({"provenance", "execution"});
  const core::Value topology = input.base.frame.topology;
  const bool training = record.pair.side == Side::kTraining;
  const std::pair<const char*, const char*> sizes[] = {{"tp_world_size", training ? "tp" : "rollout_tp"},
                                                       {"cp_world_size", training ? "cp" : "rollout_cp"}};
  for (const auto& [field, key] : sizes) {
    const core::Value size = execution.get(field);
    const core::Value wanted = topology.get(key);
    if (size.present() && (!size.is_integer() || (wanted.is_integer() && size.integer() != wanted.integer()))) {
      findings.add(at_record("RLV-134", record, fmt::format("{} is not the run's", field), shown(wanted), shown(size),
                             std::string("provenance.execution.") + field));
    }
  }
  for (const char* field : {"tp_rank", "cp_rank"}) {
    const core::Value rank = execution.get(field);
    if (rank.present() && (!rank.is_integer() || rank.integer() < 0)) {
      findings.add(at_record("RLV-134", record, fmt::format("{} is no proper number", field),
                             "an integer of at least 0", shown(rank), std::string("provenance.execution.") + field));
    }
  }
  static constexpr std::array<std::string_view, 2> kModes = {"eager", "compiled_cuda_graph"};
  const core::Value mode = record.value.get("execution_mode");
  if (mode.present() && (!mode.is_string() || std::find(kModes.begin(), kModes.end(), mode.text()) == kModes.end())) {
    findings.add(at_record("RLV-134", record, "an execution mode that this platform doesn't have",
                           "eager or compiled_cuda_graph", shown(mode), "execution_mode"));
  }
}

/// A process that ran RL-Kernel's operator must have installed its hook.
void hook_rule(const Record& record, core::Findings& findings) {
  const core::Value hook = record.file.root().path({"installed_hooks", kModules.at(record.module)});
  if (!hook.is_string() || hook.text().empty()) {
    core::Finding finding =
        make_finding("RLV-122", Section::kBackends,
                     fmt::format("{} {}: a record without a hook", record.pair.name, kModules.at(record.module)),
                     "the id of the installed hook", shown(hook));
    finding.place.file = record.file.name;
    finding.place.field = fmt::format("installed_hooks.{}", kModules.at(record.module));
    findings.add(std::move(finding));
  }
}

/// The plan that the process loaded must be the arm's.
void plan_rule(const StrictInput& input, const run::JsonArtifact& file, const Pair& pair, core::Findings& findings) {
  for (std::size_t module = 0; module < kModules.size(); ++module) {
    const core::Value planned = file.root().path({"plan", "cases", kModules.at(module), "case_id"});
    if (planned.present() && !core::python_equal(planned, std::string_view(input.base.frame.cases.at(module)))) {
      core::Finding finding = make_finding(
          "RLV-124", Section::kBackends, fmt::format("{} {}: another case was planned", pair.name, kModules.at(module)),
          input.base.frame.cases.at(module), shown(planned));
      finding.place.file = file.name;
      finding.place.field = fmt::format("plan.cases.{}.case_id", kModules.at(module));
      findings.add(std::move(finding));
    }
  }
}

/// File name and content name the same framework and target.
void name_rule(const run::JsonArtifact& file, core::Findings& findings) {
  const std::string base = file.name.substr(file.name.find('/') + 1);
  const core::Value framework = file.root().get("framework");
  const core::Value target = file.root().get("target");
  const std::string stated = fmt::format("{}-{}-", framework.text(), target.text());
  const std::string pid =
      base.size() > stated.size() + 5 ? base.substr(stated.size(), base.size() - stated.size() - 5) : "";
  if (base.rfind(stated, 0) != 0 || pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) {
    core::Finding finding = make_finding("RLV-133", Section::kBackends, "a readback's name and content disagree",
                                         "<framework>-<target>-<pid>.json",
                                         fmt::format("{} holds {}/{}", base, framework.text(), target.text()));
    finding.place.file = file.name;
    findings.add(std::move(finding));
  }
}

void record_rules(const StrictInput& input, const Record& record, bool expects_rl_kernel, core::Findings& findings) {
  identity_rule(record, findings);
  fallback_rule(input, record, expects_rl_kernel, findings);
  number_rules(input, record, findings);
  if (expects_rl_kernel) {
    hook_rule(record, findings);
    executed_rule(input, record, findings);
  } else {
    requested_rule(input, record, findings);
  }
}

}  // namespace

void strict_backend_rules(const StrictInput& input, core::Findings& findings) {
  readback_rules(input.base, findings);
  for (const run::JsonArtifact& file : input.base.run.readbacks) {
    if (file.root().is_dict()) {
      name_rule(file, findings);
    }
  }
  for (const Pair& pair : kPairs) {
    const auto mine = readbacks_of(input.base.run.readbacks, pair);
    for (const run::JsonArtifact* file : mine) {
      plan_rule(input, *file, pair, findings);
    }
    for (std::size_t module = 0; module < kModules.size(); ++module) {
      const bool expects_rl_kernel = input.base.frame.runs_rl_kernel(module, pair.side);
      const bool leaves_none = pair.side == Side::kTraining && module == 2 && !expects_rl_kernel;
      std::vector<core::Value> records;
      for (const run::JsonArtifact* file : mine) {
        const core::Value value = operator_record(file->root(), kModules.at(module));
        if (!value.present()) {
          continue;
        }
        records.push_back(value);
        record_rules(input, {*file, pair, module, value}, expects_rl_kernel, findings);
      }
      if (!leaves_none && !mine.empty()) {
        process_rules(input, pair, module, records, findings);
      }
    }
  }
  vocabulary_rule(input, findings);
}

}  // namespace rlverify::readback
