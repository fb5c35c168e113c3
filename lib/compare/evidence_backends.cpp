// SPDX-License-Identifier: Apache-2.0
// What ran, as sets of values over all processes of a side: process counts and call counts depend on topology and on
// when a process was killed, so they are left out.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "compare/evidence.h"
#include "core/python_value.h"
#include "readback/checks.h"

namespace rlverify::compare {
namespace {

/// Calls `visit` for every value under one of `keys`, at any depth. JSON is a tree of bounded depth.
template <typename Visit>
void each_value(core::Value value, std::initializer_list<std::string_view> keys, const Visit& visit) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    const core::Value child = value.is_dict() ? value.value_at(i) : value.at(i);
    if (value.is_dict() && std::find(keys.begin(), keys.end(), value.key_at(i).text()) != keys.end()) {
      visit(child);
    }
    each_value(child, keys, visit);
  }
}

void put(ModuleFields& fields, const char* field, const std::string& value, const std::string& file) {
  fields[field].emplace(value, file);
}

void put_text(ModuleFields& fields, const char* field, core::Value value, const std::string& file) {
  if (value.present()) {
    put(fields, field, core::python_str(value), file);
  }
}

void read_operator(core::Value record, const std::string& file, ModuleFields& fields) {
  const core::Value provenance = record.get("provenance");
  put_text(fields, "implementation", record.get("implementation"), file);
  put_text(fields, "backend_id", record.get("backend_id"), file);
  put_text(fields, "execution_mode", record.get("execution_mode"), file);
  std::vector<std::string> ids;
  readback::collect_backend_ids(provenance, ids);
  for (const std::string& id : ids) {
    put(fields, "actual_backend", id, file);
  }
  if (const auto platform = readback::platform_of(provenance)) {
    put(fields, "platform", *platform, file);
  }
  each_value(provenance, {"fallback", "fallback_used", "used_fallback"},
             [&](core::Value value) { put(fields, "fallback", core::python_str(value), file); });
  each_value(provenance, {"padded_vocab_size"},
             [&](core::Value value) { put(fields, "padded_vocab_size", core::python_str(value), file); });
}

/// The integers of the list that `text` begins with, whatever its spacing and quotes.
std::set<std::int64_t> listed_sizes(std::string_view text) {
  constexpr std::size_t kNearest = 16;  // between the name and its list there are quotes, a colon and blanks only
  constexpr std::int64_t kLargest = 1'000'000'000;
  std::set<std::int64_t> sizes;
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || begin > kNearest || end < begin) {
    return sizes;
  }
  std::int64_t value = -1;
  for (const char c : text.substr(begin + 1, end - begin)) {
    if (c >= '0' && c <= '9' && value < kLargest) {
      value = (value < 0 ? 0 : value * 10) + (c - '0');
    } else if (value >= 0) {
      sizes.insert(value);
      value = -1;
    }
  }
  return sizes;
}

/// The name of the mode in what follows "cudagraph_mode": its first word in capitals ("FULL_DECODE_ONLY").
std::string mode_name(std::string_view text) {
  constexpr std::size_t kNearest = 64;
  text = text.substr(0, kNearest);
  const auto is_word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) {
      ++at;
    }
    const std::string_view word = text.substr(begin, at - begin);
    const bool capitals =
        std::all_of(word.begin(), word.end(), [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
    if (word.size() >= 4 && capitals) {
      return std::string(word);
    }
    at = std::max(at, begin + 1);
  }
  return "";
}

void read_requested(core::Value manifest, GraphEvidence& graphs) {
  const core::Value execution = manifest.get("vllm_execution");
  if (execution.get("enforce_eager").is_true()) {
    graphs.requested_mode = "eager";
  } else if (execution.get("cudagraph_mode").is_string()) {
    graphs.requested_mode = std::string(execution.get("cudagraph_mode").text());
  }
  const core::Value sizes = execution.get("capture_sizes");
  for (std::size_t i = 0; i < sizes.size() && sizes.is_list(); ++i) {
    if (sizes.at(i).is_integer()) {
      graphs.requested_sizes.insert(sizes.at(i).integer());
    }
  }
}

}  // namespace

BackendEvidence read_backends(const run::RunDirectory& run) {
  BackendEvidence evidence;
  const core::Value manifest = run.manifest.root();
  const core::Value arm = manifest.get("arm");
  for (const char* key : {"group", "attention_case", "ffn_case", "logp_case", "framework_use_rollout_logprobs"}) {
    if (arm.get(key).present()) {
      evidence.requested[key] = core::python_str(arm.get(key));
    }
  }
  evidence.updates_required = manifest.path({"algorithm", "require_updates"}).is_true();
  for (const run::JsonArtifact& readback : run.readbacks) {
    const core::Value root = readback.root();
    if (!root.is_dict()) {
      continue;
    }
    ++evidence.files;
    const core::Value operators = root.get("operators");
    for (std::size_t i = 0; i < operators.size() && operators.is_dict(); ++i) {
      const std::string key = core::python_str(root.get("framework")) + "/" + core::python_str(root.get("target")) +
                              " " + std::string(operators.key_at(i).text());
      read_operator(operators.value_at(i), readback.name, evidence.modules[key]);
    }
  }
  return evidence;
}

std::optional<GraphEvidence> read_graphs(const run::RunDirectory& run) {
  if (!run.log) {
    return std::nullopt;
  }
  GraphEvidence graphs;
  graphs.file = "run.log";
  read_requested(run.manifest.root(), graphs);
  for (const run::LogMark& mark : run.log->cudagraph_mode) {
    if (const std::string mode = mode_name(mark.text); !mark.echo && !mode.empty()) {
      graphs.modes.emplace(mode, mark.line);
    }
  }
  for (const run::LogMark& mark : run.log->eager) {
    if (!mark.echo) {
      graphs.modes.emplace("eager", mark.line);
    }
  }
  for (const auto* marks :
       {&run.log->capture_sizes_repr, &run.log->capture_sizes_json, &run.log->capture_sizes_other}) {
    for (const run::LogMark& mark : *marks) {
      const std::set<std::int64_t> sizes = mark.echo ? std::set<std::int64_t>() : listed_sizes(mark.text);
      graphs.sizes_line = graphs.sizes.empty() && !sizes.empty() ? mark.line : graphs.sizes_line;
      graphs.sizes.insert(sizes.begin(), sizes.end());
    }
  }
  if (graphs.modes.empty() && graphs.sizes.empty()) {
    return std::nullopt;
  }
  return graphs;
}

}  // namespace rlverify::compare
