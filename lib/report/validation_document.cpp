// SPDX-License-Identifier: Apache-2.0
// The validation document (spec/documents.md section 1): one function per section, in the public validator's terms.
// Keys are put in any order; the writer sorts them.
#include "report/validation_document.h"

#include <algorithm>
#include <array>

#include "report/finding_text.h"

namespace rlverify::report {

namespace {

using core::NodeId;
using core::Section;

constexpr const char* kSchemaVersion = "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1";
// Literal texts of the public validator that are no errors.
constexpr const char* kEvidenceSource =
    "VIME runtime torch.ne/max metrics; VIME reports sample means, converted to counts with global_batch_size";
constexpr const char* kNoTrainingLogProbs =
    "current VIME dump lacks captured training log_probs; runtime exact metrics are used";
constexpr const char* kNativeBackendId = "vime.utils.ppo_utils.calculate_log_probs_and_entropy";

/// Sections of this document whose errors stay there; CUDA graphs have booleans instead.
constexpr std::array<Section, 4> kOwnErrors = {Section::kBackends, Section::kPcp, Section::kLogProbs,
                                               Section::kCudagraph};

std::vector<std::string> errors_of(const core::Findings& findings, Section section) {
  std::vector<std::string> errors;
  for (const core::Finding& finding : findings.list()) {
    if (finding.section == section && finding.severity == core::Severity::kError) {
      errors.push_back(finding_sentence(finding));
    }
  }
  return errors;
}

/// Scalar errors come first and stand in their section as well; then everything that has no section here.
std::vector<std::string> global_errors(const core::Findings& findings) {
  std::vector<std::string> errors = errors_of(findings, Section::kScalars);
  for (const core::Finding& finding : findings.list()) {
    const bool elsewhere = finding.section == Section::kScalars ||
                           std::find(kOwnErrors.begin(), kOwnErrors.end(), finding.section) != kOwnErrors.end();
    if (!elsewhere && finding.severity == core::Severity::kError) {
      errors.push_back(finding_sentence(finding));
    }
  }
  return errors;
}

NodeId python_number(Document& document, const readback::PythonNumber& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) {
    return document.integer(*integer);
  }
  return document.real(std::get<double>(number));
}

NodeId python_number(Document& document, const std::optional<readback::PythonNumber>& number) {
  return number ? python_number(document, *number) : document.null();
}

NodeId cudagraph_section(Document& document, const readback::CudagraphSection& section) {
  const NodeId sizes =
      section.expected_capture_sizes ? document.copy(section.expected_capture_sizes) : document.array();
  const NodeId checks = document.object({{"capture_sizes", document.boolean(section.capture_sizes)},
                                         {"engine_mode", document.boolean(section.engine_mode)},
                                         {"launcher_marker", document.boolean(section.launcher_marker)},
                                         {"not_eager", document.boolean(section.not_eager)}});
  return document.object(
      {{"checks", checks}, {"expected_capture_sizes", sizes}, {"passed", document.boolean(section.passed())}});
}

NodeId module_summary(Document& document, const readback::ModuleSummary& summary) {
  const NodeId out = document.object({{"backend_ids", document.strings(summary.backend_ids)},
                                      {"call_count", document.integer(summary.call_count)},
                                      {"case_id", document.string(summary.case_id)},
                                      {"expected_implementation", document.string(summary.expected_implementation)},
                                      {"implementations", document.strings(summary.implementations)},
                                      {"installed_processes", document.integer(summary.installed_processes)}});
  if (summary.native_marker_present) {
    document.put(out, "native_marker_present", document.boolean(*summary.native_marker_present));
    document.put(out, "native_backend_id", document.string(kNativeBackendId));
  }
  return out;
}

void put_framework(Document& document, NodeId frameworks, std::string_view name,
                   const std::optional<readback::FrameworkSummary>& summary) {
  if (!summary) {
    return;
  }
  const NodeId modules = document.object();
  for (std::size_t i = 0; i < readback::kModules.size(); ++i) {
    document.put(modules, readback::kModules[i], module_summary(document, summary->modules[i]));
  }
  document.put(frameworks, name,
               document.object({{"modules", modules}, {"readback_count", document.integer(summary->readback_count)}}));
}

NodeId readback_section(Document& document, const ValidationResult& result) {
  const NodeId frameworks = document.object();
  put_framework(document, frameworks, "megatron/training", result.readbacks.megatron_training);
  put_framework(document, frameworks, "vllm/rollout", result.readbacks.vllm_rollout);
  const std::vector<std::string> errors = errors_of(result.findings, Section::kBackends);
  return document.object(
      {{"errors", document.strings(errors)}, {"frameworks", frameworks}, {"passed", document.boolean(errors.empty())}});
}

NodeId pcp_section(Document& document, const ValidationResult& result) {
  const std::vector<std::string> errors = errors_of(result.findings, Section::kPcp);
  const NodeId out = document.object({{"errors", document.strings(errors)},
                                      {"passed", document.boolean(errors.empty())},
                                      {"required", document.boolean(result.pcp.required)}});
  if (result.pcp.required) {
    const NodeId counts = document.array();
    for (const std::int64_t count : result.pcp.cp_rank_worker_counts) {
      document.append(counts, document.integer(count));
    }
    document.put(out, "cp_rank_worker_counts", counts);
    document.put(out, "expected_workers_per_cp_rank", document.integer(result.pcp.expected_workers_per_cp_rank));
  }
  return out;
}

NodeId scalar_row(Document& document, const readback::ScalarRow& row) {
  return document.object(
      {{"active_token_count", python_number(document, row.active_token_count)},
       {"bitwise_mismatch_count", python_number(document, row.bitwise_mismatch_count)},
       {"max_abs_dlogp", python_number(document, row.max_abs_dlogp)},
       {"mean_abs_dlogp", python_number(document, row.mean_abs_dlogp)},
       {"step", document.integer(row.step)},
       {"vime_mean_active_tokens_per_sample", python_number(document, row.vime_mean_active_tokens_per_sample)},
       {"vime_mean_mismatch_count_per_sample", python_number(document, row.vime_mean_mismatch_count_per_sample)}});
}

NodeId scalar_section(Document& document, const ValidationResult& result) {
  const std::vector<std::string> errors = errors_of(result.findings, Section::kScalars);
  const NodeId rows = document.array();
  for (const readback::ScalarRow& row : result.scalars.rows) {
    document.append(rows, scalar_row(document, row));
  }
  return document.object(
      {{"bitwise_zero", document.boolean(result.scalars.bitwise_zero)},
       {"errors", document.strings(errors)},
       {"evidence_source", document.string(kEvidenceSource)},
       {"passed", document.boolean(errors.empty())},
       {"rows", rows},
       {"total_active_token_exposure", python_number(document, result.scalars.total_active_token_exposure)}});
}

NodeId sidecar_section(Document& document, const ValidationResult& result) {
  const sidecar::SidecarSection& section = result.sidecars;
  const std::vector<std::string> errors = errors_of(result.findings, Section::kLogProbs);
  const NodeId artifacts = document.array();
  for (const std::string& name : section.artifacts) {
    document.append(artifacts, document.string(result.run_directory + "/mismatch-sidecars/" + name));
  }
  return document.object({{"artifacts", artifacts},
                          {"bitwise_equal", document.boolean(section.bitwise_equal)},
                          {"bitwise_mismatch_count", document.integer(section.bitwise_mismatch_count)},
                          {"element_count", document.integer(section.element_count)},
                          {"errors", document.strings(errors)},
                          {"max_abs_diff", document.real(section.max_abs_diff)},
                          {"mismatch_count", document.integer(section.mismatch_count)},
                          {"mismatch_k3_kl", document.real(section.mismatch_k3_kl)},
                          {"mismatch_kl", document.real(section.mismatch_kl)},
                          {"passed", document.boolean(errors.empty())},
                          {"require_exact", document.boolean(section.require_exact)},
                          {"sample_count", document.integer(section.sample_count)},
                          {"torch_equal", document.boolean(section.torch_equal)},
                          {"train_rollout_logprob_abs_diff", document.real(section.mean_abs_diff)}});
}

NodeId offline_section(Document& document, const sidecar::OfflineSection& section) {
  const bool available = section.available();
  return document.object({{"artifact_count", document.integer(section.artifact_count)},
                          {"comparable_artifact_count", document.integer(section.comparable_artifact_count)},
                          {"reason", available ? document.null() : document.string(kNoTrainingLogProbs)},
                          {"status", document.string(available ? "available" : "unavailable")}});
}

}  // namespace

Document validation_document(const ValidationResult& result) {
  Document document;
  if (result.gives_up) {
    document.set_root(document.object({{"errors", document.strings({*result.gives_up})},
                                       {"passed", document.boolean(false)},
                                       {"schema_version", document.string(kSchemaVersion)}}));
    return document;
  }
  document.set_root(document.object({{"cudagraph", cudagraph_section(document, result.cudagraph)},
                                     {"errors", document.strings(global_errors(result.findings))},
                                     {"group", document.copy(result.group)},
                                     {"offline_tensor_comparison", offline_section(document, result.offline)},
                                     {"passed", document.boolean(result.passed())},
                                     {"pcp_execution", pcp_section(document, result)},
                                     {"run_id", document.copy(result.run_id)},
                                     {"runtime_readbacks", readback_section(document, result)},
                                     {"runtime_scalar_logprob", scalar_section(document, result)},
                                     {"schema_version", document.string(kSchemaVersion)},
                                     {"train_rollout_logprob", sidecar_section(document, result)}}));
  return document;
}

}  // namespace rlverify::report
