// SPDX-License-Identifier: Apache-2.0
// Readbacks are JSON of untrusted shape; the look-ups follow Python's (spec/run-artifacts.md section 5 and rules
// R1-R11), and where Python would raise, so do we.
#include <algorithm>
#include <cctype>
#include <set>

#include "core/python_value.h"
#include "readback/checks.h"

namespace rlverify::readback {
namespace {

std::string lower_trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Python's `module in installed_hooks`.
bool has_hook(core::Value hooks, std::string_view module) {
  if (!hooks.present()) {
    return false;
  }
  if (hooks.is_dict()) {
    return hooks.get(module).present();
  }
  if (hooks.is_string()) {
    return hooks.text().find(module) != std::string_view::npos;
  }
  if (hooks.is_list()) {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      if (core::python_equal(hooks.at(i), module)) {
        return true;
      }
    }
    return false;
  }
  throw CannotJudge("TypeError: installed_hooks is no container");
}

std::string text_of(core::Value value) {
  return value.present() ? core::python_str(value) : "";
}

ModuleSummary measure_module(const Frame& frame, const Pair& pair, std::size_t module,
                             const std::vector<const run::JsonArtifact*>& mine, const run::RunLog& log) {
  ModuleSummary summary;
  summary.case_id = frame.cases.at(module);
  summary.expected_implementation = frame.expected_implementation(module, pair.side);
  std::set<std::string> implementations;
  std::set<std::string> backend_ids;
  for (const run::JsonArtifact* readback : mine) {
    summary.installed_processes += has_hook(readback->root().get("installed_hooks"), kModules.at(module)) ? 1 : 0;
    const core::Value record = operator_record(readback->root(), kModules.at(module));
    if (!record.present()) {
      continue;
    }
    if (!record.is_dict()) {
      throw CannotJudge("AttributeError: an operator record is no object");
    }
    const core::Value calls = record.get("call_count");
    summary.call_count += calls.present() ? require_int(calls, "call_count") : 0;
    implementations.insert(text_of(record.get("implementation")));
    backend_ids.insert(text_of(record.get("backend_id")));
  }
  summary.implementations.assign(implementations.begin(), implementations.end());
  summary.backend_ids.assign(backend_ids.begin(), backend_ids.end());
  if (pair.side == Side::kTraining && kModules.at(module) == std::string_view("logp") &&
      summary.expected_implementation == "production") {
    summary.native_marker_present = has_native_marker(log, summary.case_id);
  }
  return summary;
}

}  // namespace

std::vector<const run::JsonArtifact*> readbacks_of(const std::vector<run::JsonArtifact>& readbacks, const Pair& pair) {
  std::vector<const run::JsonArtifact*> mine;
  for (const run::JsonArtifact& readback : readbacks) {
    const core::Value root = readback.root();
    if (core::python_equal(root.get("framework"), std::string_view(pair.framework)) &&
        core::python_equal(root.get("target"), std::string_view(pair.target))) {
      mine.push_back(&readback);
    }
  }
  return mine;
}

core::Value operator_record(core::Value readback, const char* module) {
  const core::Value operators = readback.get("operators");
  return operators.is_dict() ? operators.get(module) : core::Value();
}

bool has_native_marker(const run::RunLog& log, const std::string& logp_case) {
  return !log.native_logp.empty() ||
         std::any_of(log.sidecar_route.begin(), log.sidecar_route.end(),
                     [&logp_case](const run::LogMark& mark) { return mark.text.rfind(logp_case, 0) == 0; });
}

ReadbackSection measure_readbacks(const Frame& frame, const std::vector<run::JsonArtifact>& readbacks,
                                  const run::RunLog& log) {
  ReadbackSection section;
  for (const Pair& pair : kPairs) {
    const auto mine = readbacks_of(readbacks, pair);
    if (mine.empty()) {
      continue;
    }
    FrameworkSummary summary;
    summary.readback_count = static_cast<std::int64_t>(mine.size());
    for (std::size_t module = 0; module < kModules.size(); ++module) {
      summary.modules.at(module) = measure_module(frame, pair, module, mine, log);
    }
    (pair.side == Side::kTraining ? section.megatron_training : section.vllm_rollout) = std::move(summary);
  }
  return section;
}

bool contains_triton(core::Value value) {
  if (value.is_string()) {
    return lower_trimmed(value.text()).find("triton") != std::string::npos;
  }
  if (value.is_dict()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string key = lower_trimmed(value.key_at(i).text());
      const bool flag = key == "triton_used" || key == "uses_triton";
      if (flag ? value.value_at(i).is_true() : contains_triton(value.value_at(i))) {
        return true;
      }
    }
    return false;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (contains_triton(value.at(i))) {
      return true;
    }
  }
  return false;
}

std::optional<std::string> platform_of(core::Value provenance) {
  if (!provenance.is_dict()) {
    return std::nullopt;
  }
  const core::Value platform = provenance.get("runtime_platform");
  if (platform.is_string()) {
    return std::string(platform.text());
  }
  for (std::size_t i = 0; i < provenance.size(); ++i) {
    if (auto hit = platform_of(provenance.value_at(i))) {
      return hit;
    }
  }
  return std::nullopt;
}

void collect_backend_ids(core::Value value, std::vector<std::string>& ids) {
  if (value.is_dict()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string_view key = value.key_at(i).text();
      if ((key == "actual_backend" || key == "backend_id") && value.value_at(i).is_string()) {
        ids.emplace_back(value.value_at(i).text());
      }
      collect_backend_ids(value.value_at(i), ids);
    }
  } else if (value.is_list()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect_backend_ids(value.at(i), ids);
    }
  }
}

}  // namespace rlverify::readback
