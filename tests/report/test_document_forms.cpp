// SPDX-License-Identifier: Apache-2.0
// Forms that share a version are told apart, and the version rule: what a version of our documents promises may not go
// away or get another kind while the version stays.
#include <catch2/catch.hpp>
#include <map>

#include "report/document_forms.h"
#include "report/report_support.h"
#include "report/schema_check.h"
#include "report/schema_check_document.h"

using namespace rlverify;

namespace {

std::string form(const std::string& text) {
  const core::JsonDocument document = report::test::json(text);
  const auto found = report::form_of(document.root());
  return found ? std::string(found->schema) + ": " + std::string(found->words) : "none";
}

const std::string kVersion = R"("schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1")";

}  // namespace

TEST_CASE("the forms of validation reports are told by their keys") {
  CHECK(form("{" + kVersion + R"(, "errors": [], "passed": false})") ==
        "validation: short: the run could not be judged");
  const std::string common = "{" + kVersion + R"(, "errors": [], "passed": false, "train_rollout_logprob": {})";
  CHECK(form(common + "}").find("validation_form1: first of three") == 0);
  CHECK(form(common + R"(, "runtime_scalar_logprob": {}})").find("validation_form2: second of three") == 0);
  CHECK(form(common + R"(, "runtime_scalar_logprob": {}, "pcp_execution": {}})").find("validation: newest") == 0);
  CHECK(form(common + R"(, "pcp_execution": {}})").find("validation: newest") == 0);
}

TEST_CASE("the forms of weight audits are told by their keys") {
  CHECK(form(R"({"version": "v", "sha256": "x", "tensors": {}})") == "weight_audit: newer: all exported parameters");
  CHECK(form(R"({"version": "v", "sha256": "x", "tensor": "w"})") == "weight_audit: older: one sampled tensor");
}

TEST_CASE("other documents have one form") {
  CHECK(form("{}") == "none");
  CHECK(form("[]") == "none");
  CHECK(form(R"({"schema_version": "rlverify.findings.v1"})") == "none");
  CHECK(form(R"({"schema_version": "rlkernel.x.run.v1"})") == "none");
  CHECK(form(R"({"version": "v", "sha256": "x"})") == "none");
}

TEST_CASE("what version 1 of our documents promises is still required") {
  // A key that leaves this list, or its schema's `required`, makes the next version.
  const std::map<std::string, std::vector<std::string>> promised = {
      {"findings", {"schema_version", "verdict", "exit_code", "coverage", "findings_total", "findings", "tool"}},
      {"run_record",
       {"schema_version", "name", "status", "steps", "perf", "tokens", "token_recipe", "token_samples", "log_probs",
        "backends", "cudagraph", "gpu_attention_cases", "weights", "artifacts", "validation", "tool"}},
      {"inspection",
       {"schema_version", "file", "file_bytes", "container", "pickle_protocol", "safe", "unsafe_globals",
        "tensor_count", "tensor_bytes", "storage_count", "storage_bytes", "object_count", "shares_parts",
        "unfolded_values", "stopped", "values"}},
      {"logp_inputs",
       {"schema_version", "rank", "call_index", "tensor_parallel_size", "context_parallel_size", "temperature",
        "real_vocab_size", "padded_vocab_size", "targets", "logits_are_temperature_scaled"}},
      {"schema_check", {"schema_version", "file", "schema", "form", "valid", "violations"}},
  };
  for (const std::string& name : report::schema_names()) {
    const core::JsonDocument schema = report::test::json(report::schema_text(name));
    const core::Value version = schema.root().path({"properties", "schema_version", "const"});
    if (version.text().substr(0, 9) != "rlverify.") {
      continue;
    }
    INFO(name);
    REQUIRE(promised.count(name) == 1);
    CHECK(version.text() == "rlverify." + name + ".v1");
    std::vector<std::string> required;
    for (std::size_t i = 0; i < schema.root().get("required").size(); ++i) {
      required.emplace_back(schema.root().get("required").at(i).text());
    }
    for (const std::string& key : promised.at(name)) {
      INFO(key);
      CHECK(std::count(required.begin(), required.end(), key) == 1);
    }
  }
}

TEST_CASE("the answer of a check: form, places, and no escape sequences") {
  report::SchemaCheck check{"x.json", "validation", "newest", {}};
  CHECK(report::schema_check_text(check) == "VALID  x.json  schema validation\nform newest\n");
  check.form.clear();
  check.violations = {{"/a", "expected \x1b[31mred", "#", 3, 7}, {"", "gone", "#", 0, 0}};
  CHECK(report::schema_check_text(check) ==
        "INVALID  x.json  schema validation\nx.json:3:7: /a: expected \\x1b[31mred\nx.json: the document: gone\n");
  const report::Document document = report::schema_check_document(check);
  CHECK(document.root().get("valid").is(core::Kind::kBoolean));
  CHECK(document.root().get("form").is(core::Kind::kNull));
  CHECK(report::check_schema(document.root(), report::schema_text("schema_check")).empty());
  CHECK(document.root().get("violations").at(0).get("line").integer() == 3);
}
