// SPDX-License-Identifier: Apache-2.0
// The documents of `compare` and `report` (spec/documents.md sections 2, 3 and 6) and the text of `compare`.
// Version rule: the comparison and the bundle have the keys of their published example and no version of their own; a
// new key would be a new document.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare_runs.h"
#include "report/document.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// A comparison and the runs it was made of, reference first.
struct ComparisonInput {
  const compare::RunComparison& comparison;
  std::vector<const compare::RunEvidence*> runs;
};

/// Section 2; keys in the order of the section. Write with KeyOrder::kAsBuilt.
[[nodiscard]] Document comparison_document(const ComparisonInput& input);

/// Section 6 about a comparison. `tool_version` like "0.1.0".
[[nodiscard]] Document comparison_findings_document(const ComparisonInput& input, std::string_view tool_version);

/// First line PASSED or FAILED, a table of the candidates, the first divergence of each, the findings.
[[nodiscard]] std::string comparison_text(const ComparisonInput& input, const TextOptions& options);

/// Section 3: comparison, validation of one run, attention cases, scope. Write with KeyOrder::kAsBuilt and no newline
/// at the end. `validation` is a validation document.
[[nodiscard]] Document bundle_document(const ComparisonInput& input, core::Value validation,
                                       const std::optional<compare::AttentionCases>& attention_cases,
                                       const std::string& scope);

/// All findings: those about reading the runs, then each candidate's, as they are.
[[nodiscard]] core::Findings all_findings(const compare::RunComparison& comparison);

}  // namespace rlverify::report
