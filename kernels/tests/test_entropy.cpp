// SPDX-License-Identifier: Apache-2.0
// Entropies: of the right size, in the stated order, the same on every instruction set and in the simulated CUDA block.
#include <catch2/catch.hpp>
#include <cmath>
#include <type_traits>

#include "contracts/dispatch.h"
#include "literal_orders.h"
#include "simulate.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

std::vector<float> entropy_of(ContractId id, const LogpInput& input, const Execution& execution = {}) {
  std::vector<float> entropy(static_cast<std::size_t>(input.rows));
  compute_logp(id, input, execution, {nullptr, nullptr, entropy.data()});
  return entropy;
}

std::vector<double> exact_entropy(const Problem& problem) {
  std::vector<double> entropies;
  for (std::int64_t row = 0; row < problem.input.rows; ++row) {
    double sum = 0.0;
    double weighted = 0.0;
    for (std::int64_t c = 0; c < problem.input.real_vocab_size; ++c) {
      const double z = static_cast<double>(problem.at(row, c));
      if (std::isinf(z))
        continue;
      sum += std::exp(z);
      weighted += std::exp(z) * z;
    }
    entropies.push_back(std::log(sum) - weighted / sum);
  }
  return entropies;
}

/// torch.sum of a rank's 1,024 columns for 16 rows and more: 32 lanes x 4 accumulators, neighbours first.
float rank_sum(const std::vector<float>& terms) {
  std::array<float, 128> a{};
  for (std::size_t c = 0; c < terms.size(); ++c)
    a[c % 128] = a[c % 128] + terms[c];
  std::array<float, 32> lane{};
  for (std::size_t i = 0; i < 32; ++i)
    lane[i] = ((a[4 * i] + a[4 * i + 1]) + a[4 * i + 2]) + a[4 * i + 3];
  return warp_up(lane);
}

template <class C>
std::vector<float> simulated_entropy(const Contract& entry, const Problem& problem) {
  const Prepared prepared = prepare(entry, problem.input, problem.input.logits_type, problem.input.logits_type);
  const Shape& shape = prepared.shape;
  std::vector<float> entropies;
  for (std::int64_t row = 0; row < problem.input.rows; ++row) {
    const void* stored = problem.logits.data() + row * prepared.row_stride * storage_bytes(problem.input.logits_type);
    const LogitColumns columns{stored, prepared.transform};
    std::vector<float> maxima;
    std::vector<float> sums;
    for (int unit = 0; unit < C::units(shape); ++unit) {
      SimBlock block(std::max(32, C::lanes(shape)));
      const Partial partial = C::partial(block, columns, C::unit(shape, unit), 0.0F, shape, row);
      maxima.push_back(partial.max);
      sums.push_back(partial.sum);
    }
    MergeInput in;
    in.maxima = maxima.data();
    in.sums = sums.data();
    in.units = C::units(shape);
    float entropy = 0.0F;
    for (int unit = 0; unit < C::entropy_units(shape); ++unit) {
      SimBlock block(std::max(64, C::entropy_lanes(shape)));
      const EntropyInput input{C::log_sum_exp(block, in, shape), maxima[0], sums[0]};
      const float part = C::entropy_partial(block, columns, unit, input, shape, row);
      entropy = unit == 0 ? part : entropy + part;
    }
    entropies.push_back(entropy);
  }
  return entropies;
}

}  // namespace

TEST_CASE("entropies agree with fp64, instruction sets and the simulated block", "[entropy]") {
  for (const StorageType type : {StorageType::kFloat32, StorageType::kBFloat16, StorageType::kFloat16}) {
    for (const std::int64_t vocab : {64, 1000, 4096}) {
      // Padding columns hold numbers that must not count.
      Problem problem = normal_problem(101, 18, vocab, vocab, type, 2.0F);
      problem.input.real_vocab_size = vocab - 13;
      const auto exact = exact_entropy(problem);
      for (const Contract& entry : contracts()) {
        if (!entry.has_entropy)
          continue;
        for (const int ranks : {1, 4}) {
          problem.input.tensor_parallel_size = ranks;
          INFO(entry.name << " " << storage_name(type) << " " << vocab << " tp " << ranks);
          const auto entropy = entropy_of(entry.id, problem.input);
          CHECK(max_abs_difference(entropy, exact) < (entry.needs_retained_set ? 1e-4 : 2e-5));
          for (const SimdLevel level : simd_levels()) {
            Execution execution;
            execution.simd = level;
            CHECK(bits_of_all(entropy_of(entry.id, problem.input, execution)) == bits_of_all(entropy));
          }
          const auto simulated = with_contract(entry.id, [&](auto tag) {
            using C = typename decltype(tag)::type;
            if constexpr (kHasEntropy<C>) {
              return simulated_entropy<C>(entry, problem);
            } else {
              return std::vector<float>();
            }
          });
          CHECK(bits_of_all(simulated) == bits_of_all(entropy));
        }
      }
    }
  }
}

TEST_CASE("entropies give the bits of their systems' orders written out", "[entropy]") {
  Problem problem = normal_problem(102, 20, 4096, 4096, StorageType::kFloat32);
  problem.input.tensor_parallel_size = 4;
  const auto ws2_entropy = entropy_of(ContractId::kRlKernelWs2, problem.input);
  const auto sparse = entropy_of(ContractId::kRlKernelSparseNucleus, problem.input);
  for (std::int64_t row = 0; row < 20; ++row) {
    const Row z = row_of(problem, row);
    // z_0 - lse is ws2's result for target 0, up to its rounding; so lse comes from the sum written out.
    const float lse = ws2_log_sum_exp<PortableExp>(z, 128, 4);
    float entropy = 0.0F;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      std::vector<float> terms;
      for (std::size_t c = 1024 * rank; c < 1024 * (rank + 1); ++c)
        terms.push_back(exp_portable(z[c] - lse) * (lse - z[c]));
      entropy = rank == 0 ? rank_sum(terms) : entropy + rank_sum(terms);
    }
    CHECK(bits_of(ws2_entropy[static_cast<std::size_t>(row)]) == bits_of(entropy));

    const float max = max_of(z, 0, z.size());
    float sum = 0.0F;
    for (const float value : z)
      sum = sum + nucleus_exp(value - max);
    const float sparse_lse = max + nucleus_log(sum);
    float serial = 0.0F;
    for (const float value : z)
      serial = serial + (nucleus_exp(value - max) * nucleus_reciprocal(sum)) * (sparse_lse - value);
    CHECK(bits_of(sparse[static_cast<std::size_t>(row)]) == bits_of(serial));
  }
}

TEST_CASE("an entropy that a contract does not have is refused", "[entropy]") {
  const Problem problem = normal_problem(103, 2, 100, 100, StorageType::kFloat32);
  CHECK_THROWS_AS(entropy_of(ContractId::kVllmGather, problem.input), KernelError);
  LogpInput uneven = problem.input;
  uneven.tensor_parallel_size = 8;
  CHECK_THROWS_AS(entropy_of(ContractId::kRlKernelWs2, uneven), KernelError);
  const Problem empty = given_problem(std::vector<float>(64, negative_infinity()), 64, 64, {3});
  CHECK(bits_of(entropy_of(ContractId::kRlKernelWs2, empty.input)[0]) == 0x7FC00000U);
}
