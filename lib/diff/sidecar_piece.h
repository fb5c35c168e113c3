// SPDX-License-Identifier: Apache-2.0
// One sample of one sidecar, compared (internal to diff/sidecar_diff.h).
#pragma once

#include "diff/sidecar_diff.h"
#include "run/sidecar_file.h"

namespace rlverify::diff {

/// Throws core::ArtifactError when the two sides can't stand against each other: other lengths, other dtypes, another
/// length than the positions that the rank owns, or no real numbers.
[[nodiscard]] SamplePiece compare_piece(const run::SidecarFile& file, std::size_t index, const SidecarOptions& options);

}  // namespace rlverify::diff
