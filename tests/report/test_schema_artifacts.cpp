// SPDX-License-Identifier: Apache-2.0
// The schemas of what a run consists of: the small run of the tests fits, payloads are decoded as the schemas describe
// them, and planted faults (the right documents are the schemas' own examples).
#include <catch2/catch.hpp>

#include "report/payload_document.h"
#include "report/planted_faults.h"
#include "support/test_run.h"

using namespace rlverify;
using report::test::PlantedDocument;
using rlverify::test::PtValue;

namespace {

std::string example(const std::string& schema, std::size_t index = 0) {
  const core::JsonDocument document = report::test::json(report::schema_text(schema));
  return report::to_json(document.root().get("examples").at(index), report::KeyOrder::kAsBuilt);
}

PlantedDocument planted_manifest() {
  return {
      "manifest",
      example("manifest"),
      {{"/schema_version", "\"rlkernel.other.run.v1\"", "/schema_version", "expected \"rlkernel.vime"},
       {"/run_id", "", "", "the key \"run_id\" is missing"},
       {"/status", "\"done\"", "/status", "expected one of \"planned\""},
       {"/submission/returncode", "\"0\"", "/submission/returncode", "expected an integer, found the string"},
       {"/submission", "{}", "/submission", "the key \"returncode\" is missing"},
       {"/arm", "[]", "/arm", "expected an object"},
       {"/arm/logp_case", "\"R\"", "/arm/logp_case", "expected one of \"P/P\""},
       {"/arm/framework_use_rollout_logprobs", "0", "/arm/framework_use_rollout_logprobs", "expected true or false"},
       {"/num_rollout", "2.0", "/num_rollout", "expected an integer, found the number 2.0"},
       {"/num_rollout", "0", "/num_rollout", "expected at least 1"},
       {"/batching/global_batch_size", "", "/batching", "the key \"global_batch_size\" is missing"},
       {"/topology/tp", "true", "/topology/tp", "expected an integer, found true"},
       {"/topology/tpp", "1", "/topology/tpp", "there is no key \"tpp\" here; did you mean \"pp\" or \"tp\"?"},
       {"/topology/evidence_level", "null", "/topology/evidence_level", "expected one of"},
       {"/algorithm/advantage_estimator", "\"\"", "/algorithm/advantage_estimator", "at least 1 characters"},
       {"/train_command/1", "8", "/train_command/1", "expected a string, found the number 8"},
       {"/training_memory/recompute_modules", "[]", "/training_memory/recompute_modules", "there is no key"},
       {"/vllm_execution/capture_sizes/3", "0", "/vllm_execution/capture_sizes/3", "expected at least 1"},
       {"/vllm_execution/enforce_eager", "\"false\"", "/vllm_execution/enforce_eager", "expected true or false"},
       {"/sampling", R"({"top_p": 0})", "/sampling/top_p", "expected more than 0"},
       {"/prompt_data_sha256", "\"ab\"", "/prompt_data_sha256", "expected at least 64 characters"}}};
}

PlantedDocument planted_readback() {
  const std::string record = "/operators/ffn";
  return {"readback",
          example("readback"),
          {{"/framework", "\"\"", "/framework", "expected at least 1 characters"},
           {"/plan", "", "", "the key \"plan\" is missing"},
           {"/plan/cases/logp/module", "", "/plan/cases/logp", "the key \"module\" is missing"},
           {"/plan/cases/ffn/case_id", "\"R/X\"", "/plan/cases/ffn/case_id", "expected one of"},
           {"/installed_hooks/ffn", "null", "/installed_hooks/ffn", "expected a string, found null"},
           {"/installed_hooks/fnn", "\"x\"", "/installed_hooks/fnn", "did you mean \"ffn\"?"},
           {"/fallbacks/0", "\"ffn\"", "/fallbacks/0", "expected an object"},
           {"/fallbacks", R"([{"module": "ffn"}])", "/fallbacks/0", "the key \"reason\" is missing"},
           {"/profile_calls/ffn", "-1", "/profile_calls/ffn", "expected at least 0"},
           {"/operators", "[]", "/operators", "expected an object"},
           {record + "/call_count", "288.0", record + "/call_count", "expected an integer, found the number 288.0"},
           {record + "/implementation", "\"triton\"", record + "/implementation", "expected one of \"production\""},
           {record + "/execution_mode", "\"graph\"", record + "/execution_mode", "expected one of \"eager\""},
           {record + "/backend_id", "", record, "the key \"backend_id\" is missing"},
           {record + "/provenance", "\"cuda\"", record + "/provenance", "expected an object"},
           {record + "/provenance/fallback", "\"false\"", record + "/provenance/fallback", "expected true or false"},
           {record + "/provenance/execution/tp_rank", "-1", record + "/provenance/execution/tp_rank",
            "expected at least 0"},
           {record + "/module", "\"moe\"", record + "/module", "expected one of \"attention\""}}};
}

PlantedDocument planted_audit() {
  const std::string tensor = "/tensors/lm_head.weight";
  return {"weight_audit",
          example("weight_audit"),
          {{"/version", "1", "/version", "expected a string, found the number 1"},
           {"/version", "", "", "the key \"version\" is missing"},
           {"/scope", "\"some\"", "/scope", "expected \"all_exported_parameters\""},
           {"/scope", "", "", "the key \"scope\" is missing"},
           {"/sha256", "\"17ff\"", "/sha256", "expected at least 64 characters, found 4"},
           {"/tensor_count", "\"2\"", "/tensor_count", "expected an integer"},
           {"/tensor_count", "0", "/tensor_count", "expected at least 1"},
           {"/tensors", "{}", "/tensors", "expected at least 1 keys"},
           {"/tensors", "[]", "/tensors", "expected an object"},
           {"/tensors", "", "", "the key \"tensors\" is missing"},
           {"/tensor_names", "[]", "/tensor_names", "there is no key \"tensor_names\""},
           {tensor, "null", tensor, "expected an object"},
           {tensor + "/shape/0", "-1", tensor + "/shape/0", "expected at least 0"},
           {tensor + "/shape", "\"[1, 2]\"", tensor + "/shape", "expected an array"},
           {tensor + "/dtype", "", tensor, "the key \"dtype\" is missing"},
           {tensor + "/sha256", "null", tensor + "/sha256", "expected a string"},
           {tensor + "/bytes", "8", tensor + "/bytes", "there is no key \"bytes\""}}};
}

PlantedDocument planted_old_audit() {
  return {"weight_audit",
          example("weight_audit", 1),
          {{"/sha256", "", "", "the key \"sha256\" is missing"},
           {"/shape/0", "2.5", "/shape/0", "expected an integer"},
           {"/dtype", "16", "/dtype", "expected a string"},
           {"/tensor", "\"\"", "/tensor", "expected at least 1 characters"},
           {"/scope", "\"all_exported_parameters\"", "/scope", "there is no key \"scope\""}}};
}

PlantedDocument planted_sidecar() {
  return {"sidecar",
          example("sidecar"),
          {{"/schema_version", "\"v1\"", "/schema_version", "expected \"rlkernel.vime_rocm_attention"},
           {"/rank", "true", "/rank", "expected an integer, found true"},
           {"/rank", "-1", "/rank", "expected at least 0"},
           {"/call_index", R"({"dtype": "torch.float32", "shape": []})", "/call_index/dtype", "expected one of"},
           {"/call_index", R"({"dtype": "torch.int64", "shape": [1]})", "/call_index/shape", "at most 0 items"},
           {"/tensor_parallel_size", "0", "/tensor_parallel_size", "expected at least 1"},
           {"/context_parallel_size", "", "", "the key \"context_parallel_size\" is missing"},
           {"/train_log_probs", R"({"dtype": "torch.float32", "shape": [2]})", "/train_log_probs",
            "expected an array, found an object"},
           {"/train_log_probs/0/dtype", "\"torch.int64\"", "/train_log_probs/0/dtype", "expected one of"},
           {"/rollout_log_probs/0", "[-0.5, \"nan\"]", "/rollout_log_probs/0/1", "expected a number or null"},
           {"/rollout_log_probs/0", "null", "/rollout_log_probs/0", "expected an array, found null"},
           {"/loss_masks/0/shape/0", "-3", "/loss_masks/0/shape/0", "expected at least 0"},
           {"/loss_masks/0/shape", "", "/loss_masks/0", "the key \"shape\" is missing"},
           {"/loss_masks", "", "", "the key \"loss_masks\" is missing"},
           {"/total_lengths/0", "650.0", "/total_lengths/0", "expected an integer"},
           {"/response_lengths/0", "0", "/response_lengths/0", "expected at least 1"},
           {"/response_lengths/0", "false", "/response_lengths/0", "expected an integer, found false"}}};
}

PlantedDocument planted_logp_inputs() {
  return {
      "logp_inputs",
      example("logp_inputs"),
      {{"/schema_version", "\"rlverify.logp_inputs.v2\"", "/schema_version", "expected \"rlverify.logp_inputs.v1\""},
       {"/rank", "\"0\"", "/rank", "expected an integer"},
       {"/call_index", "", "", "the key \"call_index\" is missing"},
       {"/tensor_parallel_size", "0", "/tensor_parallel_size", "expected at least 1"},
       {"/context_parallel_size", "1.0", "/context_parallel_size", "expected an integer"},
       {"/temperature", "-0.5", "/temperature", "expected at least 0"},
       {"/temperature", "null", "/temperature", "expected a number"},
       {"/real_vocab_size", "true", "/real_vocab_size", "expected an integer"},
       {"/padded_vocab_size", "", "", "the key \"padded_vocab_size\" is missing"},
       {"/targets", "[]", "/targets", "expected at least 1 items"},
       {"/targets/0/dtype", "\"torch.float32\"", "/targets/0/dtype", "expected one of"},
       {"/targets/0", "[1, -1]", "/targets/0/1", "expected at least 0"},
       {"/logits", "", "", "the key \"logits\" is missing"},
       {"/logits/0/shape", "[512]", "/logits/0/shape", "expected at least 2 items"},
       {"/logits/0/dtype", "\"torch.float64\"", "/logits/0/dtype", "expected one of \"torch.bfloat16\""},
       {"/hidden", R"([{"dtype": "torch.bfloat16", "shape": [512, 4096]}])", "/logits", "expected null"},
       {"/logits_are_temperature_scaled", "0", "/logits_are_temperature_scaled", "expected true or false"},
       {"/train_log_probs", R"([{"dtype": "torch.bool", "shape": [512]}])", "/train_log_probs/0/dtype",
        "expected one of"}}};
}

void check_payload(const PtValue& payload, const std::string& schema) {
  const std::string bytes = rlverify::test::write_pt(payload);
  const tensor::PtFile file = tensor::read_pt(core::MemorySource("x.pt", bytes));
  const report::Document document = report::payload_document(file);
  CHECK(report::schema_name_of(document.root()) == schema);
  CHECK(report::test::words(report::check_schema(document.root(), report::schema_text(schema))) == "");
}

}  // namespace

std::vector<PlantedDocument> report::test::planted_artifacts() {
  return {planted_manifest(),  planted_readback(), planted_audit(),
          planted_old_audit(), planted_sidecar(),  planted_logp_inputs()};
}

TEST_CASE("the files of a run that passes fit their schemas") {
  const rlverify::test::TestRun run = rlverify::test::passing_run();
  std::size_t checked = 0;
  for (const auto& [path, text] : run.files) {
    if (path.size() < 5 || path.substr(path.size() - 5) != ".json") {
      continue;
    }
    INFO(path);
    const core::JsonDocument document = report::test::json(text);
    const std::string schema = path == "manifest.json"         ? "manifest"
                               : path.rfind("readbacks/") == 0 ? "readback"
                                                               : "weight_audit";
    CHECK(report::schema_name_of(document.root()) == schema);
    CHECK(report::test::words(report::check_schema(document.root(), report::schema_text(schema))) == "");
    ++checked;
  }
  CHECK(checked == 1 + 2 * rlverify::test::kRanks + rlverify::test::kRounds + 1);
}

TEST_CASE("a payload is decoded as its schema describes it") {
  check_payload(rlverify::test::sidecar_payload(5, 1), "sidecar");
  PtValue lists = rlverify::test::sidecar_payload(0, 0);
  lists["train_log_probs"].at(0) = PtValue::List{PtValue(-0.5), PtValue(-1.5)};
  lists["loss_masks"].at(0) = PtValue::List{PtValue(1), PtValue(true)};
  lists["anything"] = PtValue::List{PtValue(PtValue::List{PtValue(PtValue::List{PtValue(PtValue::List{})})})};
  check_payload(lists, "sidecar");
}

TEST_CASE("a payload with a fault is told by pointer") {
  PtValue payload = rlverify::test::sidecar_payload(0, 0);
  payload["response_lengths"].at(1) = PtValue(true);
  payload.erase("loss_masks");
  const std::string bytes = rlverify::test::write_pt(payload);
  const tensor::PtFile file = tensor::read_pt(core::MemorySource("x.pt", bytes));
  const report::Document document = report::payload_document(file);
  const auto violations = report::check_schema(document.root(), report::schema_text("sidecar"));
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].reason == "the key \"loss_masks\" is missing");
  CHECK(violations[0].line == 0);
  CHECK(violations[1].pointer == "/response_lengths/1");
}
