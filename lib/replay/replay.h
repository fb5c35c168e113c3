// SPDX-License-Identifier: Apache-2.0
// Computes the log-probs of a run again from its kept logits, by every contract at every setting, and judges which of
// them each side recorded. Logits are read in pieces of rows, once; a second time only for a side that nothing explains
// but a top-p nucleus might.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "replay/result.h"
#include "rlverify_kernels/logp.h"

namespace rlverify::replay {

struct ReplayOptions {
  std::string sidecar;                         ///< replaces the sidecar of its rank and call; empty: none
  std::vector<kernels::ContractId> contracts;  ///< to try; empty means all
  kernels::Execution execution;
  bool show_progress = false;
};

/// Replays the run directory or file at `path`. Throws core::DeviceError when the backend is not there or fails, and
/// what find_inputs() throws.
[[nodiscard]] ReplayResult replay(const std::string& path, const ReplayOptions& options);

}  // namespace rlverify::replay
