// SPDX-License-Identifier: Apache-2.0
// One walk over the schema checks each keyword's value by the shape it must have; a second one looks for references
// that would never end.
#include "report/schema_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "report/nearest.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::Value;

constexpr std::uint32_t kMaxSchemaDepth = 64;
constexpr std::string_view kDefinitions = "#/definitions/";

enum class Shape {
  kAnything,
  kText,
  kCount,
  kNumber,
  kTexts,
  kTypes,
  kSchema,
  kSchemaOrBoolean,
  kSchemas,
  kNamedSchemas,
  kValues
};

struct Keyword {
  std::string_view name;
  Shape shape;
};

constexpr std::array<Keyword, 33> kKeywords = {{
    {"$schema", Shape::kText},
    {"$id", Shape::kText},
    {"$comment", Shape::kText},
    {"$ref", Shape::kText},
    {"title", Shape::kText},
    {"description", Shape::kText},
    {"default", Shape::kAnything},
    {"examples", Shape::kValues},
    {"definitions", Shape::kNamedSchemas},
    {"type", Shape::kTypes},
    {"const", Shape::kAnything},
    {"enum", Shape::kValues},
    {"required", Shape::kTexts},
    {"properties", Shape::kNamedSchemas},
    {"additionalProperties", Shape::kSchemaOrBoolean},
    {"minProperties", Shape::kCount},
    {"maxProperties", Shape::kCount},
    {"items", Shape::kSchema},
    {"minItems", Shape::kCount},
    {"maxItems", Shape::kCount},
    {"minLength", Shape::kCount},
    {"maxLength", Shape::kCount},
    {"minimum", Shape::kNumber},
    {"maximum", Shape::kNumber},
    {"exclusiveMinimum", Shape::kNumber},
    {"exclusiveMaximum", Shape::kNumber},
    {"allOf", Shape::kSchemas},
    {"anyOf", Shape::kSchemas},
    {"oneOf", Shape::kSchemas},
    {"not", Shape::kSchema},
    {"if", Shape::kSchema},
    {"then", Shape::kSchema},
    {"else", Shape::kSchema},
}};
constexpr std::array<std::string_view, 7> kTypeNames = {"array",  "boolean", "integer", "null",
                                                        "number", "object",  "string"};
/// Beside "$ref" draft-07 ignores everything; these say nothing about the document, so ignoring them is no loss.
constexpr std::array<std::string_view, 5> kAnnotations = {"title", "description", "$comment", "default", "examples"};

[[noreturn]] void refuse(const std::string& at, const std::string& why) {
  throw core::UsageError(fmt::format("the schema can't be used: {}: {}", at, why));
}

template <class Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(range.begin(), range.end(), name) != range.end();
}

bool is_number(Value value) {
  return value.is_integer() || value.is(Kind::kReal) || value.is(Kind::kBigInteger);
}

bool all_strings(Value list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list.at(i).is_string()) {
      return false;
    }
  }
  return true;
}

void check_types(Value value, const std::string& at) {
  const bool one = value.is_string();
  if (!one && (!value.is_list() || value.size() == 0 || !all_strings(value))) {
    refuse(at, "\"type\" needs a type name or a list of them");
  }
  for (std::size_t i = 0; i < (one ? 1 : value.size()); ++i) {
    const std::string_view name = one ? value.text() : value.at(i).text();
    if (!contains(kTypeNames, name)) {
      refuse(at, fmt::format("there is no type \"{}\"", name));
    }
  }
}

class SupportCheck {
 public:
  explicit SupportCheck(Value root) : root_(root) {}

  void schema(Value value, const std::string& at, std::uint32_t depth) {
    if (depth > kMaxSchemaDepth) {
      refuse(at, fmt::format("it is nested more than {} deep", kMaxSchemaDepth));
    }
    if (!value.is_dict()) {
      refuse(at, "a schema is an object here");
    }
    const bool is_reference = value.get("$ref").present();
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string_view name = value.key_at(i).text();
      if (is_reference && name != "$ref" && !contains(kAnnotations, name)) {
        refuse(at, fmt::format("\"{}\" beside \"$ref\" would be ignored", name));
      }
      keyword(name, value.value_at(i), fmt::format("{}/{}", at, name), depth);
    }
  }

 private:
  void keyword(std::string_view name, Value value, const std::string& at, std::uint32_t depth) {
    const auto known =
        std::find_if(kKeywords.begin(), kKeywords.end(), [name](const Keyword& each) { return each.name == name; });
    if (known == kKeywords.end()) {
      std::vector<std::string> names;
      for (const Keyword& each : kKeywords) {
        names.emplace_back(each.name);
      }
      const std::string hint = did_you_mean(name, names);
      refuse(at, fmt::format("the keyword \"{}\" is not supported{}{}", name, hint.empty() ? "" : "; ", hint));
    }
    if (name == "$schema" && value.text() != "http://json-schema.org/draft-07/schema#" &&
        value.text() != "http://json-schema.org/draft-07/schema") {
      refuse(at, fmt::format("\"{}\" is not draft-07 (http://json-schema.org/draft-07/schema#)", value.text()));
    }
    if (name == "$ref" && !definition_of(root_, value.text())) {
      refuse(at, fmt::format("\"{}\" names no definition of this schema", value.text()));
    }
    shape(known->shape, name, value, at, depth);
  }

  void shape(Shape expected, std::string_view name, Value value, const std::string& at, std::uint32_t depth) {
    switch (expected) {
      case Shape::kAnything:
        return;
      case Shape::kText:
        return need(value.is_string(), name, at, "a string");
      case Shape::kCount:
        return need(value.is_integer() && value.integer() >= 0, name, at, "an integer from 0");
      case Shape::kNumber:
        return need(is_number(value), name, at, "a number");
      case Shape::kTexts:
        return need(value.is_list() && all_strings(value), name, at, "a list of strings");
      case Shape::kValues:
        return need(value.is_list() && value.size() != 0, name, at, "a list that isn't empty");
      case Shape::kTypes:
        return check_types(value, at);
      case Shape::kSchema:
        return schema(value, at, depth + 1);
      case Shape::kSchemaOrBoolean:
        if (!value.is(Kind::kBoolean)) {
          schema(value, at, depth + 1);
        }
        return;
      case Shape::kSchemas:
        need(value.is_list() && value.size() != 0, name, at, "a list of schemas");
        for (std::size_t i = 0; i < value.size(); ++i) {
          schema(value.at(i), fmt::format("{}/{}", at, i), depth + 1);
        }
        return;
      case Shape::kNamedSchemas:
        need(value.is_dict(), name, at, "an object of schemas");
        for (std::size_t i = 0; i < value.size(); ++i) {
          schema(value.value_at(i), fmt::format("{}/{}", at, value.key_at(i).text()), depth + 1);
        }
        return;
    }
  }

  static void need(bool holds, std::string_view name, const std::string& at, std::string_view what) {
    if (!holds) {
      refuse(at, fmt::format("\"{}\" needs {}", name, what));
    }
  }

  Value root_;
};

/// Follows what applies to the same value: a reference that comes back to a definition on the way would never end.
void require_end(Value root, Value schema, std::vector<core::NodeId>& way) {
  if (!schema.is_dict()) {
    return;
  }
  if (std::find(way.begin(), way.end(), schema.id()) != way.end()) {
    refuse("#/definitions", "a definition refers to itself without an object or array between");
  }
  way.push_back(schema.id());
  if (const Value reference = schema.get("$ref")) {
    require_end(root, definition_of(root, reference.text()), way);
  }
  for (const char* name : {"not", "if", "then", "else"}) {
    require_end(root, schema.get(name), way);
  }
  for (const char* name : {"allOf", "anyOf", "oneOf"}) {
    const Value list = schema.get(name);
    for (std::size_t i = 0; i < list.size(); ++i) {
      require_end(root, list.at(i), way);
    }
  }
  way.pop_back();
}

}  // namespace

Value definition_of(Value root_schema, std::string_view reference) {
  if (reference.substr(0, kDefinitions.size()) != kDefinitions) {
    return {};
  }
  return root_schema.get("definitions").get(reference.substr(kDefinitions.size()));
}

void require_supported_schema(Value schema) {
  SupportCheck(schema).schema(schema, "#", 0);
  std::vector<core::NodeId> way;
  require_end(schema, schema, way);
  const Value definitions = schema.get("definitions");
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    require_end(schema, definitions.value_at(i), way);
  }
}

}  // namespace rlverify::report
