// SPDX-License-Identifier: Apache-2.0
// Edges: targets at every border, rows of -inf, NaN, signed zeros, huge gaps, temperature 0; on every instruction set.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Results on all levels, which must agree; returns them.
std::vector<float> on_all_levels(ContractId id, const LogpInput& input) {
  const auto expected = logp_of(id, input);
  for (const SimdLevel level : simd_levels()) {
    Execution execution;
    execution.simd = level;
    INFO(contract(id).name << " " << simd_name(level));
    CHECK(bits_of_all(logp_of(id, input, execution)) == bits_of_all(expected));
  }
  return expected;
}

}  // namespace

TEST_CASE("targets at every edge of the vocabulary", "[edges]") {
  for (const std::int64_t real : {1, 511, 512, 513, 1000, 151936}) {
    const std::int64_t padded = (real + 127) / 128 * 128;
    Problem problem = normal_problem(31, 5, padded, real, StorageType::kFloat32);
    problem.targets = {0, real - 1, real / 2, 0, real - 1};
    problem.point();
    const auto reference = fp64_of(problem.input);
    for (const Contract& entry : contracts()) {
      INFO(entry.name << " " << real);
      const double error = max_abs_difference(on_all_levels(entry.id, problem.input), reference);
      CHECK((counts_phantoms(entry) || error < loose_bound(entry)));
    }
  }
}

TEST_CASE("targets outside the vocabulary do what each system does", "[edges]") {
  std::vector<float> values(5 * 16, 0.0F);
  const Problem problem = given_problem(values, 16, 12, {-100, -1, 12, 15, 16});
  const float log16 = std::log(16.0F);
  for (const ContractId id :
       {ContractId::kMegatronCe, ContractId::kMegatronCeFused, ContractId::kVimeDefault, ContractId::kMilesFused}) {
    const auto logp = on_all_levels(id, problem.input);
    for (const float value : logp)
      CHECK(value == Approx(-log16));
  }
  for (const ContractId id : {ContractId::kFp64, ContractId::kRlKernelStrictTp, ContractId::kRlKernelStrictTopP,
                              ContractId::kRlKernelStrictSingle, ContractId::kRlKernelSparseNucleus,
                              ContractId::kVllmGather, ContractId::kVllmBatchInvariant}) {
    for (const float value : on_all_levels(id, problem.input))
      CHECK(bits_of(value) == 0x7FC00000U);
  }
  const auto ws2 = on_all_levels(ContractId::kRlKernelWs2, problem.input);
  CHECK(bits_of(ws2[0]) == 0U);
  for (std::size_t i = 1; i < 5; ++i)
    CHECK(bits_of(ws2[i]) == 0x7FC00000U);
  LogpInput two = problem.input;
  const auto verl_one = on_all_levels(ContractId::kVerlFused, two);
  CHECK(std::isnan(verl_one[0]));
  CHECK(verl_one[2] == Approx(-log16));
  two.tensor_parallel_size = 2;
  for (const float value : on_all_levels(ContractId::kVerlFused, two))
    CHECK(value == Approx(-log16));
}

TEST_CASE("rows of -inf give NaN and leave their neighbours alone", "[edges]") {
  Problem problem = normal_problem(32, 3, 1024, 1024, StorageType::kFloat32);
  const auto before = logp_of(ContractId::kVllmGather, problem.input);
  for (std::size_t c = 0; c < 1024; ++c)
    std::memcpy(problem.logits.data() + (1024 + c) * 4, &kInf, 4);
  for (std::size_t c = 0; c < 1024; ++c)
    problem.logits[(1024 + c) * 4 + 3] = 0xFF;
  for (const Contract& entry : contracts()) {
    INFO(entry.name);
    const auto logp = on_all_levels(entry.id, problem.input);
    // verl starts its maximum at 0, so that a row of nothing gives log 0 instead: -(0 + -inf - -inf). Its phantoms take
    // part only where a shard is no multiple of 1,024.
    CHECK(bits_of(logp[1]) == 0x7FC00000U);
    CHECK_FALSE(std::isnan(logp[0]));
    CHECK_FALSE(std::isnan(logp[2]));
  }
  CHECK(bits_of(logp_of(ContractId::kVllmGather, problem.input)[0]) == bits_of(before[0]));
}

TEST_CASE("a NaN anywhere shows, whatever its payload", "[edges]") {
  for (const std::int64_t place : {0, 1, 37, 511, 512, 999}) {
    for (const std::uint32_t pattern : {0x7FC00000U, 0xFFC00001U, 0x7F800001U}) {
      Problem problem = normal_problem(33, 1, 1000, 1000, StorageType::kFloat32);
      std::memcpy(problem.logits.data() + place * 4, &pattern, 4);
      for (const Contract& entry : contracts()) {
        INFO(entry.name << " at " << place);
        CHECK(bits_of(on_all_levels(entry.id, problem.input)[0]) == 0x7FC00000U);
      }
    }
  }
  // All NaN.
  Problem problem = given_problem(std::vector<float>(128, canonical_nan()), 128, 128, {5});
  for (const Contract& entry : contracts())
    CHECK(std::isnan(on_all_levels(entry.id, problem.input)[0]));
}

TEST_CASE("signed zeros and single columns", "[edges]") {
  for (const float first : {0.0F, -0.0F}) {
    for (const float second : {0.0F, -0.0F}) {
      const Problem problem = given_problem({first, second}, 2, 2, {1});
      for (const Contract& entry : contracts()) {
        const float columns = counts_phantoms(entry) ? 1024.0F : 2.0F;
        CHECK(on_all_levels(entry.id, problem.input)[0] == Approx(-std::log(columns)));
      }
    }
  }
  const Problem one = given_problem({3.5F}, 1, 1, {0});
  for (const Contract& entry : contracts()) {
    const float value = on_all_levels(entry.id, one.input)[0];
    CHECK((counts_phantoms(entry) ? value < -1.0F : std::fabs(value) <= 3e-7F));
  }
  // An exact zero: +0 by (z - M) - log S, -0 by -(log S - (z - M)).
  CHECK(bits_of(logp_of(ContractId::kVimeDefault, one.input)[0]) == 0U);
  CHECK(bits_of(logp_of(ContractId::kMegatronCe, one.input)[0]) == 0x80000000U);
}

TEST_CASE("huge gaps keep every contract finite where fp64 is", "[edges]") {
  std::vector<float> values(2 * 2048, -1.0e30F);
  values[3] = 1.0e30F;
  values[2048 + 7] = 90.0F;
  values[2048 + 8] = 0.0F;
  const Problem problem = given_problem(values, 2048, 2048, {3, 8});
  for (const Contract& entry : contracts()) {
    INFO(entry.name);
    const auto logp = on_all_levels(entry.id, problem.input);
    // The sparse scorer's polynomial overflows at gaps of 1e30, which no nucleus has.
    if (entry.id == ContractId::kRlKernelSparseNucleus)
      continue;
    CHECK(logp[0] == 0.0F);
    CHECK(logp[1] == Approx(-90.0F));
  }
  // Denormal exponentials: gaps around 95.
  std::vector<float> low(4096, -95.0F);
  low[0] = 0.0F;
  const Problem denormal = given_problem(low, 4096, 4096, {1});
  for (const Contract& entry : contracts())
    CHECK(on_all_levels(entry.id, denormal.input)[0] == Approx(-95.0F));
}

TEST_CASE("temperature 0", "[edges]") {
  Problem problem = normal_problem(34, 4, 2048, 2048, StorageType::kFloat32);
  const auto at_one = logp_of(ContractId::kVllmGather, problem.input);
  const auto miles_at_one = logp_of(ContractId::kMilesFused, problem.input);
  problem.input.temperature = 0.0;
  // vLLM takes 0 for greedy and does not divide; miles divides only above 0; the others divide by zero and get NaN.
  CHECK(bits_of_all(on_all_levels(ContractId::kVllmGather, problem.input)) == bits_of_all(at_one));
  CHECK(bits_of_all(on_all_levels(ContractId::kMilesFused, problem.input)) == bits_of_all(miles_at_one));
  const auto batch_invariant = on_all_levels(ContractId::kVllmBatchInvariant, problem.input);
  CHECK(max_abs_difference(batch_invariant, at_one) < 3e-6);
  for (const Contract& entry : contracts()) {
    if (entry.temperature_rule == TemperatureRule::kDivide ||
        entry.temperature_rule == TemperatureRule::kMultiplyRoundToStorage)
      continue;
    INFO(entry.name);
    for (const float value : on_all_levels(entry.id, problem.input))
      CHECK(std::isnan(value));
  }
}
