// SPDX-License-Identifier: Apache-2.0
// The findings document and the text of `replay` (spec/documents.md sections 6 and 7).
// Version rule: the document is rlverify.findings.v1; a side's entry in `tensors` may gain keys.
#pragma once

#include <string>
#include <string_view>

#include "replay/result.h"
#include "report/document.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// Section 6; `tensors` has one entry per side that has log-probs, with backend, device, exactness, verdict and the
/// whole table of hypotheses. Write with KeyOrder::kAsBuilt.
[[nodiscard]] Document replay_document(const replay::ReplayResult& result, std::string_view tool_version);

/// First line PASSED or FAILED, what was computed where, what each side follows, where the sides part, one table row
/// per contract and side, the findings.
[[nodiscard]] std::string replay_text(const replay::ReplayResult& result, const TextOptions& options);

}  // namespace rlverify::report
