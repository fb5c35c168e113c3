// SPDX-License-Identifier: Apache-2.0
// Lines that both texts of `diff` are made of.
#pragma once

#include <string>
#include <string_view>

#include "core/finding.h"
#include "diff/model_diff.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// "DIFFERENT  REST", the word in its colour; REST is wrapped.
[[nodiscard]] std::string answer_line(diff::Answer answer, std::string_view rest, const TextOptions& options);

/// "  label      text", wrapped under itself. Nothing for an empty text.
[[nodiscard]] std::string figure_line(std::string_view label, std::string_view text, const TextOptions& options);

/// All findings but those that the table and the figures tell already (a tensor or a sample that differs).
[[nodiscard]] std::string other_findings(const core::Findings& findings, const TextOptions& options);

}  // namespace rlverify::report
