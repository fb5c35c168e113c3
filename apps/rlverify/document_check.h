// SPDX-License-Identifier: Apache-2.0
// validate FILE --schema, and the schema check of the document that validate is about to write.
#pragma once

#include <string>

#include "core/errors.h"
#include "core/value.h"
#include "renderings.h"

namespace rlverify::app {

struct DocumentCheckOptions {
  std::string target;
  std::string schema;   ///< "auto": the document's own; else a name or a file
  std::string output;   ///< file for the rlverify.schema_check.v1 document; "-" is stdout
  OutputOptions shown;  ///< text and json only: there is no view of a check
};

/// Checks a JSON document, or the payload of a .pt file, against a schema; prints and writes the answer.
[[nodiscard]] core::ExitCode check_document(const DocumentCheckOptions& options);

/// Exit code after the check of a document of our own: `code` when it fits. What doesn't goes to stderr.
[[nodiscard]] core::ExitCode check_own_document(const std::string& schema, core::Value document, core::ExitCode code);

}  // namespace rlverify::app
