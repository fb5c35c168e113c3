// SPDX-License-Identifier: Apache-2.0
// The two documents of `validate`: the validation document (spec/documents.md section 1) and the findings document
// (section 6), and its text form.
#pragma once

#include <string>

#include "report/document.h"
#include "report/validation_result.h"

namespace rlverify::report {

/// Section 1: byte for byte what the public validator writes for a run that passes. Write with KeyOrder::kSorted and a
/// newline at the end.
[[nodiscard]] Document validation_document(const ValidationResult& result);

/// Section 6. `tool_version` like "0.1.0".
[[nodiscard]] Document findings_document(const ValidationResult& result, std::string_view tool_version);

struct TextOptions {
  bool colour = false;
  unsigned columns = 80;
  bool unicode = true;  ///< false in a C locale: ASCII only
};
/// First line PASSED or FAILED, then run id, rules, coverage, the checks in causal order, findings with place,
/// expected, found and hint.
[[nodiscard]] std::string validation_text(const ValidationResult& result, const TextOptions& options);

}  // namespace rlverify::report
