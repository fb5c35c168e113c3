// SPDX-License-Identifier: Apache-2.0
// The `train_rollout_logprob` section: what comparing the mismatch sidecars gave (spec: validation document).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/mismatch_series.h"

namespace rlverify::sidecar {

struct SidecarSection {
  std::vector<std::string> artifacts;  ///< file names, sorted; every *.pt of the folder, refused ones included
  bool require_exact = false;
  std::int64_t sample_count = 0;
  std::int64_t element_count = 0;           ///< active elements compared
  std::int64_t mismatch_count = 0;          ///< elements that differ as numbers
  std::int64_t bitwise_mismatch_count = 0;  ///< elements whose bytes differ
  // Absent when nothing was active. The sums run in double, shards in ascending (dp, call, sample, cp), elements in
  // order within one.
  std::optional<double> max_abs_diff;
  std::optional<double> mean_abs_diff;  ///< train_rollout_logprob_abs_diff
  std::optional<double> mismatch_kl;    ///< mean of rollout minus train
  std::optional<double> mismatch_k3_kl;
  bool torch_equal = false;
  bool bitwise_equal = false;
  /// For pictures. `by_step` needs the calls of each step, which strict rules know; `positions` count every rank,
  /// replicas included; magnitudes count replicas once.
  MismatchSeries series;
};

/// The `offline_tensor_comparison` section: train dumps, counted.
struct OfflineSection {
  std::int64_t artifact_count = 0;
  std::int64_t comparable_artifact_count = 0;
  [[nodiscard]] bool available() const { return artifact_count > 0 && comparable_artifact_count == artifact_count; }
};

}  // namespace rlverify::sidecar
