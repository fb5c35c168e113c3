// SPDX-License-Identifier: Apache-2.0
// The published seed's size: 1,024 rows of N(0,1) logits rounded to bf16, vocabulary 151,936, three data seeds. Prints
// the figures.
#include <cstdio>

#include "seed_checks.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

std::vector<float> alone(ContractId id, const Problem& problem, int ranks) {
  std::vector<float> logp(problem.targets.size());
  for (std::size_t row = 0; row < logp.size(); ++row) {
    LogpInput input = problem.input;
    input.tensor_parallel_size = ranks;
    input.rows = 1;
    input.logits = problem.logits.data() + row * static_cast<std::size_t>(input.padded_vocab_size) * 2;
    input.targets = problem.targets.data() + row;
    logp[row] = logp_of(id, input)[0];
  }
  return logp;
}

}  // namespace

TEST_CASE("the seed's figures", "[seed]") {
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    const Problem problem = normal_problem(seed, 1024, 151936, 151936, StorageType::kBFloat16);
    const auto reference = fp64_of(problem.input);
    const auto results = check_errors(problem);
    for (const auto& [id, logp] : results) {
      const auto tp4 = at_degree(id, problem.input, 4);
      const auto tp4_alone = alone(id, problem, 4);
      double pairwise = 0.0;
      for (const auto& other : results)
        pairwise = std::max(pairwise, max_abs_difference(logp, other.second));
      std::printf(
          "seed %llu %-20s tp1 %.3e tp4 %.3e pairwise %.4e | rows that differ: tp4/tp1 %d, ring/chain at tp4 %d, "
          "alone/batch at tp4 %d\n",
          static_cast<unsigned long long>(seed), std::string(contract(id).name).c_str(),
          max_abs_difference(logp, reference), max_abs_difference(tp4, reference), pairwise, differing(logp, tp4),
          differing(tp4, at_degree(id, problem.input, 4, CollectiveOrder::kChain)), differing(tp4, tp4_alone));
      if (id == ContractId::kRlKernelWs2 || id == ContractId::kVllmGather)
        CHECK(differing(tp4, tp4_alone) == 0);
    }
    check_parallel_verdicts(problem);
  }
}
