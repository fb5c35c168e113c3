// SPDX-License-Identifier: Apache-2.0
// What comparison and sealed record have in common: the parts of a run's record, in the order of spec/documents.md
// sections 2 and 4.
#pragma once

#include <optional>
#include <vector>

#include "compare/evidence.h"
#include "report/document.h"

namespace rlverify::report {

/// {step: record}, keys of a record in log order.
[[nodiscard]] core::NodeId steps_object(Document& document, const std::vector<compare::LogStep>& steps);
/// {step: sha256}
[[nodiscard]] core::NodeId tokens_object(Document& document, const std::vector<compare::StepTokens>& tokens);
/// The `gpu_attention_cases` of a bundle or a record; null without evidence.
[[nodiscard]] core::NodeId attention_cases_object(Document& document,
                                                  const std::optional<compare::AttentionCases>& cases);
/// A copy with the keys sorted by code point at every level, as a validation document is written wherever it stands.
[[nodiscard]] core::NodeId copy_sorted(Document& document, core::Value value);

}  // namespace rlverify::report
