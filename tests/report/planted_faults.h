// SPDX-License-Identifier: Apache-2.0
// Planted faults: one value of a right document is replaced, removed or added, and the check has to name the place.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/report_support.h"
#include "report/schema_check.h"

namespace rlverify::report::test {

struct Planted {
  std::string target;   ///< JSON pointer of the value that is replaced, or of the one that is added
  std::string value;    ///< JSON text; empty removes the value
  std::string pointer;  ///< where the check must see it
  std::string reason;   ///< part of the reason
};

/// A right document of a schema and the faults that its check must see. Every schema has at least one with 15 faults or
/// more (tests/report/test_schema_planted.cpp): a new schema brings its own.
struct PlantedDocument {
  std::string schema;
  std::string text;
  std::vector<Planted> faults;
};

[[nodiscard]] std::vector<PlantedDocument> planted_artifacts();    ///< files of a run (test_schema_artifacts.cpp)
[[nodiscard]] std::vector<PlantedDocument> planted_documents();    ///< what commands write (test_schema_documents.cpp)
[[nodiscard]] std::vector<PlantedDocument> planted_validations();  ///< test_schema_validation.cpp

namespace detail {

inline std::string plain_token(std::string token) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"~1", "/"}, {"~0", "~"}}) {
    for (std::size_t at = token.find(from); at != std::string::npos; at = token.find(from, at + to.size())) {
      token.replace(at, from.size(), to);
    }
  }
  return token;
}

/// `node` with the planted value at `rest` ("" is here).
inline core::NodeId planted_copy(Document& document, core::Value node, std::string_view rest,
                                 const core::JsonDocument* value) {
  if (rest.empty()) {
    return value == nullptr ? core::kNoNode : document.copy(value->root());
  }
  const std::size_t end = std::min(rest.find('/', 1), rest.size());
  const std::string token = plain_token(std::string(rest.substr(1, end - 1)));
  const std::string_view below = rest.substr(end);
  const core::NodeId out = node.is_dict() ? document.object() : document.array();
  bool met = false;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string key = node.is_dict() ? std::string(node.key_at(i).text()) : std::to_string(i);
    const core::Value child = node.is_dict() ? node.value_at(i) : node.at(i);
    const core::NodeId copy = key == token ? planted_copy(document, child, below, value) : document.copy(child);
    met = met || key == token;
    if (copy != core::kNoNode && node.is_dict()) {
      document.put(out, key, copy);
    } else if (copy != core::kNoNode) {
      document.append(out, copy);
    }
  }
  if (!met) {
    REQUIRE(below.empty());
    REQUIRE(value != nullptr);
    node.is_dict() ? document.put(out, token, document.copy(value->root()))
                   : document.append(out, document.copy(value->root()));
  }
  return out;
}

}  // namespace detail

/// The text of `right` with one fault in it.
inline std::string with_fault(const core::JsonDocument& right, const Planted& fault) {
  Document document;
  const core::JsonDocument value = json(fault.value.empty() ? "null" : fault.value);
  document.set_root(detail::planted_copy(document, right.root(), fault.target, fault.value.empty() ? nullptr : &value));
  return to_json(document.root(), KeyOrder::kAsBuilt);
}

/// All violations of a text in words, for messages.
inline std::string words(const std::vector<SchemaViolation>& violations) {
  std::string out;
  for (const SchemaViolation& violation : violations) {
    out += "\n  \"" + violation.pointer + "\": " + violation.reason + " [" + violation.keyword_path + "]";
  }
  return out;
}

/// The right document fits its schema and is recognised, and each fault is seen where it was planted, with line and
/// column of that value.
inline void check_planted(const PlantedDocument& planted) {
  INFO("schema " << planted.schema);
  const std::string_view schema = schema_text(planted.schema);
  const core::JsonDocument right = json(planted.text);
  const auto none = check_schema(right.root(), schema, &right);
  INFO("right document: " << words(none));
  REQUIRE(none.empty());
  CHECK(schema_name_of(right.root()) == planted.schema);
  for (const Planted& fault : planted.faults) {
    const core::JsonDocument wrong = json(with_fault(right, fault));
    const std::vector<SchemaViolation> violations = check_schema(wrong.root(), schema, &wrong);
    INFO(fault.target << " = " << fault.value << words(violations));
    REQUIRE_FALSE(violations.empty());
    bool seen = false;
    for (const SchemaViolation& violation : violations) {
      CHECK(violation.line >= 1);
      CHECK(violation.column >= 1);
      CHECK(violation.keyword_path.substr(0, 1) == "#");
      seen = seen || (violation.pointer == fault.pointer && violation.reason.find(fault.reason) != std::string::npos);
    }
    CHECK(seen);
  }
}

}  // namespace rlverify::report::test
