// SPDX-License-Identifier: Apache-2.0
// What a person reads after `diff`.
#pragma once

#include <string>

#include "diff/model_diff.h"
#include "diff/sidecar_diff.h"
#include "report/validation_document.h"

namespace rlverify::report {

/// First line: the answer with what was compared. Then the first difference, the table of the worst tensors, each of
/// them in figures, and what else was found.
[[nodiscard]] std::string diff_text(const diff::ModelDiff& diff, const TextOptions& options);

/// The same for the two sides inside sidecars; a line per sample with its positions where they were asked for.
[[nodiscard]] std::string sidecar_diff_text(const diff::SidecarDiff& diff, const TextOptions& options);

}  // namespace rlverify::report
