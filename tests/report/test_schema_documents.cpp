// SPDX-License-Identifier: Apache-2.0
// The schemas of comparison, bundle, sealed record and log-prob prior art: a small right document, the published one
// where it is at hand, and planted faults.
#include <catch2/catch.hpp>

#include "report/planted_faults.h"
#include "report/validation_document.h"

using namespace rlverify;
using report::test::PlantedDocument;

namespace {

const std::string kDigest(64, 'a');

std::string validation_section() {
  const report::test::Filled filled = report::test::passing();
  return report::to_json(report::validation_document(filled.result).root(), report::KeyOrder::kSorted);
}

std::string record(const std::string& name) {
  return R"({"name": ")" + name +
         R"(", "status": "SUCCEEDED", "steps": {"0": {"train/loss": 0.5, "train/x": null}}, "perf": {"0": {}}, "tokens": {"0": ")" +
         kDigest + "\"}}";
}

std::string comparison() {
  return R"({"reference": "a", "comparisons": [{"name": "b", "weights": [{"version": "weight_v000001", "equal": true, "different_tensors": []},
    {"version": "weight_v000000", "equal": false, "different_tensors": ["x"]}, {"version": "weight_v000002", "equal": null, "different_tensors": []}],
    "tokens_equal": null, "norms_equal": {"0": true}}], "records": [)" +
         record("a") + ", " + record("b") + "]}";
}

std::string gpu_cases() {
  return R"({"cp": [2, 4], "interleave": [1, 8], "query_counts": [21, 3], "passed": 8, "eager_and_cuda_graph_byte_mismatches": 0})";
}

std::string run_record() {
  const std::string digest = "\"" + kDigest + "\"";
  return R"({"schema_version": "rlverify.run_record.v1", "name": "a", "status": "UNKNOWN", "steps": {}, "perf": {}, "tokens": {}, "token_recipe": "rlverify.tokens.v1",
    "token_samples": {"0": [)" +
         digest + R"(]}, "log_probs": {"0": {"samples": 1, "elements": 2, "sha256": )" + digest +
         R"(, "per_sample": [)" + digest + R"(]}},
    "backends": null, "cudagraph": null, "gpu_attention_cases": null, "weights": {"weight_v000001": {"sha256": )" +
         digest + R"(, "tensor_count": 1, "tensors": {"w": {"sha256": )" + digest +
         R"(, "shape": [2, 0], "dtype": "BF16"}}}},
    "artifacts": {"run.log": {"bytes": 3, "sha256": )" +
         digest + R"(}, "weights.safetensors": {"bytes": 3, "header_sha256": )" + digest + R"(}}, "validation": )" +
         validation_section() + R"(, "tool": {"name": "rlverify", "version": "0.1.0"}})";
}

const char* const kPriorArt =
    R"({"kind": "qwen3_next_logprob_prior_art", "rfc": null, "rl_kernel_commit": null, "tracked_tree_dirty": false,
  "environment": {"gpu": null, "torch": null, "vllm": null, "nccl": null, "cpu": "a processor"}, "third_party": [], "tokens": 1024,
  "nccl_settings": [{"NCCL_ALGO": "Ring", "NCCL_MAX_NCHANNELS": 1}],
  "candidates": {"ws2": {"tp4_equals_tp1": true, "nccl_setting_invariant": null, "batch_bitwise": true, "distinct_results_in_repeats": 1, "repeats": 10,
    "reference": "shared_logits_fp64", "max_abs_vs_fp64": 7.7e-07, "max_abs_vs": {"gather": 0.0}, "latency_us_tp4": 12.5}, "miles": {"unavailable": "no module"}}})";

void check_published(const std::string& schema, const std::string& file, const char* part) {
  const auto text = report::test::shared_file(file);
  if (!text) {
    WARN("skipped: the shared acceptance folder is not here");
    return;
  }
  const core::JsonDocument document = report::test::json(*text);
  const core::Value value = part == nullptr ? document.root() : document.root().get(part);
  CHECK(report::schema_name_of(value) == schema);
  const auto violations = report::check_schema(value, report::schema_text(schema), &document);
  INFO(report::test::words(violations));
  CHECK(violations.empty());
}

PlantedDocument planted_comparison() {
  return {"comparison",
          comparison(),
          {{"/reference", "7", "/reference", "expected a string"},
           {"/reference", "\"\"", "/reference", "expected at least 1 characters"},
           {"/comparisons", "[]", "/comparisons", "expected at least 1 items"},
           {"/comparisons/0/name", "", "/comparisons/0", "the key \"name\" is missing"},
           {"/comparisons/0/tokens_equal", "0", "/comparisons/0/tokens_equal", "expected true or false or null"},
           {"/comparisons/0/norms_equal/0", "null", "/comparisons/0/norms_equal/0", "expected true or false"},
           {"/comparisons/0/norms_equal", "[true]", "/comparisons/0/norms_equal", "expected an object"},
           {"/comparisons/0/weights/0/equal", "\"yes\"", "/comparisons/0/weights/0/equal",
            "expected true or false or null"},
           {"/comparisons/0/weights/1/equal", "true", "/comparisons/0/weights/1/different_tensors",
            "expected at most 0 items"},
           {"/comparisons/0/weights/1/different_tensors/0", "1", "/comparisons/0/weights/1/different_tensors/0",
            "expected a string"},
           {"/comparisons/0/weights/0/version", "", "/comparisons/0/weights/0", "the key \"version\" is missing"},
           {"/comparisons/0/extra", "1", "/comparisons/0/extra", "there is no key"},
           {"/records/1", "null", "/records/1", "expected an object, found null"},
           {"/records/1", "", "/records", "expected at least 2 items, found 1"},
           {"/records/0/status", "\"DONE\"", "/records/0/status", "expected one of \"SUCCEEDED\""},
           {"/records/0/tokens/0", "\"abc\"", "/records/0/tokens/0", "expected at least 64 characters, found 3"},
           {"/records/0/steps/0", "[]", "/records/0/steps/0", "expected an object"},
           {"/records/0/perf", "", "/records/0", "the key \"perf\" is missing"},
           {"/record", "[]", "/record", "did you mean \"records\"?"}}};
}

PlantedDocument planted_bundle() {
  const std::string bundle = "{\"comparison\": " + comparison() + ", \"validation\": " + validation_section() +
                             ", \"gpu_attention_cases\": " + gpu_cases() + ", \"scope\": \"Two steps.\"}";
  return {"bundle",
          bundle,
          {{"/scope", "", "", "the key \"scope\" is missing"},
           {"/scope", "null", "/scope", "expected a string, found null"},
           {"/gpu_attention_cases", "[]", "/gpu_attention_cases", "expected an object or null"},
           {"/gpu_attention_cases/cp/1", "0", "/gpu_attention_cases/cp/1", "expected at least 1"},
           {"/gpu_attention_cases/passed", "18.0", "/gpu_attention_cases/passed",
            "expected an integer, found the number 18.0"},
           {"/gpu_attention_cases/query_counts", "", "/gpu_attention_cases", "the key \"query_counts\" is missing"},
           {"/gpu_attention_cases/failed", "0", "/gpu_attention_cases/failed", "there is no key"},
           {"/comparison/records/0/name", "1", "/comparison/records/0/name", "expected a string"},
           {"/comparison/reference", "", "/comparison", "the key \"reference\" is missing"},
           {"/comparison/comparisons/0/weights", "{}", "/comparison/comparisons/0/weights", "expected an array"},
           {"/validation/passed", "0", "/validation/passed", "expected true or false, found the number 0"},
           {"/validation/cudagraph/checks", "[]", "/validation/cudagraph/checks", "expected an object"},
           {"/validation/runtime_scalar_logprob/rows/0/step", "-1", "/validation/runtime_scalar_logprob/rows/0/step",
            "expected at least 0"},
           {"/validation/train_rollout_logprob/sample_count", "true", "/validation/train_rollout_logprob/sample_count",
            "expected an integer"},
           {"/validation/runtime_readbacks/frameworks/vllm~1rollout/readback_count", "",
            "/validation/runtime_readbacks/frameworks/vllm~1rollout", "the key \"readback_count\" is missing"},
           {"/extra", "1", "/extra", "there is no key \"extra\""}}};
}

PlantedDocument planted_record() {
  return {
      "run_record",
      run_record(),
      {{"/name", "\"\"", "/name", "expected at least 1 characters"},
       {"/status", "null", "/status", "expected one of"},
       {"/steps/0", "1", "/steps/0", "expected an object"},
       {"/tokens/0", "1", "/tokens/0", "expected a string"},
       {"/token_recipe", "", "", "the key \"token_recipe\" is missing"},
       {"/token_samples/0/0", "\"ab\"", "/token_samples/0/0", "expected at least 64 characters"},
       {"/log_probs/0/elements", "-2", "/log_probs/0/elements", "expected at least 0"},
       {"/log_probs/0/per_sample", "", "/log_probs/0", "the key \"per_sample\" is missing"},
       {"/backends", "[]", "/backends", "expected an object or null"},
       {"/weights/weight_v000001/tensors/w/shape/1", "-1", "/weights/weight_v000001/tensors/w/shape/1",
        "expected at least 0"},
       {"/weights/weight_v000001/tensors/w/dtype", "", "/weights/weight_v000001/tensors/w",
        "the key \"dtype\" is missing"},
       {"/weights/weight_v000001/tensor_count", "\"1\"", "/weights/weight_v000001/tensor_count", "expected an integer"},
       {"/artifacts/run.log/sha256", "", "/artifacts/run.log", "expected at least 2 keys"},
       {"/artifacts/run.log/header_sha256", "\"" + kDigest + "\"", "/artifacts/run.log", "expected at most 2 keys"},
       {"/artifacts/run.log/bytes", "3.0", "/artifacts/run.log/bytes", "expected an integer"},
       {"/artifacts/run.log/size", "3", "/artifacts/run.log/size", "there is no key \"size\""},
       {"/validation/group", "", "/validation", "the key \"group\" is missing"},
       {"/tool/version", "1", "/tool/version", "expected a string"},
       {"/gpu_attention_cases", "0", "/gpu_attention_cases", "expected an object or null"}}};
}

PlantedDocument planted_prior_art() {
  return {
      "logp_prior_art",
      kPriorArt,
      {{"/rfc", "\"428\"", "/rfc", "expected an integer or null"},
       {"/rl_kernel_commit", "", "", "the key \"rl_kernel_commit\" is missing"},
       {"/tracked_tree_dirty", "null", "/tracked_tree_dirty", "expected true or false"},
       {"/environment/gpu", "", "/environment", "the key \"gpu\" is missing"},
       {"/environment/cuda", "null", "/environment/cuda", "there is no key \"cuda\""},
       {"/environment/cpu", "null", "/environment/cpu", "expected a string"},
       {"/environment/cpu", "", "/environment", "the key \"cpu\" is missing"},
       {"/third_party", "{}", "/third_party", "expected an array"},
       {"/tokens", "0", "/tokens", "expected at least 1"},
       {"/nccl_settings/0/NCCL_ALGO", "true", "/nccl_settings/0/NCCL_ALGO", "expected a string or an integer or null"},
       {"/nccl_settings/1", "{}", "/nccl_settings/1", "expected at least 1 keys"},
       {"/candidates", "{}", "/candidates", "expected at least 1 keys"},
       {"/candidates/ws2/repeats", "0", "/candidates/ws2/repeats", "expected at least 1"},
       {"/candidates/ws2/max_abs_vs/gather", "-1", "/candidates/ws2/max_abs_vs/gather", "expected at least 0"},
       {"/candidates/ws2/batch_bitwise", "", "/candidates/ws2", "the key \"batch_bitwise\" is missing"},
       {"/candidates/ws2/latency_us", "1", "/candidates/ws2/latency_us", "did you mean \"latency_us_tp4\"?"},
       {"/candidates/miles/unavailable", "null", "/candidates/miles/unavailable", "expected a string"},
       {"/candidates/miles/repeats", "10", "/candidates/miles/repeats", "there is no key \"repeats\""}}};
}

/// The first example of a schema as text.
std::string example(const std::string& schema) {
  const core::JsonDocument document = report::test::json(report::schema_text(schema));
  return report::to_json(document.root().get("examples").at(0), report::KeyOrder::kAsBuilt);
}

PlantedDocument planted_inspection() {
  const char* tensor =
      R"({"path": "w", "type": "tensor", "tensor": {"dtype": "torch.float32", "shape": [2], "strides": [1], "elements": 2, "bytes": 8, "data_offset": 64,
        "storage": "0", "storage_bytes": 8, "storage_offset": 0, "tensors_in_storage": 1, "parameter": false, "conjugated": false, "negated": false, "explodes": false}})";
  const core::JsonDocument right = report::test::json(example("inspection"));
  return {"inspection",
          report::test::with_fault(right, {"/values/1", tensor, "", ""}),
          {{"/schema_version", "\"rlverify.inspection.v2\"", "/schema_version", "expected \"rlverify.inspection.v1\""},
           {"/file", "null", "/file", "expected a string"},
           {"/file_bytes", "-1", "/file_bytes", "expected at least 0"},
           {"/container", "\"tar\"", "/container", "expected one of \"zip\", \"legacy\""},
           {"/pickle_protocol", "6", "/pickle_protocol", "expected at most 5"},
           {"/safe", "", "", "the key \"safe\" is missing"},
           {"/unsafe_globals", R"([{"global": "posix.system", "opcode": "GLOBAL"}])", "/unsafe_globals/0",
            "the key \"offset\" is missing"},
           {"/tensor_count", "1.0", "/tensor_count", "expected an integer"},
           {"/shares_parts", "0", "/shares_parts", "expected true or false"},
           {"/unfolded_values", "\"many\"", "/unfolded_values", "expected a number or null"},
           {"/values", "{}", "/values", "expected an array"},
           {"/values/0/type", "", "/values/0", "the key \"type\" is missing"},
           {"/values/0/contents", "\"x\"", "/values/0/contents", "did you mean \"content\"?"},
           {"/values/1/tensor/shape/0", "-2", "/values/1/tensor/shape/0", "expected at least 0"},
           {"/values/1/tensor/strides/0", "\"1\"", "/values/1/tensor/strides/0", "expected an integer"},
           {"/values/1/tensor/tensors_in_storage", "0", "/values/1/tensor/tensors_in_storage", "expected at least 1"},
           {"/values/1/tensor/values", "[0.5]", "/values/1/tensor/values/0", "expected a string"}}};
}

PlantedDocument planted_schema_check() {
  return {"schema_check",
          example("schema_check"),
          {{"/schema_version", "", "", "the key \"schema_version\" is missing"},
           {"/schema_version", "1", "/schema_version", "expected \"rlverify.schema_check.v1\""},
           {"/file", "", "", "the key \"file\" is missing"},
           {"/schema", "\"\"", "/schema", "expected at least 1 characters"},
           {"/schema", "null", "/schema", "expected a string"},
           {"/form", "2", "/form", "expected a string or null"},
           {"/form", "", "", "the key \"form\" is missing"},
           {"/valid", "\"no\"", "/valid", "expected true or false"},
           {"/valid", "true", "/violations", "expected at most 0 items"},
           {"/violations", "[]", "/violations", "expected at least 1 items"},
           {"/violations", "null", "/violations", "expected an array"},
           {"/violations/0/pointer", "", "/violations/0", "the key \"pointer\" is missing"},
           {"/violations/0/line", "-1", "/violations/0/line", "expected at least 0"},
           {"/violations/0/column", "1.5", "/violations/0/column", "expected an integer"},
           {"/violations/0/reasons", "[]", "/violations/0/reasons", "did you mean \"reason\"?"},
           {"/violations/1", "\"x\"", "/violations/1", "expected an object"}}};
}

}  // namespace

TEST_CASE("the published bundle, its comparison and the published prior art fit") {
  check_published("bundle", "seeds/000_e96fe98ef14ca88e.txt", nullptr);
  check_published("comparison", "seeds/000_e96fe98ef14ca88e.txt", "comparison");
  check_published("logp_prior_art", "seeds/003_3a316811ca39257d.txt", nullptr);
}

std::vector<PlantedDocument> report::test::planted_documents() {
  return {planted_comparison(), planted_bundle(),     planted_record(),
          planted_prior_art(),  planted_inspection(), planted_schema_check()};
}
