// SPDX-License-Identifier: Apache-2.0
// schemas/validation.schema.json and findings.schema.json: what our builders write fits, and wrong documents are
// refused at the right place.
#include <catch2/catch.hpp>

#include "report/planted_faults.h"
#include "report/validation_document.h"

using namespace rlverify;
using report::test::PlantedDocument;

namespace {

std::string validation_text_of(const report::ValidationResult& result) {
  return report::to_json(report::validation_document(result).root(), report::KeyOrder::kSorted);
}

PlantedDocument planted_passing() {
  const report::test::Filled filled = report::test::passing();
  return {
      "validation",
      validation_text_of(filled.result),
      {{"/passed", "\"yes\"", "/passed", "expected true or false, found the string \"yes\""},
       {"/passed", "", "", "the key \"passed\" is missing"},
       {"/errors", "{}", "/errors", "expected an array, found an empty object"},
       {"/errors", "[1]", "/errors/0", "expected a string, found the number 1"},
       {"/errors", "[\"a fault\"]", "/errors", "expected at most 0 items, found 1"},
       {"/cudagraph", "", "", "the key \"cudagraph\" is missing"},
       {"/group", "", "", "the key \"group\" is missing"},
       {"/cudagraph/checks/not_eager", "", "/cudagraph/checks", "the key \"not_eager\" is missing"},
       {"/cudagraph/checks/not_eager", "1", "/cudagraph/checks/not_eager",
        "expected true or false, found the number 1"},
       {"/cudagraph/checks/not_eager", "false", "/cudagraph/checks/not_eager", "expected true, found false"},
       {"/cudagraph/check", "{}", "/cudagraph/check", "did you mean \"checks\"?"},
       {"/run_idd", "1", "/run_idd", "there is no key \"run_idd\" here; did you mean \"run_id\"?"},
       {"/schema_version", "\"rlkernel.other.validation.v1\"", "/schema_version",
        "expected \"rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1\""},
       {"/offline_tensor_comparison/status", "\"maybe\"", "/offline_tensor_comparison/status",
        "expected one of \"available\", \"unavailable\""},
       {"/offline_tensor_comparison/reason", "\"x\"", "/offline_tensor_comparison/reason", "expected null"},
       {"/offline_tensor_comparison/artifact_count", "-1", "/offline_tensor_comparison/artifact_count", "found -1"},
       {"/offline_tensor_comparison/artifact_count", "16.0", "/offline_tensor_comparison/artifact_count",
        "expected an integer, found the number 16.0"},
       {"/pcp_execution/cp_rank_worker_counts", "", "/pcp_execution", "the key \"cp_rank_worker_counts\" is missing"},
       {"/pcp_execution/required", "false", "/pcp_execution", "expected at most 3 keys, found 5"},
       {"/pcp_execution/passed", "false", "/pcp_execution/errors", "expected at least 1 items, found 0"},
       {"/pcp_execution/cp_rank_worker_counts/1", "-4", "/pcp_execution/cp_rank_worker_counts/1",
        "expected at least 0, found -4"},
       {"/runtime_readbacks/frameworks/megatron~1train", "{}", "/runtime_readbacks/frameworks/megatron~1train",
        "there is no key \"megatron/train\""},
       {"/runtime_readbacks/frameworks/vllm~1rollout/modules/ffn", "",
        "/runtime_readbacks/frameworks/vllm~1rollout/modules", "the key \"ffn\" is missing"},
       {"/runtime_readbacks/frameworks/vllm~1rollout/modules/ffn/call_count", "\"8\"",
        "/runtime_readbacks/frameworks/vllm~1rollout/modules/ffn/call_count",
        "expected an integer, found the string \"8\""},
       {"/runtime_readbacks/frameworks/vllm~1rollout/modules/ffn/native_marker_present", "true",
        "/runtime_readbacks/frameworks/vllm~1rollout/modules/ffn", "the key \"native_backend_id\" is missing"},
       {"/runtime_scalar_logprob/rows/1/step", "1.5", "/runtime_scalar_logprob/rows/1/step",
        "expected an integer, found the number 1.5"},
       {"/runtime_scalar_logprob/rows/0/max_abs_dlogp", "\"nan\"", "/runtime_scalar_logprob/rows/0/max_abs_dlogp",
        "expected a number or null"},
       {"/runtime_scalar_logprob/evidence_source", "\"mine\"", "/runtime_scalar_logprob/evidence_source",
        "found the string \"mine\""},
       {"/train_rollout_logprob/artifacts/3", "null", "/train_rollout_logprob/artifacts/3",
        "expected a string, found null"},
       {"/train_rollout_logprob/max_abs_diff", "-0.5", "/train_rollout_logprob/max_abs_diff",
        "expected at least 0, found -0.5"},
       {"/train_rollout_logprob/passed", "false", "/train_rollout_logprob/passed", "expected true, found false"}}};
}

PlantedDocument planted_short() {
  report::ValidationResult result;
  result.gives_up = "ValueError: no readbacks";
  return {"validation",
          validation_text_of(result),
          {{"/errors", "[]", "/errors", "expected at least 1 items, found 0"},
           {"/passed", "true", "/passed", "expected false, found true"},
           {"/errors", "", "", "the key \"errors\" is missing"},
           {"/group", "\"x\"", "", "the key \"cudagraph\" is missing"}}};
}

PlantedDocument planted_findings() {
  const report::test::Filled filled = report::test::failing();
  const report::Document document = report::findings_document(filled.result, "0.1.0");
  return {"findings",
          report::to_json(document.root(), report::KeyOrder::kAsBuilt),
          {{"/verdict", "\"ok\"", "/verdict", "expected one of \"passed\", \"failed\", \"not_judged\""},
           {"/verdict", "\"passed\"", "/exit_code", "expected 0, found the number 1"},
           {"/exit_code", "2", "/exit_code", "expected one of"},
           {"/exit_code", "\"1\"", "/exit_code", "expected one of"},
           {"/coverage/log/files", "-1", "/coverage/log/files", "expected at least 0"},
           {"/coverage/log/byte", "1", "/coverage/log/byte", "did you mean \"bytes\"?"},
           {"/coverage/log/bytes", "", "/coverage/log", "the key \"bytes\" is missing"},
           {"/coverage/logs", "{}", "/coverage/logs", "did you mean \"log\"?"},
           {"/findings", "null", "/findings", "expected an array, found null"},
           {"/findings/0/severity", "\"fatal\"", "/findings/0/severity",
            "expected one of \"error\", \"warning\", \"note\""},
           {"/findings/0/code", "\"RLV-1\"", "/findings/0/code", "expected at least 7 characters, found 5"},
           {"/findings/0/count", "0", "/findings/0/count", "expected at least 1, found 0"},
           {"/findings/0/place/line", "0", "/findings/0/place/line", "expected at least 1, found 0"},
           {"/findings/0/place/row", "0", "/findings/0/place/row", "there is no key \"row\""},
           {"/findings/0/hint", "\"\"", "/findings/0/hint", "expected at least 1 characters"},
           {"/findings/0/section", "\"logs\"", "/findings/0/section", "expected one of"},
           {"/findings/1", "[]", "/findings/1", "expected an object, found an empty array"},
           {"/findings_total", "", "", "the key \"findings_total\" is missing"},
           {"/tool/name", "\"other\"", "/tool/name", "expected \"rlverify\""},
           {"/checks/0/verdict", "true", "/checks/0/verdict", "expected one of"}}};
}

/// The passing document as the validators before the newest one wrote it.
std::string second_form() {
  const core::JsonDocument newest = report::test::json(validation_text_of(report::test::passing().result));
  return report::test::with_fault(newest, {"/pcp_execution", "", "", ""});
}

std::string first_form() {
  const core::JsonDocument second = report::test::json(second_form());
  const std::string scalars = report::to_json(second.root().get("runtime_scalar_logprob"), report::KeyOrder::kAsBuilt);
  const core::JsonDocument renamed =
      report::test::json(report::test::with_fault(second, {"/train_rollout_logprob", scalars, "", ""}));
  return report::test::with_fault(renamed, {"/runtime_scalar_logprob", "", "", ""});
}

PlantedDocument planted_second_form() {
  return {
      "validation_form2",
      second_form(),
      {{"/pcp_execution", "{}", "/pcp_execution", "there is no key \"pcp_execution\""},
       {"/schema_version", "null", "/schema_version", "expected \"rlkernel."},
       {"/passed", "null", "/passed", "expected true or false"},
       {"/errors", "[\"a fault\"]", "/errors", "expected at most 0 items"},
       {"/cudagraph", "[]", "/cudagraph", "expected an object"},
       {"/cudagraph/checks/not_eager", "false", "/cudagraph/checks/not_eager", "expected true, found false"},
       {"/group", "", "", "the key \"group\" is missing"},
       {"/offline_tensor_comparison/artifact_count", "0", "/offline_tensor_comparison/artifact_count",
        "expected at least 1"},
       {"/runtime_readbacks/frameworks/megatron~1training/readback_count", "\"8\"",
        "/runtime_readbacks/frameworks/megatron~1training/readback_count", "expected an integer"},
       {"/runtime_readbacks/errors", "[\"x\"]", "/runtime_readbacks/errors", "expected at most 0 items"},
       {"/runtime_scalar_logprob/rows", "{}", "/runtime_scalar_logprob/rows", "expected an array"},
       {"/runtime_scalar_logprob/rows/0/step", "true", "/runtime_scalar_logprob/rows/0/step", "expected an integer"},
       {"/runtime_scalar_logprob/evidence_source", "\"\"", "/runtime_scalar_logprob/evidence_source",
        "expected at least 1 characters"},
       {"/train_rollout_logprob/artifacts", "", "/train_rollout_logprob", "the key \"artifacts\" is missing"},
       {"/train_rollout_logprob/element_count", "8192.0", "/train_rollout_logprob/element_count",
        "expected an integer, found the number 8192.0"},
       {"/train_rollout_logprob/passed", "false", "/train_rollout_logprob/passed", "expected true, found false"}}};
}

PlantedDocument planted_first_form() {
  return {
      "validation_form1",
      first_form(),
      {{"/runtime_scalar_logprob", "{}", "/runtime_scalar_logprob", "there is no key \"runtime_scalar_logprob\""},
       {"/schema_version", "\"x\"", "/schema_version", "expected \"rlkernel."},
       {"/passed", "1", "/passed", "expected true or false"},
       {"/errors/0", "7", "/errors/0", "expected a string"},
       {"/run_id", "", "", "the key \"run_id\" is missing"},
       {"/cudagraph/passed", "", "/cudagraph", "the key \"passed\" is missing"},
       {"/cudagraph/checks", "{}", "/cudagraph/checks", "the key \"capture_sizes\" is missing"},
       {"/offline_tensor_comparison/status", "\"\"", "/offline_tensor_comparison/status", "expected one of"},
       {"/runtime_readbacks/frameworks", "[]", "/runtime_readbacks/frameworks", "expected an object"},
       {"/runtime_readbacks/frameworks/vllm~1rollout/modules/logp", "",
        "/runtime_readbacks/frameworks/vllm~1rollout/modules", "the key \"logp\" is missing"},
       {"/runtime_readbacks/passed", "false", "/runtime_readbacks/errors", "expected at least 1 items"},
       {"/train_rollout_logprob", "null", "/train_rollout_logprob", "expected an object, found null"},
       {"/train_rollout_logprob/rows/1", "[]", "/train_rollout_logprob/rows/1", "expected an object"},
       {"/train_rollout_logprob/rows/0/max_abs_dlogp", "\"0\"", "/train_rollout_logprob/rows/0/max_abs_dlogp",
        "expected a number or null"},
       {"/train_rollout_logprob/bitwise_zero", "0", "/train_rollout_logprob/bitwise_zero", "expected true or false"},
       {"/train_rollout_logprob/total_active_token_exposure", "", "/train_rollout_logprob",
        "the key \"total_active_token_exposure\" is missing"}}};
}

}  // namespace

TEST_CASE("validation documents: failing runs and the short form fit") {
  for (const bool short_form : {false, true}) {
    report::test::Filled filled = report::test::failing();
    if (short_form) {
      filled.result.gives_up = "ValueError: no readbacks";
    }
    const report::Document document = report::validation_document(filled.result);
    const auto violations = report::check_schema(document.root(), report::schema_text("validation"));
    INFO(report::test::words(violations));
    CHECK(violations.empty());
  }
}

TEST_CASE("the published validation section fits") {
  const auto seed = report::test::shared_file("seeds/000_e96fe98ef14ca88e.txt");
  if (!seed) {
    WARN("skipped: the shared acceptance folder is not here");
    return;
  }
  const core::JsonDocument document = report::test::json(*seed);
  const auto violations = report::check_schema(document.root().get("validation"), report::schema_text("validation"));
  INFO(report::test::words(violations));
  CHECK(violations.empty());
}

TEST_CASE("findings documents: what we write fits") {
  report::test::Filled passed = report::test::passing();
  report::test::Filled failed = report::test::failing();
  report::test::Filled unjudged = report::test::failing();
  unjudged.result.gives_up = "ValueError: no readbacks";
  for (const report::ValidationResult* result : {&passed.result, &failed.result, &unjudged.result}) {
    const report::Document document = report::findings_document(*result, "0.1.0");
    const auto violations = report::check_schema(document.root(), report::schema_text("findings"));
    INFO(report::test::words(violations));
    CHECK(violations.empty());
  }
}

std::vector<PlantedDocument> report::test::planted_validations() {
  return {planted_passing(), planted_short(), planted_findings(), planted_second_form(), planted_first_form()};
}
