// SPDX-License-Identifier: Apache-2.0
// Findings as a person reads them in a terminal, the same for every command.
#pragma once

#include <string>

#include "core/finding.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// One block for each finding, causes first, with place, expected, found and hint; a block begins with an empty line.
/// Empty without findings.
[[nodiscard]] std::string findings_text(const core::Findings& findings, const TextOptions& options);

}  // namespace rlverify::report
