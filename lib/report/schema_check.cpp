// SPDX-License-Identifier: Apache-2.0
// valijson decides whether a document fits; schema_explain says where and why it does not. The library reads its own
// DOM, so both schema and document are converted once; documents are within the JSON reader's limits by then.
#include "report/schema_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/errors.h"
#include "report/schema_explain.h"
#include "report/schema_support.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::Value;
using Json = nlohmann::json;

constexpr std::size_t kMaxViolations = 1000;

Json to_library(Value value) {
  switch (value.kind()) {
    case Kind::kBoolean:
      return value.boolean();
    case Kind::kInteger:
      return value.integer();
    case Kind::kBigInteger:
      // It stays an integer and far outside every bound; nothing else about it matters to a schema.
      if (value.text().front() == '-') {
        return std::numeric_limits<std::int64_t>::min();
      }
      return std::numeric_limits<std::uint64_t>::max();
    case Kind::kReal:
      return value.real();
    case Kind::kString:
      return std::string(value.text());
    case Kind::kList: {
      Json array = Json::array();
      for (std::size_t i = 0; i < value.size(); ++i) {
        array.push_back(to_library(value.at(i)));
      }
      return array;
    }
    case Kind::kDict: {
      Json object = Json::object();
      for (std::size_t i = 0; i < value.size(); ++i) {
        object[std::string(value.key_at(i).text())] = to_library(value.value_at(i));
      }
      return object;
    }
    default:
      return nullptr;
  }
}

/// The schema as the library holds it. Throws core::UsageError for text that is no JSON and for schemas that we don't
/// take.
core::JsonDocument read_schema(std::string_view schema_json) {
  try {
    core::JsonDocument schema = core::read_json(core::MemorySource("the schema", schema_json), core::JsonMode::kStrict);
    require_supported_schema(schema.root());
    return schema;
  } catch (const core::ArtifactError& error) {
    throw core::UsageError(error.what());
  }
}

bool fits(Value schema, Value document) {
  const Json schema_dom = to_library(schema);
  const Json document_dom = to_library(document);
  try {
    valijson::Schema parsed;
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_dom), parsed);
    valijson::Validator validator;
    return validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(document_dom), nullptr);
  } catch (const std::exception& error) {
    throw core::UsageError(fmt::format("the schema can't be used: {}", error.what()));
  }
}

SchemaViolation placed(const Explanation& explanation, const core::JsonDocument* source) {
  SchemaViolation violation = explanation.violation;
  if (source != nullptr) {
    const core::Place place = source->place_of(explanation.at);
    violation.line = place.line;
    violation.column = place.column;
  }
  return violation;
}

}  // namespace

std::vector<SchemaViolation> check_schema(Value document, std::string_view schema_json,
                                          const core::JsonDocument* source) {
  const core::JsonDocument schema = read_schema(schema_json);
  if (fits(schema.root(), document)) {
    return {};
  }
  std::vector<SchemaViolation> violations;
  for (const Explanation& explanation : explain_violations(schema.root(), document, kMaxViolations)) {
    violations.push_back(placed(explanation, source));
  }
  if (violations.empty()) {
    // The library refuses and the walk finds nothing: its verdict stands, without a place.
    violations.push_back({"", "the document does not fit the schema", "#", 0, 0});
  }
  if (violations.size() == kMaxViolations) {
    violations.back().reason += fmt::format(" (the check stops after {} faults)", kMaxViolations);
  }
  return violations;
}

}  // namespace rlverify::report
