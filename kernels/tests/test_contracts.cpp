// SPDX-License-Identifier: Apache-2.0
// Accuracy and verdicts of the contracts on normal logits; test_seed_figures.cpp runs the same at the size of the
// published seed.
#include <catch2/catch.hpp>

#include "seed_checks.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

constexpr std::int64_t kVocab = 151936;

}  // namespace

TEST_CASE("every contract is in the registry under its name", "[contracts]") {
  CHECK(contracts().size() == 17);
  for (const Contract& entry : contracts()) {
    CHECK(find_contract(entry.name) == &entry);
    CHECK(&contract(entry.id) == &entry);
    CHECK_FALSE(entry.order.empty());
  }
  CHECK(find_contract("rl_kernel_ws3") == nullptr);
}

TEST_CASE("errors against fp64 are of the published size", "[contracts]") {
  const Problem problem = normal_problem(1, 96, kVocab, kVocab, StorageType::kBFloat16);
  check_errors(problem);
}

TEST_CASE("every contract is within 2 ulp of its formula with correctly rounded exp and log", "[contracts]") {
  check_formulas(normal_problem(2, 24, kVocab, kVocab, StorageType::kBFloat16));
  check_formulas(normal_problem(3, 24, kVocab, kVocab, StorageType::kFloat32, 3.0F));
}

TEST_CASE("tensor parallel verdicts", "[contracts]") {
  check_parallel_verdicts(normal_problem(4, 256, kVocab, kVocab, StorageType::kBFloat16));
}

TEST_CASE("rl_kernel_ws2 adds in another order for 16-bit storage", "[contracts]") {
  const Problem narrow = normal_problem(5, 128, kVocab, kVocab, StorageType::kBFloat16);
  std::vector<float> values;
  for (std::int64_t i = 0; i < 128 * kVocab; ++i)
    values.push_back(narrow.at(0, i));
  const Problem wide = given_problem(values, kVocab, kVocab, narrow.targets);
  const auto a = logp_of(ContractId::kRlKernelWs2, narrow.input);
  const auto b = logp_of(ContractId::kRlKernelWs2, wide.input);
  CHECK(differing(a, b) > 0);
  CHECK(differing(a, b) < 13);
  CHECK(max_abs_difference(a, b) < 2e-6);
}

TEST_CASE("padding: masked where the system masks it, summed where it does not", "[contracts]") {
  // 12 real columns, 4 padding columns of 0.
  std::vector<float> values;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 16; ++column)
      values.push_back(column < 12 ? 0.25F * static_cast<float>(column - row) : 0.0F);
  }
  const Problem padded = given_problem(values, 16, 12, {0, 3, 7, 11});
  Problem unmasked = padded;
  unmasked.input.real_vocab_size = 16;
  const auto masked_reference = fp64_of(padded.input);
  const auto unmasked_reference = fp64_of(unmasked.input);
  CHECK(max_abs_difference(masked_reference, unmasked_reference) > 0.01);
  for (const Contract& entry : contracts()) {
    if (counts_phantoms(entry))
      continue;
    INFO(entry.name);
    const auto logp = logp_of(entry.id, padded.input);
    // 0.25 steps are exact in bf16, so the strict contract's rounding changes nothing here.
    CHECK(max_abs_difference(logp, entry.masks_padding ? masked_reference : unmasked_reference) < 1e-6);
    CHECK(max_abs_difference(logp, entry.masks_padding ? unmasked_reference : masked_reference) > 0.01);
  }
}

TEST_CASE("every contract divides by the temperature in its own way", "[contracts]") {
  Problem problem = normal_problem(6, 64, 4096, 4096, StorageType::kFloat32);
  problem.input.temperature = 0.7;
  const auto reference = fp64_of(problem.input);
  for (const Contract& entry : contracts()) {
    if (counts_phantoms(entry))
      continue;
    INFO(entry.name);
    CHECK(max_abs_difference(logp_of(entry.id, problem.input), reference) < loose_bound(entry));
  }
  // Division and multiplication by the reciprocal differ in the last bit of some rows.
  const auto divided = logp_of(ContractId::kVllmGather, problem.input);
  Problem scaled = problem;
  scaled.input.temperature = 1.0;
  for (std::size_t i = 0; i < scaled.logits.size(); i += 4) {
    float z = 0.0F;
    std::memcpy(&z, scaled.logits.data() + i, 4);
    z *= 1.0F / 0.7F;
    std::memcpy(scaled.logits.data() + i, &z, 4);
  }
  CHECK(differing(divided, logp_of(ContractId::kVllmGather, scaled.input)) > 0);
  // vime multiplies, so scaling beforehand changes nothing for it.
  CHECK(differing(logp_of(ContractId::kVimeDefault, problem.input), logp_of(ContractId::kVimeDefault, scaled.input)) ==
        0);
}
