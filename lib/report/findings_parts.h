// SPDX-License-Identifier: Apache-2.0
// The parts that every findings document shares (spec/documents.md section 6).
#pragma once

#include <string_view>

#include "core/finding.h"
#include "report/document.h"
#include "report/validation_result.h"

namespace rlverify::report {

/// At most this many findings are listed in a document or a text.
inline constexpr std::size_t kMaxListedFindings = 1000;

[[nodiscard]] core::NodeId coverage_object(Document& document, const Coverage& coverage);
/// The first kMaxListedFindings, causes before consequences.
[[nodiscard]] core::NodeId findings_array(Document& document, const core::Findings& findings);
/// What a findings document calls the verdict of a command: "passed", "failed" or "not_judged".
[[nodiscard]] std::string_view verdict_key(core::ExitCode code);
/// {"name": "rlverify", "version": ...}
[[nodiscard]] core::NodeId tool_object(Document& document, std::string_view version);

}  // namespace rlverify::report
