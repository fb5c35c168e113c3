// SPDX-License-Identifier: Apache-2.0
// The official draft-07 test suite (Debian: json-schema-test-suite). What uses only keywords that we take must be
// judged rightly, verdict and explanation; everything else must be refused, never ignored. Found under
// RLVERIFY_JSON_SCHEMA_SUITE or where Debian puts it; skipped where it is not installed.
#include <catch2/catch.hpp>
#include <optional>

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

/// A file of the suite; nothing where the suite is not installed.
std::optional<core::JsonDocument> suite_file(const std::string& name) {
  const char* given = std::getenv("RLVERIFY_JSON_SCHEMA_SUITE");
  const std::string folder = given != nullptr ? std::string(given) : "/usr/share/json-schema-test-suite";
  const auto text = report::test::file_text(folder + "/tests/draft7/" + name + ".json");
  return text ? std::optional<core::JsonDocument>(report::test::json(*text)) : std::nullopt;
}

bool is_installed() {
  if (suite_file("type")) {
    return true;
  }
  WARN("skipped: the package json-schema-test-suite is not installed");
  return false;
}

/// A file whose keywords we take, and how many of its tests use nothing else.
struct TakenFile {
  const char* name;
  int judged;
};

// The others of these files use subschemas that are true or false, lists of schemas for items, references to other
// places than #/definitions/NAME or in percent encoding, patternProperties or multipleOf.
constexpr TakenFile kTaken[] = {
    {"additionalProperties", 6},
    {"allOf", 11},
    {"anyOf", 11},
    {"const", 12},
    {"default", 4},
    {"enum", 9},
    {"exclusiveMaximum", 4},
    {"exclusiveMinimum", 4},
    {"if-then-else", 9},
    {"items", 4},
    {"maxItems", 4},
    {"maxLength", 5},
    {"maxProperties", 6},
    {"maximum", 4},
    {"minItems", 4},
    {"minLength", 5},
    {"minProperties", 6},
    {"minimum", 4},
    {"not", 10},
    {"oneOf", 11},
    {"properties", 6},
    {"ref", 2},
    {"required", 7},
    {"type", 59},
};

}  // namespace

TEST_CASE("the keywords that we take behave as the official suite says") {
  if (!is_installed()) {
    return;
  }
  for (const TakenFile& file : kTaken) {
    const auto document = suite_file(file.name);
    REQUIRE(document);
    Tally tally;
    for (std::size_t i = 0; i < document->root().size(); ++i) {
      run_group(document->root().at(i), tally);
    }
    INFO(file.name << ": " << tally.judged << " judged, " << tally.refused << " refused");
    CHECK(tally.judged >= file.judged);
  }
}

TEST_CASE("what we don't take is refused, never ignored") {
  if (!is_installed()) {
    return;
  }
  for (const char* file : {"additionalItems", "boolean_schema", "contains", "definitions", "dependencies", "multipleOf",
                           "pattern", "patternProperties", "propertyNames", "refRemote", "uniqueItems"}) {
    INFO(file);
    const auto document = suite_file(file);
    REQUIRE(document);
    Tally tally;
    for (std::size_t i = 0; i < document->root().size(); ++i) {
      run_group(document->root().at(i), tally);
    }
    CHECK(tally.judged == 0);
    CHECK(tally.refused > 0);
  }
}
