// SPDX-License-Identifier: Apache-2.0
// Strict rules on the arm: group, cases, environment and command are four statements about one thing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
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

/// Words of train_command that stand for a flag, alone or as flag=value; `value` is what follows.
struct Flag {
  std::string name;
  std::string value;
};
std::vector<Flag> flags_of(core::Value command) {
  std::vector<Flag> flags;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string word(command.at(i).text());
    if (word.rfind("--", 0) != 0) {
      continue;
    }
    const std::size_t equals = word.find('=');
    const core::Value next = command.at(i + 1);
    flags.push_back(equals == std::string::npos ? Flag{word, std::string(next.text())}
                                                : Flag{word.substr(0, equals), word.substr(equals + 1)});
  }
  return flags;
}

/// What the public validator's pairs leave open: a parser takes the last of several values, so a flag that is judged
/// must have one value only; a switch and its opposite don't go together; and an arm that reuses log-probs says so.
void flag_rules(const Frame& frame, core::Findings& findings) {
  static constexpr std::array<std::string_view, 9> kJudged = {
      "--advantage-estimator",   "--actor-num-gpus-per-node",    "--rollout-num-gpus",
      "--context-parallel-size", "--tensor-model-parallel-size", "--rollout-num-gpus-per-engine",
      "--linear-logp-provider",  "--linear-logp-provider-mode",  "--vllm-prefill-context-parallel-size"};
  const auto refuse = [&findings](std::string what, std::string expected, std::string found) {
    findings.add(manifest_finding("RLV-108", "train_command", std::move(what), std::move(expected), std::move(found)));
  };
  std::map<std::string, std::string> values;
  for (const Flag& flag : flags_of(frame.manifest.get("train_command"))) {
    const auto [entry, fresh] = values.emplace(flag.name, flag.value);
    const bool judged = std::find(kJudged.begin(), kJudged.end(), flag.name) != kJudged.end();
    if (!fresh && judged && entry->second != flag.value) {
      refuse(fmt::format("the command gives {} twice with different values", flag.name), entry->second, flag.value);
    }
  }
  for (const char* flag : {"offload-train", "offload-rollout", "colocate"}) {
    if (values.count(std::string("--") + flag) != 0 && values.count(std::string("--no-") + flag) != 0) {
      refuse(fmt::format("the command has --{0} and --no-{0}", flag), "one of them", "both");
    }
  }
  if (frame.arm.get("framework_use_rollout_logprobs").is_true() && values.count("--use-rollout-logprobs") == 0) {
    refuse("the command lacks --use-rollout-logprobs, which the arm stands for", "--use-rollout-logprobs",
           "no such flag");
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

}  // namespace

void strict_arm_rules(const Frame& frame, core::Findings& findings) {
  group_rule(frame, findings);
  environment_rule(frame, findings);
  flag_rules(frame, findings);
}

}  // namespace rlverify::readback
