// SPDX-License-Identifier: Apache-2.0
// One function per part; compare/evidence_record.cpp reads what is written here.
#include "report/run_record_document.h"

#include <optional>

#include "report/findings_parts.h"
#include "report/record_parts.h"

namespace rlverify::report {

namespace {

using core::NodeId;

NodeId token_samples(Document& document, const compare::RunEvidence& run) {
  const NodeId out = document.object();
  for (const compare::StepTokens& step : run.tokens) {
    document.put(out, std::to_string(step.step), document.strings(step.samples));
  }
  return out;
}

NodeId log_probs(Document& document, const compare::RunEvidence& run) {
  const NodeId out = document.object();
  for (const compare::StepLogProbs& step : run.log_probs) {
    document.put(out, std::to_string(step.step),
                 document.object({{"samples", document.unsigned_integer(step.samples)},
                                  {"elements", document.unsigned_integer(step.elements)},
                                  {"sha256", document.string(step.sha256)},
                                  {"per_sample", document.strings(step.per_sample)}}));
  }
  return out;
}

NodeId backends(Document& document, const std::optional<compare::BackendEvidence>& evidence) {
  if (!evidence) {
    return document.null();
  }
  const NodeId requested = document.object();
  for (const auto& [key, value] : evidence->requested) {
    document.put(requested, key, document.string(value));
  }
  const NodeId modules = document.object();
  for (const auto& [module, fields] : evidence->modules) {
    const NodeId module_object = document.object();
    for (const auto& [field, values] : fields) {
      const NodeId value_object = document.object();
      for (const auto& [value, file] : values) {
        document.put(value_object, value, document.string(file));
      }
      document.put(module_object, field, value_object);
    }
    document.put(modules, module, module_object);
  }
  return document.object({{"requested", requested},
                          {"updates_required", document.boolean(evidence->updates_required)},
                          {"files", document.unsigned_integer(evidence->files)},
                          {"modules", modules}});
}

NodeId sizes(Document& document, const std::set<std::int64_t>& values) {
  const NodeId out = document.array();
  for (const std::int64_t value : values) {
    document.append(out, document.integer(value));
  }
  return out;
}

NodeId cudagraph(Document& document, const std::optional<compare::GraphEvidence>& evidence) {
  if (!evidence) {
    return document.null();
  }
  const NodeId modes = document.object();
  for (const auto& [mode, line] : evidence->modes) {
    document.put(modes, mode, document.unsigned_integer(line));
  }
  return document.object(
      {{"requested_mode", evidence->requested_mode ? document.string(*evidence->requested_mode) : document.null()},
       {"requested_sizes", sizes(document, evidence->requested_sizes)},
       {"file", document.string(evidence->file)},
       {"modes", modes},
       {"sizes", sizes(document, evidence->sizes)},
       {"sizes_line", document.unsigned_integer(evidence->sizes_line)}});
}

NodeId weights(Document& document, const std::vector<compare::SealedWeights>& versions) {
  const NodeId out = document.object();
  for (const compare::SealedWeights& version : versions) {
    const NodeId tensors = document.object();
    for (const run::AuditTensor& tensor : version.digests.tensors) {
      if (!tensor.well_formed) {
        continue;  // it couldn't be read whole, so it has no digest; a finding of `seal` says why
      }
      const NodeId shape = document.array();
      for (const std::int64_t size : tensor.shape) {
        document.append(shape, document.integer(size));
      }
      document.put(tensors, tensor.name,
                   document.object({{"sha256", document.string(tensor.sha256)},
                                    {"shape", shape},
                                    {"dtype", document.string(tensor.dtype)}}));
    }
    const std::uint64_t count = version.digests.tensors.size();
    document.put(out, version.version,
                 document.object({{"sha256", document.string(version.digests.sha256)},
                                  {"tensor_count", document.unsigned_integer(count)},
                                  {"tensors", tensors}}));
  }
  return out;
}

NodeId artifacts(Document& document, const compare::Artifacts& files) {
  const NodeId out = document.object();
  for (const auto& [path, artifact] : files) {
    const bool is_weight = artifact.sha256.empty();
    document.put(out, path,
                 document.object({{"bytes", document.unsigned_integer(artifact.bytes)},
                                  {is_weight ? "header_sha256" : "sha256",
                                   document.string(is_weight ? artifact.header_sha256 : artifact.sha256)}}));
  }
  return out;
}

/// Errors of the evidence itself. Digests say nothing of a file that could not be used, and a replica may have taken
/// its place in them: without these a comparison of the record would pass where one of the run does not. Attention
/// cases have their own member.
std::optional<NodeId> faults(Document& document, const compare::RunEvidence& run) {
  core::Findings sorted = run.findings;
  sorted.sort();
  const std::string folder = run.path + "/";
  const NodeId out = document.array();
  std::size_t listed = 0;
  for (const core::Finding& finding : sorted.list()) {
    if (finding.severity != core::Severity::kError || finding.section == core::Section::kTensors ||
        listed == kMaxListedFindings) {
      continue;
    }
    ++listed;
    const std::string& file = finding.place.file;
    const bool inside = file.compare(0, folder.size(), folder) == 0;
    document.append(out, document.object({{"code", document.string(finding.code)},
                                          {"section", document.string(core::section_name(finding.section))},
                                          {"what", document.string(finding.what)},
                                          {"file", document.string(inside ? file.substr(folder.size()) : file)},
                                          {"expected", document.string(finding.expected)},
                                          {"found", document.string(finding.found)},
                                          {"count", document.unsigned_integer(finding.count)}}));
  }
  return listed == 0 ? std::nullopt : std::optional(out);
}

}  // namespace

Document run_record_document(const RunRecordInput& input, std::string_view tool_version) {
  Document document;
  const compare::RunEvidence& run = input.run;
  const NodeId root = document.object({{"schema_version", document.string("rlverify.run_record.v1")},
                                       {"name", document.string(run.name)},
                                       {"status", document.string(run.status)},
                                       {"steps", steps_object(document, run.steps)},
                                       {"perf", steps_object(document, run.perf)},
                                       {"tokens", tokens_object(document, run.tokens)},
                                       {"token_recipe", document.string(run.token_recipe)},
                                       {"token_samples", token_samples(document, run)},
                                       {"log_probs", log_probs(document, run)},
                                       {"backends", backends(document, run.backends)},
                                       {"cudagraph", cudagraph(document, run.graphs)},
                                       {"gpu_attention_cases", attention_cases_object(document, run.attention_cases)},
                                       {"weights", weights(document, input.weights)},
                                       {"artifacts", artifacts(document, input.artifacts)},
                                       {"validation", copy_sorted(document, input.validation)}});
  if (const auto list = faults(document, run)) {
    document.put(root, "faults", *list);
  }
  document.put(root, "tool", tool_object(document, tool_version));
  document.set_root(root);
  return document;
}

}  // namespace rlverify::report
