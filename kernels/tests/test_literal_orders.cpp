// SPDX-License-Identifier: Apache-2.0
// The contracts give the bits of the systems' orders written out (literal_orders.h). (torch.sum has its own file.)
#include <catch2/catch.hpp>
#include <cmath>

#include "literal_orders.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

template <class Literal>
void compare(ContractId id, const Problem& problem, Literal literal) {
  const auto logp = logp_of(id, problem.input);
  for (std::size_t row = 0; row < logp.size(); ++row) {
    INFO(contract(id).name << " row " << row << " of " << problem.input.padded_vocab_size);
    CHECK(bits_of(logp[row]) ==
          bits_of(literal(row_of(problem, static_cast<std::int64_t>(row)), problem.targets[row])));
  }
}

}  // namespace

TEST_CASE("contracts give the bits of their systems' orders written out", "[literal]") {
  for (const std::int64_t vocab : {64 * 40, 4096, 64 * 313, 151936}) {
    const std::int64_t rows = vocab > 100000 ? 4 : 12;
    const Problem wide = normal_problem(91, rows, vocab, vocab, StorageType::kFloat32);
    const Problem narrow = normal_problem(92, rows, vocab, vocab, StorageType::kBFloat16);
    compare(ContractId::kRlKernelWs2, wide,
            [](const Row& z, std::int64_t t) { return ws2<PortableExp>(z, t, 128, 4); });
    compare(ContractId::kRlKernelWs2, narrow,
            [](const Row& z, std::int64_t t) { return ws2<PortableExp>(z, t, 64, 8); });
    compare(ContractId::kRlKernelWs2F32, narrow,
            [](const Row& z, std::int64_t t) { return ws2<PortableExp>(z, t, 128, 4); });
    compare(ContractId::kRlKernelWs2Bits16, wide,
            [](const Row& z, std::int64_t t) { return ws2<PortableExp>(z, t, 64, 8); });
    for (const Problem& problem : {wide, narrow}) {
      compare(ContractId::kVllmGather, problem, vllm<PortableExp>);
      compare(ContractId::kVllmBatchInvariant, problem, batch_invariant<PortableExp>);
      compare(ContractId::kMilesFused, problem, miles<PortableExp>);
      compare(ContractId::kMegatronCeFused, problem, miles<PortableExp>);
      compare(ContractId::kVerlFused, problem,
              [](const Row& z, std::int64_t t) { return verl<PortableExp>(z, t, false); });
      compare(ContractId::kVerlFusedPhantom, problem,
              [](const Row& z, std::int64_t t) { return verl<PortableExp>(z, t, true); });
      compare(ContractId::kRlKernelStrictSingle, problem, strict_single<PortableExp>);
      compare(ContractId::kRlKernelWs2Rocm, problem,
              [](const Row& z, std::int64_t t) { return ws2<PortableExp>(z, t, 128, 8); });
      for (const int ranks : {1, 2, 4, 8}) {
        Problem parallel = problem;
        parallel.input.tensor_parallel_size = ranks;
        compare(ContractId::kRlKernelStrictTp, parallel, [ranks](const Row& z, std::int64_t t) {
          return strict<PortableExp>(z, t, static_cast<std::size_t>(ranks));
        });
      }
    }
  }
}

TEST_CASE("contracts over a retained set give the bits of their systems' orders written out", "[literal]") {
  // 1 to 128 columns of 4,096 are kept, the target among them.
  Problem problem = normal_problem(93, 24, 4096, 4096, StorageType::kFloat32);
  std::vector<float> values(24 * 4096, negative_infinity());
  for (std::int64_t row = 0; row < 24; ++row) {
    const std::int64_t kept = row < 22 ? 1 + 5 * row : 128;
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::int64_t column = (row * 131 + i * 31) % 4096;
      values[static_cast<std::size_t>(row * 4096 + column)] = 3.0F * problem.at(row, column);
    }
    problem.targets[static_cast<std::size_t>(row)] = (row * 131 + row % kept * 31) % 4096;
  }
  const Problem retained = given_problem(values, 4096, 4096, problem.targets);
  const auto reference = fp64_of(retained.input);
  compare(ContractId::kRlKernelSparseNucleus, retained, sparse_nucleus);
  CHECK(max_abs_difference(logp_of(ContractId::kRlKernelSparseNucleus, retained.input), reference) < 2e-6);
  for (const int ranks : {1, 2, 4, 8}) {
    Problem parallel = retained;
    parallel.input.tensor_parallel_size = ranks;
    CHECK(differing(logp_of(ContractId::kRlKernelStrictTopP, parallel.input),
                    logp_of(ContractId::kRlKernelStrictTp, parallel.input)) == 0);
  }
  // A target outside the set is an error of the system.
  Problem outside = retained;
  outside.targets.assign(24, 4095);
  outside.point();
  for (const ContractId id : {ContractId::kRlKernelSparseNucleus, ContractId::kRlKernelStrictTopP}) {
    for (const float value : logp_of(id, outside.input))
      CHECK(bits_of(value) == 0x7FC00000U);
  }
}
