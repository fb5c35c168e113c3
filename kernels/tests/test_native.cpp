// SPDX-License-Identifier: Apache-2.0
// The native flavour as far as it can be checked without a GPU: the simulated blocks with CUDA's exponentials, but for
// MUFU.EX2, follow each system's order; and the exponentials are of the stated size of error.
#include <catch2/catch.hpp>
#include <cmath>

#include "contracts/dispatch.h"
#include "literal_orders.h"
#include "rlverify_kernels/native.h"
#include "rounded_ex2.h"
#include "simulate.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

template <class C, class Literal>
void compare(ContractId id, Problem problem, int ranks, Literal literal) {
  problem.input.tensor_parallel_size = ranks;
  const auto simulated = simulate<C, RoundedOps>(contract(id), problem);
  for (std::size_t row = 0; row < simulated.size(); ++row) {
    INFO(contract(id).name << " row " << row << " of " << problem.input.padded_vocab_size << " tp " << ranks);
    CHECK(bits_of(simulated[row]) ==
          bits_of(literal(row_of(problem, static_cast<std::int64_t>(row)), problem.targets[row])));
  }
}

double ulps(float value, double exact) {
  const double step = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
  return std::fabs(static_cast<double>(value) - exact) / step;
}

}  // namespace

TEST_CASE("native blocks follow the systems' orders with CUDA's exponentials", "[native]") {
  for (const std::int64_t vocab : {64 * 40, 64 * 313, 151936}) {
    const std::int64_t rows = vocab > 100000 ? 1 : 4;
    const Problem wide = normal_problem(94, rows, vocab, vocab, StorageType::kFloat32);
    const Problem narrow = normal_problem(95, rows, vocab, vocab, StorageType::kBFloat16);
    const auto ws2_wide = [](const Row& z, std::int64_t t) { return ws2<RoundedExp>(z, t, 128, 4); };
    const auto ws2_narrow = [](const Row& z, std::int64_t t) { return ws2<RoundedExp>(z, t, 64, 8); };
    compare<RlKernelWs2>(ContractId::kRlKernelWs2, wide, 1, ws2_wide);
    compare<RlKernelWs2>(ContractId::kRlKernelWs2, narrow, 4, ws2_narrow);
    compare<RlKernelStrictSingle>(ContractId::kRlKernelStrictSingle, wide, 1, strict_single<RoundedExp>);
    compare<VllmGather>(ContractId::kVllmGather, wide, 1, vllm<RoundedExp>);
    compare<VllmBatchInvariant>(ContractId::kVllmBatchInvariant, narrow, 1, batch_invariant<RoundedExp>);
    compare<MegatronCeFused>(ContractId::kMegatronCeFused, narrow, 1, miles<RoundedExp>);
    compare<VerlFused>(ContractId::kVerlFused, narrow, 1,
                       [](const Row& z, std::int64_t t) { return verl<RoundedExp>(z, t, false); });
    compare<VerlFusedPhantom>(ContractId::kVerlFusedPhantom, wide, 1,
                              [](const Row& z, std::int64_t t) { return verl<RoundedExp>(z, t, true); });
    for (const int ranks : {1, 4}) {
      compare<RlKernelStrictTp>(ContractId::kRlKernelStrictTp, narrow, ranks, [ranks](const Row& z, std::int64_t t) {
        return strict<RoundedExp>(z, t, static_cast<std::size_t>(ranks));
      });
    }
  }
}

TEST_CASE("CUDA's expf but for MUFU.EX2 has the stated error and edges", "[native]") {
  double worst = 0.0;
  double worst_fast = 0.0;
  for (std::uint32_t bits = 0x80000000U; bits <= 0xC2D00000U; bits += 4099) {  // -0 to -104
    const float x = float_of_bits(bits);
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, ulps(rounded_expf(x), exact));
    if (x > -20.0F)
      worst_fast = std::max(worst_fast, ulps(rounded_fast_exp(x), exact));
  }
  INFO(worst << " and " << worst_fast);
  CHECK(worst <= 1.15);
  CHECK(worst > 0.9);
  CHECK(worst_fast <= 2.0 + 1.173 * 20.0);
  CHECK(worst_fast > 2.0);
  CHECK(bits_of(rounded_expf(0.0F)) == 0x3F800000U);
  CHECK(rounded_expf(negative_infinity()) == 0.0F);
  CHECK(std::isnan(rounded_expf(canonical_nan())));
  // In place of the portable exponential it moves few log-probs, and those by a step.
  const Problem problem = normal_problem(96, 8, 151936, 151936, StorageType::kBFloat16);
  const auto native = simulate<VllmGather, RoundedOps>(contract(ContractId::kVllmGather), problem);
  const auto portable = logp_of(ContractId::kVllmGather, problem.input);
  CHECK(max_abs_difference(native, portable) <= 9.5367431640625e-07);
}

TEST_CASE("the native flavour is refused where there is no GPU", "[native]") {
  const Problem problem = normal_problem(97, 1, 64, 64, StorageType::kFloat32);
  Execution execution;
  execution.native = true;
  CHECK_THROWS_AS(logp_of(ContractId::kVllmGather, problem.input, execution), KernelError);
  CHECK(native_ops().size() == 8);
  if (!backend_status(Backend::kCuda).available) {
    float out = 0.0F;
    const float in = 1.0F;
    CHECK_THROWS_AS(run_native_op(NativeOp::kExp, &in, 1, 1, 1.0F, 0, &out), KernelError);
  }
}
