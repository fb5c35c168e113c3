// SPDX-License-Identifier: Apache-2.0
// What may not change a bit: threads, instruction set, batch pieces, order of rows. Exact tests.
#include <catch2/catch.hpp>
#include <numeric>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

constexpr StorageType kTypes[] = {StorageType::kFloat32, StorageType::kBFloat16, StorageType::kFloat16};

}  // namespace

TEST_CASE("results do not depend on the instruction set", "[invariance]") {
  for (const StorageType type : kTypes) {
    for (const std::int64_t vocab : {1, 511, 512, 513, 1000, 20003, 151936, 152064}) {
      for (const double temperature : {1.0, 0.7}) {
        Problem problem = normal_problem(21, vocab > 100000 ? 2 : 5, vocab, vocab > 152000 ? 151936 : vocab, type);
        problem.input.temperature = temperature;
        for (const Contract& entry : contracts()) {
          if (is_alias(entry.id, type))
            continue;
          for (const int ranks : degrees(entry, vocab)) {
            problem.input.tensor_parallel_size = ranks;
            Execution scalar;
            scalar.simd = SimdLevel::kScalar;
            const auto expected = bits_of_all(logp_of(entry.id, problem.input, scalar));
            for (const SimdLevel level : simd_levels()) {
              if (level == SimdLevel::kScalar)
                continue;
              Execution execution;
              execution.simd = level;
              INFO(entry.name << " " << storage_name(type) << " " << vocab << " tp " << ranks << " T " << temperature
                              << " " << simd_name(level));
              CHECK(bits_of_all(logp_of(entry.id, problem.input, execution)) == expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("results do not depend on the number of threads", "[invariance]") {
  const Problem problem = normal_problem(22, 37, 4096, 4000, StorageType::kBFloat16);
  for (const Contract& entry : contracts()) {
    Execution one;
    one.threads = 1;
    const auto expected = bits_of_all(logp_of(entry.id, problem.input, one));
    for (const int threads : {2, 3, 8}) {
      Execution execution;
      execution.threads = threads;
      CHECK(bits_of_all(logp_of(entry.id, problem.input, execution)) == expected);
    }
  }
}

TEST_CASE("rows computed in pieces are the rows of the whole batch", "[invariance]") {
  const std::int64_t rows = 70;
  const Problem problem = normal_problem(23, rows, 4096, 4096, StorageType::kBFloat16);
  for (const Contract& entry : contracts()) {
    for (const int ranks : {1, 4}) {
      LogpInput whole = problem.input;
      whole.tensor_parallel_size = ranks;
      const auto expected = bits_of_all(logp_of(entry.id, whole));
      for (const std::int64_t piece : {1, 7, 33}) {
        std::vector<float> logp(static_cast<std::size_t>(rows));
        for (std::int64_t first = 0; first < rows; first += piece) {
          LogpInput part = whole;
          part.rows = std::min(piece, rows - first);
          part.logits = problem.logits.data() + first * 4096 * 2;
          part.targets = problem.targets.data() + first;
          part.batch_rows = rows;
          part.first_batch_row = first;
          compute_logp(entry.id, part, Execution{}, {logp.data() + first, nullptr});
        }
        INFO(entry.name << " tp " << ranks << " pieces of " << piece);
        CHECK(bits_of_all(logp) == expected);
      }
    }
  }
}

TEST_CASE("batch-invariant contracts ignore batch and row order", "[invariance]") {
  const std::int64_t rows = 48;
  const Problem problem = normal_problem(24, rows, 4096, 4096, StorageType::kBFloat16);
  Problem reversed = problem;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t other = rows - 1 - row;
    std::copy_n(problem.logits.begin() + other * 8192, 8192, reversed.logits.begin() + row * 8192);
    reversed.targets[static_cast<std::size_t>(row)] = problem.targets[static_cast<std::size_t>(other)];
  }
  for (const ContractId id :
       {ContractId::kFp64, ContractId::kRlKernelWs2, ContractId::kRlKernelWs2F32, ContractId::kRlKernelWs2Rocm,
        ContractId::kRlKernelStrictTp, ContractId::kRlKernelStrictTopP, ContractId::kRlKernelStrictSingle,
        ContractId::kRlKernelSparseNucleus, ContractId::kVllmGather, ContractId::kVllmBatchInvariant}) {
    INFO(contract(id).name);
    LogpInput input = problem.input;
    input.tensor_parallel_size = 4;
    LogpInput backwards = reversed.input;
    backwards.tensor_parallel_size = 4;
    auto logp = logp_of(id, backwards);
    std::reverse(logp.begin(), logp.end());
    CHECK(bits_of_all(logp) == bits_of_all(logp_of(id, input)));
    LogpInput larger = input;
    larger.batch_rows = 5000;
    larger.first_batch_row = 1234;
    CHECK(bits_of_all(logp_of(id, larger)) == bits_of_all(logp_of(id, input)));
  }
}

TEST_CASE("a ring's order moves with the row's place in the batch", "[invariance]") {
  const std::int64_t rows = 512;
  const Problem problem = normal_problem(25, rows, 4096, 4096, StorageType::kBFloat16);
  LogpInput at_start = problem.input;
  at_start.tensor_parallel_size = 4;
  at_start.batch_rows = 1024;
  LogpInput at_end = at_start;
  at_end.first_batch_row = 512;
  for (const ContractId id : {ContractId::kMegatronCe, ContractId::kMegatronCeFused, ContractId::kVimeDefault,
                              ContractId::kMilesFused, ContractId::kVerlFused, ContractId::kVerlFusedPhantom}) {
    INFO(contract(id).name);
    CHECK(differing(logp_of(id, at_start), logp_of(id, at_end)) > 0);
    LogpInput chain_start = at_start;
    LogpInput chain_end = at_end;
    chain_start.collective.order = chain_end.collective.order = CollectiveOrder::kChain;
    CHECK(differing(logp_of(id, chain_start), logp_of(id, chain_end)) == 0);
  }
}

TEST_CASE("torch.sum at one rank changes with the number of rows", "[invariance]") {
  const Problem problem = normal_problem(26, 128, 151936, 151936, StorageType::kBFloat16);
  LogpInput large = problem.input;
  large.batch_rows = 1024;
  LogpInput single = problem.input;
  single.batch_rows = 128;
  CHECK(differing(logp_of(ContractId::kMegatronCe, large), logp_of(ContractId::kMegatronCe, single)) > 0);
}

TEST_CASE("a row stride larger than the vocabulary is followed", "[invariance]") {
  const Problem problem = normal_problem(27, 6, 1024, 1024, StorageType::kFloat32);
  LogpInput cut = problem.input;
  cut.logits_row_stride = 1024;
  cut.padded_vocab_size = cut.real_vocab_size = 768;
  std::vector<std::int64_t> targets{0, 1, 2, 3, 4, 767};
  cut.targets = targets.data();
  std::vector<float> packed;
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t column = 0; column < 768; ++column)
      packed.push_back(problem.at(row, column));
  }
  const Problem copy = given_problem(packed, 768, 768, targets);
  for (const Contract& entry : contracts())
    CHECK(bits_of_all(logp_of(entry.id, cut)) == bits_of_all(logp_of(entry.id, copy.input)));
}
