// SPDX-License-Identifier: Apache-2.0
// Rules Y1, T2-T7, C1-C8, M1, L1 and L2 of the public validator: status, topology, command, memory, and two literals of
// the log.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "core/python_value.h"
#include "readback/reference_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

constexpr const char* kProvider = "rl_engine.integrations.orchestrators.vime.providers.linear_logp_provider.provider";

/// isinstance(value, int), as its number; booleans count.
std::optional<std::int64_t> as_int(core::Value value) {
  return core::python_is_int(value) ? core::python_int(value) : std::nullopt;
}

void topology_fault(core::Findings& findings, std::string what, std::string expected, const std::string& found,
                    const char* field) {
  core::Finding finding = make_finding("RLV-107", Section::kLaunch, std::move(what), std::move(expected), found);
  finding.place.file = "manifest.json";
  finding.place.field = field;
  findings.add(std::move(finding));
}

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
}

void fixed_topology(core::Value topology, core::Findings& findings) {
  static constexpr std::pair<const char*, std::int64_t> kWanted[] = {
      {"gpus", 8}, {"actor_gpus", 8}, {"rollout_gpus", 8}, {"pp", 1}, {"colocate", 1}, {"offload_rollout", 1}};
  for (const auto& [key, wanted] : kWanted) {
    if (!core::python_equal(topology.get(key), wanted)) {
      const bool flag = std::string_view(key) == "colocate" || std::string_view(key) == "offload_rollout";
      topology_fault(findings, fmt::format("topology.{} differs", key), flag ? "true" : fmt::format("{}", wanted),
                     shown(topology.get(key)), key);
    }
  }
}

void training_topology(core::Value topology, core::Findings& findings) {
  const auto actors = as_int(topology.get("actor_gpus"));
  const auto tp = as_int(topology.get("tp"));
  const auto cp = as_int(topology.get("cp"));
  std::int64_t product = 0;
  if (!actors || !tp || !cp || *tp <= 0 || *cp <= 0 || __builtin_mul_overflow(*tp, *cp, &product) ||
      product != *actors) {
    topology_fault(findings, "tp times cp is not the number of training GPUs", shown(topology.get("actor_gpus")),
                   fmt::format("tp {} and cp {}", shown(topology.get("tp")), shown(topology.get("cp"))), "tp");
  } else if (32 % *tp != 0 || 8 % *tp != 0 || 152064 % *tp != 0) {
    topology_fault(findings, "tp does not divide heads, groups and vocabulary", "a divisor of 32, 8 and 152064",
                   fmt::format("{}", *tp), "tp");
  }
}

void rollout_topology(core::Value topology, core::Findings& findings) {
  const core::Value per_engine_value = topology.get("rollout_gpus_per_engine");
  const core::Value rollout_tp_value =
      topology.get("rollout_tp").present() ? topology.get("rollout_tp") : per_engine_value;
  const core::Value offload = topology.get("offload_train");
  const bool wants_offload =
      core::python_equal(topology.get("tp"), std::int64_t{1}) && core::python_equal(rollout_tp_value, std::int64_t{1});
  if (!offload.is(core::Kind::kBoolean) || offload.boolean() != wants_offload) {
    topology_fault(findings, "offload_train is not what the layout asks for", wants_offload ? "true" : "false",
                   shown(offload), "offload_train");
  }
  const auto gpus = as_int(topology.get("rollout_gpus"));
  const auto rollout_tp = as_int(rollout_tp_value);
  const auto rollout_cp =
      topology.get("rollout_cp").present() ? as_int(topology.get("rollout_cp")) : std::optional<std::int64_t>(1);
  const auto per_engine = as_int(per_engine_value);
  std::int64_t product = 0;
  const bool whole = gpus && rollout_tp && rollout_cp && per_engine && *gpus > 0 && *rollout_tp > 0 &&
                     *rollout_cp > 0 && *per_engine > 0;
  if (!whole || __builtin_mul_overflow(*rollout_tp, *rollout_cp, &product) || product != *per_engine ||
      *gpus % *per_engine != 0) {
    topology_fault(findings, "the engine size does not fit the rollout layout",
                   "rollout_tp times rollout_cp, a divisor of rollout_gpus", shown(per_engine_value),
                   "rollout_gpus_per_engine");
  } else if (!core::python_equal(topology.get("rollout_engines"), *gpus / *per_engine)) {
    topology_fault(findings, "another number of rollout engines", fmt::format("{}", *gpus / *per_engine),
                   shown(topology.get("rollout_engines")), "rollout_engines");
  }
}

/// train_command as strings and as neighbouring pairs of strings.
struct Command {
  std::set<std::string> words;
  std::set<std::pair<std::string, std::string>> pairs;

  explicit Command(core::Value list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list.at(i).is_string()) {
        words.emplace(list.at(i).text());
        if (list.at(i + 1).is_string()) {
          pairs.emplace(list.at(i).text(), list.at(i + 1).text());
        }
      }
    }
  }
};

void command_fault(core::Findings& findings, std::string what, std::string expected, std::string found) {
  core::Finding finding =
      make_finding("RLV-108", Section::kLaunch, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "manifest.json";
  finding.place.field = "train_command";
  findings.add(std::move(finding));
}

void require_pair(const Command& command, const char* flag, const std::string& value, core::Findings& findings) {
  if (command.pairs.count({flag, value}) == 0) {
    command_fault(findings, fmt::format("the command lacks {} {}", flag, value), fmt::format("{} {}", flag, value),
                  "no such pair");
  }
}

void require_word(const Command& command, const char* flag, core::Findings& findings) {
  if (command.words.count(flag) == 0) {
    command_fault(findings, fmt::format("the command lacks {}", flag), flag, "no such flag");
  }
}

void refuse_word(const Command& command, const char* flag, core::Findings& findings) {
  if (command.words.count(flag) != 0) {
    command_fault(findings, fmt::format("the command has {}", flag), fmt::format("no {}", flag), flag);
  }
}

std::string text_of(core::Value value) {
  return value.present() ? core::python_str(value) : "None";
}

}  // namespace

void status_rule(const RuleInput& input, core::Findings& findings) {
  if (!input.run.has_ray_status || !input.run.ray_status.has_succeeded_word) {
    core::Finding finding = make_finding("RLV-104", Section::kLaunch, "the job is not shown to have succeeded",
                                         "SUCCEEDED", input.run.has_ray_status ? "another status" : "no file");
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  }
}

void topology_rules(const RuleInput& input, core::Findings& findings) {
  fixed_topology(input.frame.topology, findings);
  training_topology(input.frame.topology, findings);
  rollout_topology(input.frame.topology, findings);
}

void command_rules(const RuleInput& input, core::Findings& findings) {
  const core::Value list = input.frame.manifest.get("train_command");
  if (!list.is_list()) {
    command_fault(findings, "the training command is missing", "a list of words", shown(list));
    return;
  }
  const Command command(list);
  const core::Value topology = input.frame.topology;
  require_pair(command, "--advantage-estimator", "grpo", findings);
  require_pair(command, "--actor-num-gpus-per-node", "8", findings);
  require_pair(command, "--rollout-num-gpus", "8", findings);
  require_pair(command, "--tensor-model-parallel-size", text_of(topology.get("tp")), findings);
  require_pair(command, "--context-parallel-size", text_of(topology.get("cp")), findings);
  require_pair(command, "--rollout-num-gpus-per-engine", text_of(topology.get("rollout_gpus_per_engine")), findings);
  if (topology.get("rollout_cp").present()) {
    require_pair(command, "--vllm-prefill-context-parallel-size", text_of(topology.get("rollout_cp")), findings);
  }
  require_word(command, "--colocate", findings);
  require_word(command, "--offload-rollout", findings);
  require_word(command, core::python_truth(topology.get("offload_train")) ? "--offload-train" : "--no-offload-train",
               findings);
  if (!core::python_truth(input.frame.arm.get("framework_use_rollout_logprobs"))) {
    refuse_word(command, "--use-rollout-logprobs", findings);
  }
  if (input.frame.runs_rl_kernel(2, Side::kTraining)) {
    require_pair(command, "--linear-logp-provider", kProvider, findings);
    require_pair(command, "--linear-logp-provider-mode", "strict", findings);
  } else {
    refuse_word(command, "--linear-logp-provider", findings);
    refuse_word(command, "--linear-logp-provider-mode", findings);
  }
}

void memory_rule(const RuleInput& input, core::Findings& findings) {
  const core::Value memory = input.frame.manifest.get("training_memory");
  if (!memory.is_dict() || memory.size() != 3 ||
      !core::python_equal(memory.get("recompute_granularity"), std::string_view("full")) ||
      !core::python_equal(memory.get("recompute_method"), std::string_view("uniform")) ||
      !core::python_equal(memory.get("recompute_num_layers"), std::int64_t{1})) {
    core::Finding finding = make_finding("RLV-110", Section::kLaunch, "activations are recomputed in another way",
                                         "full, uniform, 1 layer", shown(memory));
    finding.place.file = "manifest.json";
    finding.place.field = "training_memory";
    findings.add(std::move(finding));
  }
}

void log_rules(const RuleInput& input, core::Findings& findings) {
  const auto refuse = [&findings](const std::vector<run::LogMark>& marks, const char* code, const char* what) {
    for (const run::LogMark& mark : marks) {
      core::Finding finding = make_finding(code, Section::kLog, what, "no such line", "one or more");
      finding.place.file = "run.log";
      finding.place.line = mark.line;
      findings.add(std::move(finding));
    }
  };
  refuse(input.log.fallback_true, "RLV-112", "the log says fallback=true");
  refuse(input.log.traceback, "RLV-113", "the log has a traceback");
}

}  // namespace rlverify::readback
