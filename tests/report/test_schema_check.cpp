// SPDX-License-Identifier: Apache-2.0
// The check itself: places, order, alternatives, and which schemas are refused.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/errors.h"
#include "report/planted_faults.h"
#include "report/schema_check.h"

using namespace rlverify;
using report::check_schema;

namespace {

/// "POINTER: reason" of each violation.
std::vector<std::string> faults(std::string_view schema, std::string_view text) {
  const core::JsonDocument document = report::test::json(text);
  std::vector<std::string> out;
  for (const report::SchemaViolation& violation : check_schema(document.root(), schema, &document)) {
    out.push_back(violation.pointer + ": " + violation.reason);
  }
  return out;
}

using List = std::vector<std::string>;

std::string refusal(std::string_view schema) {
  try {
    static_cast<void>(faults(schema, "1"));
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("line and column are those of the offending value") {
  const core::JsonDocument document = report::test::json("{\n  \"a\": [1,\n    \"x\"]\n}");
  const auto violations =
      check_schema(document.root(), R"({"properties": {"a": {"items": {"type": "integer"}}}})", &document);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].pointer == "/a/1");
  CHECK(violations[0].line == 3);
  CHECK(violations[0].column == 5);
  CHECK(violations[0].keyword_path == "#/properties/a/items/type");
  CHECK(check_schema(document.root(), R"({"type": "array"})").at(0).line == 0);
}

TEST_CASE("violations come in document order, each once") {
  CHECK(
      faults(
          R"({"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["c"], "allOf": [{"properties": {"a": {"type": "null"}}}]})",
          R"({"b": 1, "a": 2})") == List{": the key \"c\" is missing", "/b: expected null, found the number 1",
                                         "/a: expected null, found the number 2"});
}

TEST_CASE("each keyword has a passing and a failing value") {
  struct Row {
    const char* schema;
    const char* good;
    const char* bad;
    const char* reason;
  };
  const Row rows[] = {
      {R"({"type": "integer"})", "5", "5.0", ": expected an integer, found the number 5.0"},
      {R"({"type": "integer"})", "123456789012345678901234567890", "true", ": expected an integer, found true"},
      {R"({"type": ["array", "null"]})", "[]", "\"\"", ": expected an array or null, found the string \"\""},
      {R"({"type": ["array", "null"]})", "null", "{}", ": expected an array or null, found an empty object"},
      {R"({"type": "number"})", "1", "\"1\"", ": expected a number, found the string \"1\""},
      {R"({"const": 1})", "1", "true", ": expected 1, found true"},
      {R"({"enum": ["a", null]})", "null", "\"b\"", ": expected one of \"a\", null, found the string \"b\""},
      {R"({"minimum": 1})", "1", "0", ": expected at least 1, found 0"},
      {R"({"maximum": 1.5})", "1.5", "2", ": expected at most 1.5, found 2"},
      {R"({"exclusiveMinimum": 0})", "0.1", "0", ": expected more than 0, found 0"},
      {R"({"exclusiveMaximum": 0})", "-123456789012345678901234567890", "0", ": expected less than 0, found 0"},
      {R"({"minLength": 2})", "\"\u00e4\u00e4\"", "\"\u00e4\"", ": expected at least 2 characters, found 1"},
      {R"({"maxLength": 1})", "\"\u00e4\"", "\"ab\"", ": expected at most 1 characters, found 2"},
      {R"({"minItems": 1})", "[1]", "[]", ": expected at least 1 items, found 0"},
      {R"({"maxItems": 1})", "[1]", "[1, 2]", ": expected at most 1 items, found 2"},
      {R"({"minProperties": 1})", "{\"a\": 1}", "{}", ": expected at least 1 keys, found 0"},
      {R"({"maxProperties": 0})", "{}", "{\"a\": 1}", ": expected at most 0 keys, found 1"},
      {R"({"required": ["a"]})", "{\"a\": 1}", "{\"b\": 1}", ": the key \"a\" is missing"},
      {R"({"additionalProperties": {"type": "null"}})", "{\"a\": null}", "{\"a/b\": 1}",
       "/a~1b: expected null, found the number 1"},
      {R"({"additionalProperties": false})", "{}", "{\"a\": 1}", "/a: there is no key \"a\" here"},
      {R"({"not": {"type": "null"}})", "1", "null", ": this is not allowed here: null"},
      {R"({"if": {"minimum": 5}, "then": {"maximum": 6}, "else": {"minimum": 1}})", "6", "7",
       ": expected at most 6, found 7"},
      {R"({"if": {"minimum": 5}, "then": {"maximum": 6}, "else": {"minimum": 1}})", "1", "0",
       ": expected at least 1, found 0"},
      {R"({"definitions": {"n": {"type": "null"}}, "items": {"$ref": "#/definitions/n"}})", "[null]", "[1]",
       "/0: expected null, found the number 1"},
  };
  for (const Row& row : rows) {
    INFO(row.schema << " " << row.bad);
    CHECK(faults(row.schema, row.good).empty());
    CHECK(faults(row.schema, row.bad) == List{row.reason});
  }
}

TEST_CASE("of several forms the one that fits best is explained") {
  const char* schema =
      R"({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"items": {"type": "null"}}}}]})";
  CHECK(faults(schema, R"({"a": [null, 1]})") == List{"/a/1: expected null, found the number 1"});
  CHECK(faults(schema, "1") == List{": fits none of the allowed forms: expected a string, found the number 1; or "
                                    "expected an object, found the number 1"});
  CHECK(faults(R"({"oneOf": [{"minimum": 1}, {"maximum": 5}, {"minimum": 9}]})", "3") ==
        List{": fits 2 of the allowed forms (numbers 1, 2), only one may fit"});
  CHECK(faults(R"({"oneOf": [{"minimum": 1}, {"type": "string"}]})", "3").empty());
}

TEST_CASE("long evidence is named by its size") {
  const std::string reason = faults(R"({"type": "null"})", "\"" + std::string(50'000, 'x') + "\"").at(0);
  CHECK(reason.find("a string of 50000 bytes") != std::string::npos);
  CHECK(reason.size() < 200);
  std::string odd = "x";
  for (int i = 0; i < 100; ++i) {
    odd += "\xC3\xA4";
  }
  CHECK(faults(R"({"type": "null"})", "\"" + odd + "\"").at(0) ==
        ": expected null, found a string of 201 bytes that begins \"" + odd.substr(0, 79) + "\"");
}

TEST_CASE("a document with a million faults is answered in words, not in megabytes") {
  std::string text = "[0";
  for (int i = 0; i < 100'000; ++i) {
    text += ",0";
  }
  const List list = faults(R"({"items": {"type": "null"}})", text + "]");
  CHECK(list.size() == 1000);
  CHECK(list.back().find("the check stops after 1000 faults") != std::string::npos);
}

TEST_CASE("schemas that we don't take are refused with the place") {
  CHECK(refusal("{").find("the schema") != std::string::npos);
  CHECK(refusal("[]") == "the schema can't be used: #: a schema is an object here");
  CHECK(refusal(R"({"$schema": "http://json-schema.org/draft-04/schema#"})").find("is not draft-07") !=
        std::string::npos);
  CHECK(refusal(R"({"properties": {"a": {"pattern": "x"}}})")
            .find("#/properties/a/pattern: the keyword \"pattern\" is not supported") != std::string::npos);
  CHECK(refusal(R"({"proprties": {}})").find("did you mean \"properties\"?") != std::string::npos);
  CHECK(refusal(R"({"type": "int"})").find("there is no type \"int\"") != std::string::npos);
  CHECK(refusal(R"({"required": "a"})").find("needs a list of strings") != std::string::npos);
  CHECK(refusal(R"({"minItems": -1})").find("needs an integer from 0") != std::string::npos);
  CHECK(refusal(R"({"$ref": "#/definitions/x"})").find("names no definition") != std::string::npos);
  CHECK(refusal(R"({"$ref": "http://example.org/x"})").find("names no definition") != std::string::npos);
  CHECK(refusal(R"({"definitions": {"a": {}}, "$ref": "#/definitions/a"})").find("beside \"$ref\" would be ignored") !=
        std::string::npos);
  CHECK(refusal(R"({"definitions": {"a": {"allOf": [{"$ref": "#/definitions/a"}]}}})").find("refers to itself") !=
        std::string::npos);
  CHECK(
      refusal(
          R"({"definitions": {"a": {"items": {"$ref": "#/definitions/a"}}}, "items": {"$ref": "#/definitions/a"}})") ==
      "taken");
  std::string deep = "1";
  for (int i = 0; i < 90; ++i) {
    deep = "{\"items\": " + deep + "}";
  }
  CHECK(refusal(deep).find("nested") != std::string::npos);
}

TEST_CASE("each embedded schema is one that we take and no array fits it") {
  const List names = report::schema_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const char* name :
       {"bundle", "comparison", "findings", "inspection", "logp_inputs", "logp_prior_art", "manifest", "readback",
        "run_record", "schema_check", "sidecar", "validation", "weight_audit"}) {
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
  for (const std::string& name : names) {
    INFO(name);
    CHECK_FALSE(faults(report::schema_text(name), "[]").empty());
  }
}

TEST_CASE("an unknown schema name is answered with the nearest") {
  CHECK_THROWS_WITH(report::schema_text("validaton"), "there is no schema \"validaton\"; did you mean \"validation\"?");
  CHECK_THROWS_WITH(report::schema_text("x"), Catch::Matchers::Contains("the schemas are bundle, "));
}

TEST_CASE("a document says which schema it follows") {
  const auto name = [](std::string_view text) {
    const core::JsonDocument document = report::test::json(text);
    return report::schema_name_of(document.root());
  };
  CHECK(name(R"({"schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1"})") == "validation");
  CHECK(name(R"({"schema_version": "rlverify.findings.v1"})") == "findings");
  CHECK(name(R"({"schema_version": "rlverify.run_record.v1", "validation": {}})") == "run_record");
  CHECK(name(R"({"kind": "qwen3_next_logprob_prior_art"})") == "logp_prior_art");
  CHECK(name(R"({"comparison": {}, "validation": {}})") == "bundle");
  CHECK(name(R"({"reference": "a", "comparisons": [], "records": []})") == "comparison");
  CHECK(name(R"({"schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1"})") == "manifest");
  CHECK(name(R"({"schema_version": "rlkernel.vime_rocm_attention_mismatch_sidecar.v1"})") == "sidecar");
  CHECK(name(R"({"schema_version": "rlverify.logp_inputs.v1"})") == "logp_inputs");
  CHECK(name(R"({"framework": "vllm", "target": "rollout", "operators": {}})") == "readback");
  CHECK(name(R"({"version": "v1", "sha256": "x", "tensors": {}})") == "weight_audit");
  CHECK(name(R"({"version": "v1", "sha256": "x", "tensor": "w"})") == "weight_audit");
  CHECK(name(R"({"version": "v1", "sha256": "x"})").empty());
  CHECK(name(R"({"reference": "a"})").empty());
  CHECK(name("[]").empty());
  CHECK(name(R"({"schema_version": "rlverify.unknown.v1"})").empty());
  CHECK(name(R"({"schema_version": "rlverify.v1"})").empty());
  CHECK(name(R"({"schema_version": 1})").empty());
}
