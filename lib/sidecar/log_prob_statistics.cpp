// SPDX-License-Identifier: Apache-2.0
// Equal bytes are the normal case: then only finiteness and sign have to be looked at, and all sums stay +0.0. Elements
// that differ take the slow path one by one.
#include "sidecar/log_prob_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/element.h"

namespace rlverify::sidecar {
namespace {

using tensor::DType;

void add_difference(LogProbStatistics& statistics, std::int64_t index, double train, double rollout) {
  if (statistics.first_bitwise < 0) {
    statistics.first_bitwise = index;
    statistics.first_train = train;
    statistics.first_rollout = rollout;
  }
  ++statistics.bitwise_mismatch_count;
  if (train == rollout) {
    ++statistics.sign_of_zero;
  } else {
    ++statistics.mismatch_count;
    statistics.rollout_exact_zero += rollout == 0.0 ? 1 : 0;
    statistics.train_exact_zero += train == 0.0 ? 1 : 0;
  }
}

void add_element(LogProbStatistics& statistics, std::int64_t index, double train, double rollout, bool same_bytes) {
  if (!std::isfinite(train) || !std::isfinite(rollout)) {
    statistics.non_finite = true;
    return;
  }
  if (train > 0.0 || rollout > 0.0) {
    statistics.first_positive = statistics.positive == 0 ? index : statistics.first_positive;
    ++statistics.positive;
  }
  const double difference = train - rollout;
  if (!same_bytes) {
    add_difference(statistics, index, train, rollout);
    const double k3 = std::exp(difference) - difference - 1.0;
    statistics.k3_non_finite = statistics.k3_non_finite || !std::isfinite(k3);
    statistics.sum_abs += std::fabs(difference);
    statistics.sum_rollout_minus_train += -difference;
    statistics.sum_k3 += k3;
    statistics.max_abs = std::max(statistics.max_abs, std::fabs(difference));
  }
  statistics.min_difference = statistics.active == 0 ? difference : std::min(statistics.min_difference, difference);
  statistics.max_difference = statistics.active == 0 ? difference : std::max(statistics.max_difference, difference);
  ++statistics.active;
}

/// float32 whose bytes are all equal: one pass that only looks for what is not a plain negative number or zero. Returns
/// false when some active element needs a closer look.
bool all_plain(std::span<const std::byte> values, std::span<const std::uint8_t> active) {
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < active.size(); ++i) {
    const auto bits = tensor::load_element<std::uint32_t>(values.data() + i * sizeof(float));
    const std::uint32_t infinite_or_nan = (bits & 0x7F800000U) == 0x7F800000U ? 1U : 0U;
    const std::uint32_t positive = bits - 1U < 0x7FFFFFFFU ? 1U : 0U;
    odd |= (infinite_or_nan | positive) & (active[i] != 0 ? 1U : 0U);
  }
  return odd == 0;
}

}  // namespace

LogProbStatistics compare_log_probs(DType dtype, std::span<const std::byte> train, std::span<const std::byte> rollout,
                                    std::span<const std::uint8_t> active) {
  LogProbStatistics statistics;
  const bool equal =
      train.size() == rollout.size() && (train.empty() || std::memcmp(train.data(), rollout.data(), train.size()) == 0);
  if (equal && dtype == DType::kFloat32 && all_plain(train, active)) {
    statistics.active =
        static_cast<std::int64_t>(active.size()) - std::count(active.begin(), active.end(), std::uint8_t{0});
    return statistics;
  }
  const std::size_t element_bytes = tensor::bytes_per_element(dtype);
  for (std::size_t i = 0; i < active.size() && !statistics.non_finite; ++i) {
    if (active[i] == 0) {
      continue;
    }
    const std::byte* const t = train.data() + i * element_bytes;
    const std::byte* const r = rollout.data() + i * element_bytes;
    const bool same_bytes = std::memcmp(t, r, element_bytes) == 0;
    add_element(statistics, static_cast<std::int64_t>(i), tensor::real_element(dtype, t),
                tensor::real_element(dtype, r), same_bytes);
  }
  return statistics;
}

}  // namespace rlverify::sidecar
