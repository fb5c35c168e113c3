// SPDX-License-Identifier: Apache-2.0
// The official draft-07 test suite (Debian: json-schema-test-suite), as far as its schemas use keywords that we take:
// verdict and explanation must both be right. Found under RLVERIFY_JSON_SCHEMA_SUITE or where Debian puts it; skipped
// where it is not installed.
#include <catch2/catch.hpp>

#include "core/errors.h"
#include "report/document.h"
#include "report/report_support.h"
#include "report/schema_check.h"
#include "report/schema_explain.h"

using namespace rlverify;

namespace {

struct Tally {
  int judged = 0;
  int refused = 0;
};

void run_group(core::Value group, Tally& tally) {
  const std::string schema = report::to_json(group.get("schema"), report::KeyOrder::kAsBuilt);
  const std::string description(group.get("description").text());
  const core::JsonDocument parsed_schema = report::test::json(schema);
  const core::Value tests = group.get("tests");
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const core::Value test = tests.at(i);
    const std::string name(test.get("description").text());
    INFO(description << ": " << name << "\n"
                     << schema << "\n"
                     << report::to_json(test.get("data"), report::KeyOrder::kAsBuilt));
    try {
      const bool valid = report::check_schema(test.get("data"), schema).empty();
      CHECK(valid == test.get("valid").is_true());
      CHECK(report::explain_violations(parsed_schema.root(), test.get("data"), 10).empty() ==
            test.get("valid").is_true());
      ++tally.judged;
    } catch (const core::UsageError&) {
      ++tally.refused;
    }
  }
}

}  // namespace

TEST_CASE("the keywords that we take behave as the official suite says") {
  const char* given = std::getenv("RLVERIFY_JSON_SCHEMA_SUITE");
  const std::string folder =
      (given != nullptr ? std::string(given) : "/usr/share/json-schema-test-suite") + "/tests/draft7/";
  if (!report::test::file_text(folder + "type.json")) {
    WARN("skipped: the package json-schema-test-suite is not installed");
    return;
  }
  Tally tally;
  for (const char* file : {"additionalProperties",
                           "allOf",
                           "anyOf",
                           "const",
                           "default",
                           "enum",
                           "exclusiveMaximum",
                           "exclusiveMinimum",
                           "if-then-else",
                           "items",
                           "maxItems",
                           "maxLength",
                           "maxProperties",
                           "maximum",
                           "minItems",
                           "minLength",
                           "minProperties",
                           "minimum",
                           "not",
                           "oneOf",
                           "properties",
                           "ref",
                           "required",
                           "type"}) {
    const auto text = report::test::file_text(folder + file + ".json");
    REQUIRE(text);
    const core::JsonDocument document = report::test::json(*text);
    for (std::size_t i = 0; i < document.root().size(); ++i) {
      run_group(document.root().at(i), tally);
    }
  }
  INFO(tally.judged << " judged, " << tally.refused << " refused");
  CHECK(tally.judged > 200);
}
