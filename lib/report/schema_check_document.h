// SPDX-License-Identifier: Apache-2.0
// What a check of one document against a schema has to say, as a document of its own and in the words of a terminal.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/schema_check.h"

namespace rlverify::report {

struct SchemaCheck {
  std::string file;    ///< as given
  std::string schema;  ///< name, or the file that holds it
  std::string form;    ///< DocumentForm::words; empty where the kind has one form
  std::vector<SchemaViolation> violations;
};

/// rlverify.schema_check.v1.
[[nodiscard]] Document schema_check_document(const SchemaCheck& check);

/// The verdict on the first line, the form on the second where there is one, then a line for each violation.
[[nodiscard]] std::string schema_check_text(const SchemaCheck& check);

/// "FILE:LINE:COLUMN: POINTER: REASON" with a newline. Pointers and reasons hold text of the file, which reaches no
/// terminal as escape sequences.
[[nodiscard]] std::string violation_line(const std::string& file, const SchemaViolation& violation);

}  // namespace rlverify::report
