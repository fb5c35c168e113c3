// SPDX-License-Identifier: Apache-2.0
// Log-probs compared: the spec's vectors, every real dtype, signed zeros, what is not finite, and the mask.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "sidecar/log_prob_statistics.h"

namespace rlverify::sidecar {
namespace {

using tensor::DType;

template <typename T>
LogProbStatistics compare_as(DType dtype, const std::vector<T>& train, const std::vector<T>& rollout,
                             std::vector<std::uint8_t> active = {}) {
  if (active.empty()) {
    active.assign(train.size(), 1);
  }
  return compare_log_probs(dtype, std::as_bytes(std::span(train)), std::as_bytes(std::span(rollout)), active);
}

LogProbStatistics compare(const std::vector<float>& train, const std::vector<float>& rollout,
                          std::vector<std::uint8_t> active = {}) {
  return compare_as(DType::kFloat32, train, rollout, std::move(active));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("Equal bytes: everything counts, nothing differs") {
  const LogProbStatistics statistics = compare({-1.5F, 0.0F, -0.0F}, {-1.5F, 0.0F, -0.0F});
  CHECK(statistics.active == 3);
  CHECK(statistics.bitwise_mismatch_count == 0);
  CHECK(statistics.sum_abs == 0.0);
  CHECK_FALSE(std::signbit(statistics.sum_rollout_minus_train));
  CHECK(statistics.first_bitwise == -1);
}

TEST_CASE("The spec's vector: -1.25 against -1.5") {
  const LogProbStatistics statistics = compare({-1.25F}, {-1.5F});
  CHECK(statistics.active == 1);
  CHECK(statistics.mismatch_count == 1);
  CHECK(statistics.bitwise_mismatch_count == 1);
  CHECK(statistics.sum_abs == 0.25);
  CHECK(statistics.sum_rollout_minus_train == -0.25);
  CHECK(statistics.sum_k3 == Approx(0.034025416687741394).epsilon(1e-15));
  CHECK(statistics.max_abs == 0.25);
  CHECK(statistics.first_train == -1.25);
  CHECK(statistics.first_rollout == -1.5);
}

TEST_CASE("+0 against -0: equal as numbers, not as bytes") {
  const LogProbStatistics statistics = compare({0.0F}, {-0.0F});
  CHECK(statistics.mismatch_count == 0);
  CHECK(statistics.bitwise_mismatch_count == 1);
  CHECK(statistics.sign_of_zero == 1);
  CHECK(statistics.max_abs == 0.0);
  CHECK(statistics.active == 1);
}

TEST_CASE("Differences that cancel are still differences") {
  const LogProbStatistics statistics = compare({-0.4F, -0.6F, -1.0F, -1.0F}, {-0.5F, -0.5F, -1.0F, -1.0F});
  CHECK(statistics.mismatch_count == 2);
  CHECK(statistics.sum_rollout_minus_train == Approx(0.0).margin(1e-7));
  CHECK(statistics.sum_abs == Approx(0.2).epsilon(1e-6));
  CHECK(statistics.max_abs == Approx(0.1).epsilon(1e-6));
}

TEST_CASE("Masked elements count for nothing, whatever they hold") {
  const LogProbStatistics statistics = compare({-1.0F, kNan, -2.0F}, {-1.0F, -5.0F, -3.0F}, {1, 0, 0});
  CHECK(statistics.active == 1);
  CHECK(statistics.mismatch_count == 0);
  CHECK_FALSE(statistics.non_finite);
  CHECK(compare({kNan}, {kNan}, {0}).active == 0);
  CHECK(compare({}, {}).active == 0);
}

TEST_CASE("NaN and infinities at active positions, even with equal bytes") {
  CHECK(compare({kNan}, {kNan}).non_finite);
  CHECK(compare({-1.0F, kInfinity}, {-1.0F, kInfinity}).non_finite);
  CHECK(compare({-kInfinity}, {-1.0F}).non_finite);
  CHECK(compare({-1.0F}, {kNan}).non_finite);
  CHECK_FALSE(compare({-1.0F}, {-1.0F}).non_finite);
}

TEST_CASE("exp(d) - d - 1 that overflows is told, and the mismatch is counted") {
  const LogProbStatistics statistics = compare({0.0F}, {-800.0F});
  CHECK(statistics.k3_non_finite);
  CHECK(statistics.mismatch_count == 1);
  CHECK_FALSE(statistics.non_finite);
  CHECK_FALSE(compare({0.0F}, {-700.0F}).k3_non_finite);
  CHECK_FALSE(compare({-800.0F}, {0.0F}).k3_non_finite);  // exp of a large negative is 0
}

TEST_CASE("What hints are made of: exact zeros, positive values, constant shifts") {
  const LogProbStatistics zeros = compare({-0.4F, -10.8F, -9.2F, -1.1F}, {-0.4F, 0.0F, 0.0F, -1.1F});
  CHECK(zeros.mismatch_count == 2);
  CHECK(zeros.rollout_exact_zero == 2);
  CHECK(zeros.train_exact_zero == 0);
  CHECK(zeros.first_bitwise == 1);
  const LogProbStatistics positive = compare({-0.5F, 0.25F}, {-0.5F, 0.25F});
  CHECK(positive.positive == 1);
  CHECK(positive.first_positive == 1);
  const LogProbStatistics shift = compare({-1.0F, -2.0F}, {-1.5F, -2.5F});
  CHECK(shift.min_difference == 0.5);
  CHECK(shift.max_difference == 0.5);
}

TEST_CASE("Every real dtype") {
  CHECK(compare_as<double>(DType::kFloat64, {-1.25}, {-1.5}).max_abs == 0.25);
  CHECK(compare_as<double>(DType::kFloat64, {std::numeric_limits<double>::quiet_NaN()}, {0.0}).non_finite);
  // bfloat16: -1.25 is 0xBFA0, -1.5 is 0xBFC0; NaN 0x7FC0
  CHECK(compare_as<std::uint16_t>(DType::kBfloat16, {0xBFA0}, {0xBFC0}).max_abs == 0.25);
  CHECK(compare_as<std::uint16_t>(DType::kBfloat16, {0x7FC0}, {0x7FC0}).non_finite);
  CHECK(compare_as<std::uint16_t>(DType::kBfloat16, {0x0000}, {0x8000}).sign_of_zero == 1);
  // float16: -1.25 is 0xBD00, -1.5 is 0xBE00; infinity 0x7C00; the smallest subnormal 0x0001
  CHECK(compare_as<std::uint16_t>(DType::kFloat16, {0xBD00}, {0xBE00}).max_abs == 0.25);
  CHECK(compare_as<std::uint16_t>(DType::kFloat16, {0x7C00}, {0x7C00}).non_finite);
  CHECK(compare_as<std::uint16_t>(DType::kFloat16, {0x0001}, {0x0000}).max_abs == std::ldexp(1.0, -24));
  CHECK(compare_as<std::int64_t>(DType::kInt64, {-3}, {-5}).max_abs == 2.0);
  CHECK(compare_as<std::int32_t>(DType::kInt32, {-3}, {-3}).active == 1);
  CHECK(compare_as<std::int16_t>(DType::kInt16, {-3}, {-4}).mismatch_count == 1);
  CHECK(compare_as<std::int8_t>(DType::kInt8, {-3}, {-4}).mismatch_count == 1);
  CHECK(compare_as<std::uint8_t>(DType::kUint8, {3}, {4}).max_abs == 1.0);
  CHECK(compare_as<std::uint8_t>(DType::kBool, {0}, {1}).max_abs == 1.0);
}

TEST_CASE("Subnormal differences are differences") {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const LogProbStatistics statistics = compare({-tiny}, {0.0F});
  CHECK(statistics.mismatch_count == 1);
  CHECK(statistics.max_abs == static_cast<double>(tiny));
}

}  // namespace rlverify::sidecar
