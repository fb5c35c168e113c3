// SPDX-License-Identifier: Apache-2.0
// validate FILE --schema on any bytes. What is JSON is held against the schema of its kind, or against one that its
// size picks, and against itself as a schema. The verdict of the library and the walk that explains it must agree, and
// each place that is named must exist.
#include <cstdlib>
#include <string>

#include "core/errors.h"
#include "core/json_reader.h"
#include "report/document_forms.h"
#include "report/schema_check.h"
#include "report/schema_check_document.h"
#include "report/schema_explain.h"

namespace {

using namespace rlverify;

/// The value that a JSON pointer names, absent when there is none.
core::Value at_pointer(core::Value node, std::string_view pointer) {
  while (!pointer.empty() && node.present()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    std::string token;
    for (std::size_t i = 1; i < end; ++i) {
      const bool escaped = pointer[i] == '~' && i + 1 < end;
      token += escaped ? (pointer[i + 1] == '0' ? '~' : '/') : pointer[i];
      i += escaped ? 1 : 0;
    }
    if (node.is_list()) {
      node = node.at(static_cast<std::size_t>(std::strtoull(token.c_str(), nullptr, 10)));
    } else {
      node = node.get(token);
    }
    pointer.remove_prefix(end);
  }
  return node;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check(const core::JsonDocument& document, const std::string& name) {
  const std::string_view schema = report::schema_text(name);
  const auto violations = report::check_schema(document.root(), schema, &document);
  const core::JsonDocument parsed = core::read_json(core::MemorySource("schema", schema), core::JsonMode::kStrict);
  require(violations.empty() == report::explain_violations(parsed.root(), document.root(), 1000).empty());
  require(violations.size() <= 1000);
  for (const report::SchemaViolation& violation : violations) {
    require(at_pointer(document.root(), violation.pointer).present());
    require(violation.line >= 1 && violation.column >= 1 && !violation.reason.empty());
  }
  report::SchemaCheck answer{"fuzz", name, "", violations};
  if (const auto form = report::form_of(document.root())) {
    answer.form = form->words;
  }
  const report::Document own = report::schema_check_document(answer);
  require(report::check_schema(own.root(), report::schema_text("schema_check")).empty());
  require(report::schema_check_text(answer).find('\x1b') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const core::JsonDocument document = core::read_json(core::MemorySource("fuzz", bytes), core::JsonMode::kStrict);
    static const std::vector<std::string> kNames = report::schema_names();
    const std::string own = report::schema_name_of(document.root());
    check(document, own.empty() ? kNames[size % kNames.size()] : own);
    // The same bytes as a schema that a user brings: it is refused or used, nothing else.
    static_cast<void>(report::check_schema(document.root(), bytes));
  } catch (const core::ArtifactError&) {
  } catch (const core::UsageError&) {
  }
  return 0;
}
