// SPDX-License-Identifier: Apache-2.0
// Checks that run at a small size in every build and at the published seed's size in the long test.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "test_support.h"

namespace rlverify::kernels::test {

inline constexpr double kUlpOf8To16 = 9.5367431640625e-07;

/// The published error at this size, or what was seen where none is published.
inline double seed_bound(ContractId id) {
  switch (id) {
    case ContractId::kRlKernelStrictTp:
    case ContractId::kRlKernelStrictTopP:
      return 1.13e-6;
    case ContractId::kVllmBatchInvariant:
      return 1.25e-6;  // published: 1.09e-6 to 1.15e-6 over three data seeds; here 0.93e-6 to 1.22e-6
    case ContractId::kRlKernelStrictSingle:
      return 1.0e-6;
    case ContractId::kRlKernelSparseNucleus:
      return 1.0e-4;  // made for 128 columns: one after the other over a whole vocabulary it is coarse
    default:
      return 9.0e-7;
  }
}

/// Largest error against fp64 per contract, and pairwise differences, on N(0,1) logits rounded to bf16.
inline std::map<ContractId, std::vector<float>> check_errors(const Problem& problem) {
  const auto reference = fp64_of(problem.input);
  std::map<ContractId, std::vector<float>> results;
  for (const Contract& entry : contracts()) {
    if (entry.result_is_fp64 || counts_phantoms(entry))
      continue;
    results[entry.id] = logp_of(entry.id, problem.input);
    const double error = max_abs_difference(results[entry.id], reference);
    INFO(entry.name << " error " << error);
    CHECK(error > 3e-7);
    CHECK(error < seed_bound(entry.id));
  }
  for (const auto& a : results) {
    for (const auto& b : results) {
      const bool serial =
          a.first == ContractId::kRlKernelSparseNucleus || b.first == ContractId::kRlKernelSparseNucleus;
      CHECK(max_abs_difference(a.second, b.second) <= (serial ? 1e-4 : 2 * kUlpOf8To16));
    }
  }
  CHECK(differing(results[ContractId::kMilesFused], results[ContractId::kMegatronCeFused]) == 0);
  CHECK(differing(results[ContractId::kRlKernelStrictTp], results[ContractId::kRlKernelStrictTopP]) == 0);
  CHECK(max_abs_difference(results[ContractId::kMegatronCe], results[ContractId::kVimeDefault]) == 0.0);
  return results;
}

/// Ulp of max(|z_t|, |lse|, 1) in fp32.
inline double result_ulp(double target, double lse) {
  const double size = std::max({std::fabs(target), std::fabs(lse), 1.0});
  return std::ldexp(1.0, std::ilogb(size) - 23);
}

/// Each contract's own last steps with exp and log correctly rounded and the sum exact.
inline void check_formulas(const Problem& problem) {
  const LogpInput& input = problem.input;
  std::map<ContractId, std::vector<float>> results;
  for (const Contract& entry : contracts())
    results[entry.id] = logp_of(entry.id, input);
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (const bool rounds : {false, true}) {
      const auto value = [&](std::int64_t c) {
        const float z = problem.at(row, c);
        return rounds ? widen_bf16(narrow_bf16(z)) : z;
      };
      float max = negative_infinity();
      for (std::int64_t c = 0; c < input.real_vocab_size; ++c)
        max = std::max(max, value(c));
      double sum = 0.0;
      for (std::int64_t c = 0; c < input.real_vocab_size; ++c) {
        sum += static_cast<double>(static_cast<float>(std::exp(static_cast<double>(value(c) - max))));
      }
      const float log_sum = static_cast<float>(std::log(static_cast<double>(static_cast<float>(sum))));
      const auto r = static_cast<std::size_t>(row);
      const float target = value(problem.targets[r]);
      const float formula_a = (target - max) - log_sum;
      const float formula_b = target - (max + log_sum);
      const double tolerance = 2.0 * result_ulp(static_cast<double>(target), static_cast<double>(max + log_sum));
      for (const Contract& entry : contracts()) {
        if (entry.result_is_fp64 || counts_phantoms(entry) || entry.id == ContractId::kRlKernelSparseNucleus ||
            rounds != (entry.temperature_rule == TemperatureRule::kDivideRoundBf16))
          continue;
        const bool b = entry.name.find("rl_kernel") == 0 || entry.id == ContractId::kVerlFused;
        const double expected = static_cast<double>(b ? formula_b : formula_a);
        INFO(entry.name << " row " << row);
        CHECK(std::fabs(static_cast<double>(results[entry.id][r]) - expected) <= tolerance);
      }
    }
  }
}

inline std::vector<float> at_degree(ContractId id, LogpInput input, int ranks,
                                    CollectiveOrder order = CollectiveOrder::kRing) {
  input.tensor_parallel_size = ranks;
  input.collective.order = order;
  return logp_of(id, input);
}

/// Which contracts keep their bits across tensor parallel degrees and collective orders.
inline void check_parallel_verdicts(const Problem& problem) {
  const LogpInput& input = problem.input;
  for (const ContractId id : {ContractId::kRlKernelWs2, ContractId::kRlKernelWs2Rocm, ContractId::kRlKernelStrictSingle,
                              ContractId::kVllmGather, ContractId::kVllmBatchInvariant}) {
    INFO(contract(id).name);
    CHECK(differing(at_degree(id, input, 1), at_degree(id, input, 4)) == 0);
    CHECK(differing(at_degree(id, input, 1), at_degree(id, input, 8)) == 0);
  }
  for (const ContractId id :
       {ContractId::kMegatronCe, ContractId::kMegatronCeFused, ContractId::kVimeDefault, ContractId::kMilesFused,
        ContractId::kVerlFused, ContractId::kVerlFusedPhantom, ContractId::kRlKernelStrictTp}) {
    INFO(contract(id).name);
    CHECK(differing(at_degree(id, input, 1), at_degree(id, input, 4)) > 0);
  }
  for (const int ranks : {1, 2, 4, 8}) {
    CHECK(max_abs_difference(at_degree(ContractId::kMegatronCe, input, ranks),
                             at_degree(ContractId::kVimeDefault, input, ranks)) == 0.0);
  }
  for (const Contract& entry : contracts()) {
    if (!entry.uses_collective_sum)
      continue;
    INFO(entry.name);
    const auto ring = at_degree(entry.id, input, 2, CollectiveOrder::kRing);
    CHECK(differing(ring, at_degree(entry.id, input, 2, CollectiveOrder::kChain)) == 0);
    CHECK(differing(ring, at_degree(entry.id, input, 2, CollectiveOrder::kGather)) == 0);
    CHECK(differing(at_degree(entry.id, input, 8, CollectiveOrder::kRing),
                    at_degree(entry.id, input, 8, CollectiveOrder::kChain)) > 0);
  }
}

}  // namespace rlverify::kernels::test
