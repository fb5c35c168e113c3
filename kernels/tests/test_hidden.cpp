// SPDX-License-Identifier: Apache-2.0
// Hidden states times weight: one fma chain per element, the same on every level, and contracts on top of it.
#include <catch2/catch.hpp>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

struct HiddenProblem {
  std::vector<unsigned char> hidden;
  std::vector<unsigned char> weight;
  std::vector<std::int64_t> targets;
  LogpInput input;
};

HiddenProblem make(std::int64_t rows, std::int64_t size, std::int64_t vocab, StorageType type) {
  HiddenProblem problem;
  problem.hidden = normal_logits(41, rows, size, size, 1.0F, type);
  problem.weight = normal_logits(42, vocab, size, size, 0.05F, type);
  problem.targets = uniform_targets(43, rows, vocab);
  problem.input.hidden = problem.hidden.data();
  problem.input.weight = problem.weight.data();
  problem.input.hidden_type = problem.input.weight_type = type;
  problem.input.hidden_size = size;
  problem.input.targets = problem.targets.data();
  problem.input.rows = rows;
  problem.input.real_vocab_size = problem.input.padded_vocab_size = vocab;
  return problem;
}

std::vector<float> literal_product(const HiddenProblem& problem, StorageType rounding) {
  const LogpInput& input = problem.input;
  std::vector<float> product;
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (std::int64_t column = 0; column < input.padded_vocab_size; ++column) {
      float sum = 0.0F;
      for (std::int64_t k = 0; k < input.hidden_size; ++k) {
        sum = fused_multiply_add(load_storage(input.hidden, input.hidden_type, row * input.hidden_size + k),
                                 load_storage(input.weight, input.weight_type, column * input.hidden_size + k), sum);
      }
      product.push_back(round_to_storage(sum, rounding));
    }
  }
  return product;
}

}  // namespace

TEST_CASE("the product is one fma chain over ascending k", "[hidden]") {
  for (const StorageType type : {StorageType::kBFloat16, StorageType::kFloat16, StorageType::kFloat32}) {
    const HiddenProblem problem = make(67, 33, 131, type);
    for (const StorageType rounding : {StorageType::kFloat32, StorageType::kBFloat16, StorageType::kFloat16}) {
      const auto expected = bits_of_all(literal_product(problem, rounding));
      for (const SimdLevel level : simd_levels()) {
        Execution execution;
        execution.simd = level;
        std::vector<float> product(67 * 131);
        project_logits(problem.input, rounding, execution, product.data());
        CHECK(bits_of_all(product) == expected);
      }
    }
  }
}

TEST_CASE("contracts from hidden states equal contracts from the product", "[hidden]") {
  const HiddenProblem problem = make(70, 40, 1024, StorageType::kBFloat16);
  for (const Contract& entry : contracts()) {
    for (const int ranks : {1, 4}) {
      HiddenProblem again = problem;
      again.input.hidden = again.hidden.data();
      LogpInput from_hidden = problem.input;
      from_hidden.tensor_parallel_size = ranks;
      Problem direct =
          given_problem(literal_product(problem, entry.product_type), 1024, 1024, problem.targets, entry.product_type);
      direct.input.tensor_parallel_size = ranks;
      INFO(entry.name << " tp " << ranks);
      CHECK(bits_of_all(logp_of(entry.id, from_hidden)) == bits_of_all(logp_of(entry.id, direct.input)));
    }
  }
}
