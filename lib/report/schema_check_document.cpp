// SPDX-License-Identifier: Apache-2.0
// Lines are laid out as compilers do it, so that editors can jump to them.
#include "report/schema_check_document.h"

#include <fmt/format.h>

#include "report/finding_text.h"

namespace rlverify::report {

Document schema_check_document(const SchemaCheck& check) {
  Document document;
  const core::NodeId list = document.array();
  for (const SchemaViolation& violation : check.violations) {
    document.append(list, document.object({{"pointer", document.string(violation.pointer)},
                                           {"reason", document.string(violation.reason)},
                                           {"line", document.integer(violation.line)},
                                           {"column", document.integer(violation.column)}}));
  }
  document.set_root(document.object({{"schema_version", document.string("rlverify.schema_check.v1")},
                                     {"file", document.string(check.file)},
                                     {"schema", document.string(check.schema)},
                                     {"form", check.form.empty() ? document.null() : document.string(check.form)},
                                     {"valid", document.boolean(check.violations.empty())},
                                     {"violations", list}}));
  return document;
}

std::string schema_check_text(const SchemaCheck& check) {
  std::string text =
      fmt::format("{}  {}  schema {}\n", check.violations.empty() ? "VALID" : "INVALID", check.file, check.schema);
  if (!check.form.empty()) {
    text += fmt::format("form {}\n", check.form);
  }
  for (const SchemaViolation& violation : check.violations) {
    text += violation_line(check.file, violation);
  }
  return text;
}

std::string violation_line(const std::string& file, const SchemaViolation& violation) {
  const std::string pointer = violation.pointer.empty() ? "the document" : violation.pointer;
  const std::string line = violation.line == 0 ? fmt::format("{}: {}: {}", file, pointer, violation.reason)
                                               : fmt::format("{}:{}:{}: {}: {}", file, violation.line, violation.column,
                                                             pointer, violation.reason);
  return printable(line, false) + "\n";
}

}  // namespace rlverify::report
