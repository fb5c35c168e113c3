// SPDX-License-Identifier: Apache-2.0
// What the kernels' tests share: problems in memory, runs with one line, comparison of bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "arithmetic/storage.h"
#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/synthetic.h"

namespace rlverify::kernels::test {

/// Logits and targets of some rows, and the input that points at them.
struct Problem {
  std::vector<unsigned char> logits;
  std::vector<std::int64_t> targets;
  LogpInput input;

  Problem() = default;
  Problem(const Problem& other) : logits(other.logits), targets(other.targets), input(other.input) { point(); }
  Problem& operator=(const Problem&) = delete;

  void point() {
    input.logits = logits.data();
    input.targets = targets.data();
    input.rows = static_cast<std::int64_t>(targets.size());
  }
  [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
    return load_storage(logits.data(), input.logits_type, row * input.padded_vocab_size + column);
  }
};

inline Problem normal_problem(std::uint64_t seed, std::int64_t rows, std::int64_t padded, std::int64_t real,
                              StorageType type, float sigma = 1.0F) {
  Problem problem;
  problem.logits = normal_logits(seed, rows, padded, real, sigma, type);
  problem.targets = uniform_targets(seed, rows, real);
  problem.input.logits_type = type;
  problem.input.real_vocab_size = real;
  problem.input.padded_vocab_size = padded;
  problem.point();
  return problem;
}

/// A problem from given numbers, [rows, padded].
inline Problem given_problem(const std::vector<float>& values, std::int64_t padded, std::int64_t real,
                             const std::vector<std::int64_t>& targets, StorageType type = StorageType::kFloat32) {
  Problem problem;
  problem.targets = targets;
  problem.input.logits_type = type;
  problem.input.real_vocab_size = real;
  problem.input.padded_vocab_size = padded;
  problem.logits.resize(values.size() * static_cast<std::size_t>(storage_bytes(type)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (type == StorageType::kFloat32) {
      std::memcpy(problem.logits.data() + i * 4, &values[i], 4);
    } else {
      const std::uint16_t narrow = type == StorageType::kBFloat16 ? narrow_bf16(values[i]) : narrow_fp16(values[i]);
      std::memcpy(problem.logits.data() + i * 2, &narrow, 2);
    }
  }
  problem.point();
  return problem;
}

inline std::vector<float> logp_of(ContractId id, const LogpInput& input, const Execution& execution = {}) {
  std::vector<float> logp(static_cast<std::size_t>(input.rows));
  compute_logp(id, input, execution, {logp.data(), nullptr});
  return logp;
}

inline std::vector<double> fp64_of(const LogpInput& input) {
  std::vector<double> logp(static_cast<std::size_t>(input.rows));
  compute_logp(ContractId::kFp64, input, Execution{}, {nullptr, logp.data()});
  return logp;
}

inline std::vector<std::uint32_t> bits_of_all(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    bits[i] = bits_of(values[i]);
  return bits;
}

inline int differing(const std::vector<float>& a, const std::vector<float>& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    count += bits_of(a[i]) != bits_of(b[i]) ? 1 : 0;
  return count;
}

template <class A, class B>
double max_abs_difference(const std::vector<A>& a, const std::vector<B>& b) {
  double max = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    max = std::max(max, difference < 0 ? -difference : difference);
  }
  return max;
}

/// Whether the contract adds what is no column at all: its distance from fp64 is not rounding.
inline bool counts_phantoms(const Contract& entry) {
  return entry.id == ContractId::kVerlFusedPhantom;
}

/// How far a contract may be from fp64 where nothing is stated: bf16 logits and a sum of one term after the other are
/// coarse.
inline double loose_bound(const Contract& entry) {
  if (entry.temperature_rule == TemperatureRule::kDivideRoundBf16)
    return 0.05;
  return entry.id == ContractId::kRlKernelSparseNucleus ? 1e-4 : 3e-6;
}

/// Degrees at which a contract is run on a vocabulary.
inline std::vector<int> degrees(const Contract& entry, std::int64_t padded) {
  std::vector<int> ranks{1};
  for (const int p : {2, 4, 8}) {
    if (!entry.needs_divisible_vocab || padded % p == 0)
      ranks.push_back(p);
  }
  return ranks;
}

}  // namespace rlverify::kernels::test
