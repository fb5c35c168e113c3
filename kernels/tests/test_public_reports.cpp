// SPDX-License-Identifier: Apache-2.0
// The kernels' part of three public reports: unmasked padding (RL-Kernel #329), a temperature on one side only (TRL
// #4159), and columns past the vocabulary that are counted (verl #5349).
#include <catch2/catch.hpp>
#include <cmath>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

}  // namespace

TEST_CASE("RL-Kernel #329: 12 real columns of 16, two ranks", "[reports]") {
  std::vector<float> values;
  for (int i = 0; i < 4 * 16; ++i)
    values.push_back(i % 16 < 12 ? 0.5F * static_cast<float>((i * 5) % 7) : 0.0F);
  Problem problem = given_problem(values, 16, 12, {1, 4, 8, 11});
  problem.input.tensor_parallel_size = 2;
  LogpInput unmasked = problem.input;
  unmasked.real_vocab_size = 16;
  const auto cut = logp_of(ContractId::kRlKernelWs2, problem.input);
  const auto whole = logp_of(ContractId::kRlKernelWs2, unmasked);
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0.0;
    for (int c = 0; c < 12; ++c)
      sum += std::exp(static_cast<double>(problem.at(static_cast<std::int64_t>(row), c)));
    const double target = static_cast<double>(problem.at(static_cast<std::int64_t>(row), problem.targets[row]));
    CHECK(static_cast<double>(cut[row]) == Approx(target - std::log(sum)).margin(1e-6));
    CHECK(static_cast<double>(whole[row]) == Approx(target - std::log(sum + 4.0)).margin(1e-6));
  }
}

TEST_CASE("TRL #4159: the same logits at T = 0.6 and T = 1", "[reports]") {
  Problem problem = normal_problem(61, 32, 1024, 1024, StorageType::kBFloat16);
  const auto at_one = logp_of(ContractId::kVllmGather, problem.input);
  const auto reference_one = fp64_of(problem.input);
  problem.input.temperature = 0.6;
  const auto at_06 = logp_of(ContractId::kVllmGather, problem.input);
  const auto reference_06 = fp64_of(problem.input);
  CHECK(max_abs_difference(at_one, reference_one) < 2e-6);
  CHECK(max_abs_difference(at_06, reference_06) < 2e-6);
  CHECK(max_abs_difference(at_one, at_06) > 0.1);
}

TEST_CASE("verl #5349: no phantom columns at any vocabulary", "[reports]") {
  for (const std::int64_t vocab : {1, 511, 512, 513, 1000}) {
    const std::vector<float> values(static_cast<std::size_t>(vocab), -25.0F);
    const Problem problem = given_problem(values, vocab, vocab, {vocab - 1});
    const double expected = -std::log(static_cast<double>(vocab));
    for (const Contract& entry : contracts()) {
      INFO(entry.name << " " << vocab);
      // With phantom zeros the result is about -25 - log(their number): off by about 21.
      if (counts_phantoms(entry)) {
        const auto phantoms = static_cast<double>(1024 - vocab);
        const double counted = -25.0 - std::log(phantoms + static_cast<double>(vocab) * std::exp(-25.0));
        CHECK(static_cast<double>(logp_of(entry.id, problem.input)[0]) == Approx(counted).margin(4e-6));
        continue;
      }
      CHECK(static_cast<double>(logp_of(entry.id, problem.input)[0]) == Approx(expected).margin(4e-6));
    }
  }
}
