// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels' indexing and exchanges, simulated thread by thread, give the CPU backend's bits for every contract.
#include <catch2/catch.hpp>
#include <type_traits>

#include "contracts/dispatch.h"
#include "simulate.h"
#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

void compare(const Contract& entry, Problem problem) {
  for (const int ranks : degrees(entry, problem.input.padded_vocab_size)) {
    problem.input.tensor_parallel_size = ranks;
    INFO(entry.name << " tp " << ranks << " vocabulary " << problem.input.real_vocab_size << " of "
                    << problem.input.padded_vocab_size << " " << storage_name(problem.input.logits_type) << " T "
                    << problem.input.temperature);
    const auto simulated = with_contract(entry.id, [&](auto tag) {
      using C = typename decltype(tag)::type;
      if constexpr (std::is_same_v<C, Fp64Reference>) {
        return std::vector<float>();
      } else {
        return simulate<C, ScalarOps>(entry, problem);
      }
    });
    CHECK(bits_of_all(simulated) == bits_of_all(logp_of(entry.id, problem.input)));
  }
}

/// Every contract but the reference, which has a test of its own.
void compare_all(const Problem& problem) {
  for (const Contract& entry : contracts()) {
    if (!entry.result_is_fp64 && !is_alias(entry.id, problem.input.logits_type))
      compare(entry, problem);
  }
}

constexpr StorageType kTypes[] = {StorageType::kFloat32, StorageType::kBFloat16, StorageType::kFloat16};

}  // namespace

TEST_CASE("the simulated CUDA block gives the CPU's bits", "[simulator]") {
  for (const StorageType type : kTypes) {
    for (const std::int64_t vocab : {std::int64_t{1}, std::int64_t{20}, std::int64_t{511}, std::int64_t{512},
                                     std::int64_t{513}, std::int64_t{1000}, std::int64_t{4096}, std::int64_t{20003}}) {
      compare_all(normal_problem(7, 3, vocab, vocab, type));
    }
  }
}

TEST_CASE("the simulated CUDA block gives the CPU's bits at full width", "[simulator]") {
  compare_all(normal_problem(8, 1, 152064, 151936, StorageType::kBFloat16));
  compare_all(normal_problem(9, 1, 151936, 151936, StorageType::kFloat32));
}

TEST_CASE("the simulated CUDA block follows every temperature rule", "[simulator]") {
  for (const StorageType type : kTypes) {
    for (const double temperature : {0.0, 0.6, 0.7, 2.0}) {
      Problem problem = normal_problem(10, 4, 1024, 1000, type);
      problem.input.temperature = temperature;
      compare_all(problem);
    }
  }
}

TEST_CASE("the simulated CUDA block gives the CPU's fp64 reference", "[simulator]") {
  const Problem problem = normal_problem(11, 4, 1024, 1000, StorageType::kBFloat16);
  const Prepared prepared =
      prepare(contract(ContractId::kFp64), problem.input, problem.input.logits_type, problem.input.logits_type);
  const std::vector<double> expected = fp64_of(problem.input);
  for (std::size_t row = 0; row < expected.size(); ++row) {
    SimBlock block(Fp64Reference::kLanes);
    const void* stored = problem.logits.data() + row * 2048;
    const double logp = Fp64Reference::logp(block, stored, prepared.transform, problem.targets[row], prepared.shape);
    CHECK(bits_of(logp) == bits_of(expected[row]));
  }
}
