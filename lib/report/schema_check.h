// SPDX-License-Identifier: Apache-2.0
// Checks a document against a JSON Schema (draft-07) and says what is wrong where: JSON pointer, reason, line and
// column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/value.h"

namespace rlverify::report {

struct SchemaViolation {
  std::string pointer;       ///< JSON pointer to the offending value; "" is the whole document
  std::string reason;        ///< in plain words
  std::string keyword_path;  ///< where in the schema, when known
  std::uint32_t line = 0;    ///< 0 when the document has no text (it is about to be written)
  std::uint32_t column = 0;
};

/// Names of the embedded schemas, sorted: "validation", "findings", ...
[[nodiscard]] std::vector<std::string> schema_names();
/// Text of an embedded schema. Throws core::UsageError with the nearest names for an unknown one.
[[nodiscard]] std::string_view schema_text(std::string_view name);
/// Title of an embedded schema. Throws as schema_text does.
[[nodiscard]] std::string schema_title(std::string_view name);
/// The schema that a document claims to be of, from `schema_version`, `kind` or its top-level keys (form_of() tells
/// forms apart); empty when it is none of ours.
[[nodiscard]] std::string schema_name_of(core::Value document);

/// All violations, in document order (at most 1,000; the last then says that the check stopped). Throws
/// core::UsageError when the schema itself is no usable draft-07 schema (keywords that we don't support are refused,
/// not ignored).
[[nodiscard]] std::vector<SchemaViolation> check_schema(core::Value document, std::string_view schema_json,
                                                        const core::JsonDocument* source = nullptr);

}  // namespace rlverify::report
