// SPDX-License-Identifier: Apache-2.0
// Compares the training side's log-probs with the rollout side's at active positions (spec/run-artifacts.md section 6,
// steps 4 to 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tensor/dtype.h"

namespace rlverify::sidecar {

struct LogProbStatistics {
  std::int64_t active = 0;
  std::int64_t mismatch_count = 0;          ///< unequal as numbers (-0 equals +0)
  std::int64_t bitwise_mismatch_count = 0;  ///< unequal bytes
  bool non_finite = false;                  ///< a NaN or infinity on either side; nothing below is then meant
  bool k3_non_finite = false;               ///< exp(d) - d - 1 overflowed; counts above stand, sums below don't
  // d = train - rollout in double; sums run over the active elements in order, starting at +0.0.
  double sum_abs = 0.0;
  double sum_rollout_minus_train = 0.0;
  double sum_k3 = 0.0;  ///< k3 = exp(d) - d - 1
  double max_abs = 0.0;
  // For hints.
  std::int64_t first_bitwise = -1;  ///< index of the first element whose bytes differ
  double first_train = 0.0;
  double first_rollout = 0.0;
  std::int64_t rollout_exact_zero = 0;  ///< mismatching elements where rollout is exactly 0 and train isn't
  std::int64_t train_exact_zero = 0;
  std::int64_t sign_of_zero = 0;  ///< elements that differ in the sign of zero only
  std::int64_t positive = 0;      ///< active elements above 0 on either side
  std::int64_t first_positive = -1;
  double min_difference = 0.0;  ///< smallest and largest d: equal ones are a constant shift
  double max_difference = 0.0;
};

/// `train` and `rollout` hold elements of `dtype` (a real type), `active` one byte per element, non-zero where the
/// element counts. All of one length.
[[nodiscard]] LogProbStatistics compare_log_probs(tensor::DType dtype, std::span<const std::byte> train,
                                                  std::span<const std::byte> rollout,
                                                  std::span<const std::uint8_t> active);

}  // namespace rlverify::sidecar
