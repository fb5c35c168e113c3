// SPDX-License-Identifier: Apache-2.0
// A sealed record as evidence. It is untrusted like any artifact: its form is checked against the schema by the command
// that opens it; here everything that is not of the expected kind is simply not there.
#include <algorithm>
#include <charconv>

#include "compare/evidence.h"
#include "core/python_value.h"

namespace rlverify::compare {
namespace {

std::string text_of(core::Value value) {
  return value.is_string() ? std::string(value.text()) : std::string();
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Calls `visit(step, value)` for the entries of an object whose keys are steps, ascending.
template <typename Visit>
void each_step(core::Value object, const Visit& visit) {
  std::map<std::int64_t, core::Value> steps;
  for (std::size_t i = 0; i < object.size() && object.is_dict(); ++i) {
    if (const auto step = number_of(object.key_at(i).text())) {
      steps.emplace(*step, object.value_at(i));
    }
  }
  for (const auto& [step, value] : steps) {
    visit(step, value);
  }
}

std::vector<std::string> strings_of(core::Value list) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < list.size() && list.is_list(); ++i) {
    out.push_back(text_of(list.at(i)));
  }
  return out;
}

std::vector<std::int64_t> integers_of(core::Value list) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < list.size() && list.is_list(); ++i) {
    if (list.at(i).is_integer()) {
      out.push_back(list.at(i).integer());
    }
  }
  return out;
}

std::uint64_t count_of(core::Value value) {
  return value.is_integer() && value.integer() > 0 ? static_cast<std::uint64_t>(value.integer()) : 0;
}

void read_steps(core::Value object, std::vector<LogStep>& out) {
  each_step(object, [&out](std::int64_t step, core::Value record) { out.push_back({step, record, 0}); });
}

void read_tokens(core::Value root, std::vector<StepTokens>& out) {
  each_step(root.get("tokens"), [&](std::int64_t step, core::Value digest) {
    StepTokens tokens;
    tokens.step = step;
    tokens.sha256 = text_of(digest);
    tokens.samples = strings_of(root.get("token_samples").get(std::to_string(step)));
    out.push_back(std::move(tokens));
  });
}

void read_log_probs(core::Value object, std::vector<StepLogProbs>& out) {
  each_step(object, [&out](std::int64_t step, core::Value entry) {
    StepLogProbs log_probs;
    log_probs.step = step;
    log_probs.samples = count_of(entry.get("samples"));
    log_probs.elements = count_of(entry.get("elements"));
    log_probs.sha256 = text_of(entry.get("sha256"));
    log_probs.per_sample = strings_of(entry.get("per_sample"));
    out.push_back(std::move(log_probs));
  });
}

BackendEvidence read_backend_object(core::Value object) {
  BackendEvidence out;
  const core::Value requested = object.get("requested");
  for (std::size_t i = 0; i < requested.size() && requested.is_dict(); ++i) {
    out.requested[std::string(requested.key_at(i).text())] = text_of(requested.value_at(i));
  }
  out.updates_required = object.get("updates_required").is_true();
  out.files = count_of(object.get("files"));
  const core::Value modules = object.get("modules");
  for (std::size_t i = 0; i < modules.size() && modules.is_dict(); ++i) {
    ModuleFields& fields = out.modules[std::string(modules.key_at(i).text())];
    const core::Value given = modules.value_at(i);
    for (std::size_t j = 0; j < given.size() && given.is_dict(); ++j) {
      FieldValues& values = fields[std::string(given.key_at(j).text())];
      const core::Value entries = given.value_at(j);
      for (std::size_t k = 0; k < entries.size() && entries.is_dict(); ++k) {
        values[std::string(entries.key_at(k).text())] = text_of(entries.value_at(k));
      }
    }
  }
  return out;
}

GraphEvidence read_graph_object(core::Value object) {
  GraphEvidence out;
  if (object.get("requested_mode").is_string()) {
    out.requested_mode = text_of(object.get("requested_mode"));
  }
  for (const std::int64_t size : integers_of(object.get("requested_sizes"))) {
    out.requested_sizes.insert(size);
  }
  out.file = text_of(object.get("file"));
  const core::Value modes = object.get("modes");
  for (std::size_t i = 0; i < modes.size() && modes.is_dict(); ++i) {
    out.modes[std::string(modes.key_at(i).text())] = count_of(modes.value_at(i));
  }
  for (const std::int64_t size : integers_of(object.get("sizes"))) {
    out.sizes.insert(size);
  }
  out.sizes_line = count_of(object.get("sizes_line"));
  return out;
}

AttentionCases read_case_object(core::Value object) {
  AttentionCases out;
  out.cp = integers_of(object.get("cp"));
  out.interleave = integers_of(object.get("interleave"));
  out.query_counts = integers_of(object.get("query_counts"));
  out.passed = static_cast<std::int64_t>(count_of(object.get("passed")));
  out.mismatches = static_cast<std::int64_t>(count_of(object.get("eager_and_cuda_graph_byte_mismatches")));
  return out;
}

std::optional<core::Section> section_called(std::string_view name) {
  for (int i = 0; i < core::kSectionCount; ++i) {
    if (core::section_name(static_cast<core::Section>(i)) == name) {
      return static_cast<core::Section>(i);
    }
  }
  return std::nullopt;
}

/// What was at fault when the run was sealed is at fault in its record.
void read_faults(core::Value list, const std::string& record, core::Findings& findings) {
  for (std::size_t i = 0; i < list.size() && list.is_list(); ++i) {
    const core::Value fault = list.at(i);
    core::Finding finding = core::bare_finding(
        text_of(fault.get("code")), core::Severity::kError,
        section_called(text_of(fault.get("section"))).value_or(core::Section::kLaunch), text_of(fault.get("what")));
    const std::string file = text_of(fault.get("file"));
    finding.place.file = file.empty() ? record : record + ": " + file;
    finding.expected = text_of(fault.get("expected"));
    finding.found = text_of(fault.get("found"));
    finding.count = std::max<std::uint64_t>(count_of(fault.get("count")), 1);
    findings.add(std::move(finding));
  }
}

}  // namespace

void read_record(RunEvidence& evidence) {
  const core::Value root = evidence.record->root();
  if (text_of(root.get("schema_version")) != "rlverify.run_record.v1") {
    throw core::InputError(evidence.path +
                           " is neither a run directory nor a sealed record (schema_version rlverify.run_record.v1)");
  }
  evidence.status = text_of(root.get("status"));
  read_steps(root.get("steps"), evidence.steps);
  read_steps(root.get("perf"), evidence.perf);
  evidence.has_log = !evidence.steps.empty();
  evidence.token_recipe = text_of(root.get("token_recipe"));
  read_tokens(root, evidence.tokens);
  read_log_probs(root.get("log_probs"), evidence.log_probs);
  if (root.get("backends").is_dict()) {
    evidence.backends = read_backend_object(root.get("backends"));
  }
  if (root.get("cudagraph").is_dict()) {
    evidence.graphs = read_graph_object(root.get("cudagraph"));
  }
  if (root.get("gpu_attention_cases").is_dict()) {
    evidence.attention_cases = read_case_object(root.get("gpu_attention_cases"));
  }
  evidence.weights = weights_of_record(root.get("weights"), evidence.name, evidence.path);
  evidence.weights.updates_required = evidence.backends && evidence.backends->updates_required;
  read_faults(root.get("faults"), evidence.path, evidence.findings);
}

}  // namespace rlverify::compare
