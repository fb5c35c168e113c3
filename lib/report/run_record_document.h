// SPDX-License-Identifier: Apache-2.0
// The sealed record of a run (spec/documents.md section 4): what `compare` and `report` need, so that the run itself
// can be deleted. Version rule: a new optional key keeps rlverify.run_record.v1; a key that changes its meaning or goes
// away makes v2.
#pragma once

#include <string_view>
#include <vector>

#include "compare/artifacts.h"
#include "compare/evidence.h"
#include "report/document.h"

namespace rlverify::report {

struct RunRecordInput {
  const compare::RunEvidence& run;
  const std::vector<compare::SealedWeights>& weights;
  const compare::Artifacts& artifacts;
  core::Value validation;  ///< a validation document
};

/// Keys in the order of the section. Write with KeyOrder::kAsBuilt and a newline at the end.
[[nodiscard]] Document run_record_document(const RunRecordInput& input, std::string_view tool_version);

}  // namespace rlverify::report
