// SPDX-License-Identifier: Apache-2.0
// Each system's sum written out thread by thread as its source has it, without the block policies: the contracts must
// give these bits. (torch.sum has its own file.)
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "arithmetic/exp_log.h"
#include "contracts/nucleus_math.h"
#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

using Row = std::vector<float>;

Row row_of(const Problem& problem, std::int64_t row) {
  Row z;
  for (std::int64_t c = 0; c < problem.input.padded_vocab_size; ++c)
    z.push_back(problem.at(row, c));
  return z;
}

float max_of(const Row& z, std::size_t begin, std::size_t end) {
  return *std::max_element(z.begin() + static_cast<long>(begin), z.begin() + static_cast<long>(end));
}

/// Lane 0 after shfl_down 16, 8, 4, 2, 1 of one warp.
float warp_down(const float* lane) {
  std::array<float, 32> v{};
  std::copy_n(lane, 32, v.begin());
  for (const std::size_t offset : {16U, 8U, 4U, 2U, 1U}) {
    for (std::size_t i = 0; i < offset; ++i)
      v[i] = v[i] + v[i + offset];
  }
  return v[0];
}

/// Lane 0 after shfl_down 1, 2, 4, 8, 16: neighbours first.
float warp_up(const std::array<float, 32>& lane) {
  std::array<float, 32> v = lane;
  for (std::size_t n = 32; n > 1; n /= 2) {
    for (std::size_t i = 0; i < n / 2; ++i)
      v[i] = v[2 * i] + v[2 * i + 1];
  }
  return v[0];
}

float ws2(const Row& z, std::int64_t target, std::size_t lanes, std::size_t vec) {
  const std::size_t chunk = lanes * vec;
  const std::size_t tile = z.size() / 64;
  std::array<float, 64> m{};
  std::array<float, 64> s{};
  for (std::size_t j = 0; j < 64; ++j) {
    m[j] = max_of(z, j * tile, (j + 1) * tile);
    std::vector<float> acc(lanes, 0.0F);
    for (std::size_t c = 0; c < tile; ++c) {  // column c belongs to lane (c mod chunk) / vec, and columns ascend
      float& lane = acc[c % chunk / vec];
      lane = lane + exp_portable(z[j * tile + c] - m[j]);
    }
    s[j] = lanes == 64 ? warp_down(&acc[0]) + warp_down(&acc[32])
                       : (warp_down(&acc[0]) + warp_down(&acc[64])) + (warp_down(&acc[32]) + warp_down(&acc[96]));
  }
  const float max = *std::max_element(m.begin(), m.end());
  std::array<float, 32> pairs{};
  for (std::size_t i = 0; i < 32; ++i) {
    const float low = s[i] * exp_portable(m[i] - max);
    const float high = s[i + 32] * exp_portable(m[i + 32] - max);
    pairs[i] = low + high;
  }
  return z[static_cast<std::size_t>(target)] - (max + log_portable(warp_up(pairs)));
}

float strict(const Row& stored, std::int64_t target, std::size_t ranks) {
  Row z = stored;
  for (float& value : z)
    value = widen_bf16(narrow_bf16(value));
  const std::size_t shard = z.size() / ranks;
  std::vector<float> lse;
  for (std::size_t r = 0; r < ranks; ++r) {
    const float m = max_of(z, r * shard, (r + 1) * shard);
    std::array<float, 256> a{};
    for (std::size_t c = 0; c < shard; ++c)
      a[c % 256] = a[c % 256] + exp_portable(z[r * shard + c] - m);
    for (std::size_t offset = 128; offset >= 1; offset /= 2) {
      for (std::size_t i = 0; i < offset; ++i)
        a[i] = a[i] + a[i + offset];
    }
    lse.push_back(m + log_portable(a[0]));
  }
  const float max = *std::max_element(lse.begin(), lse.end());
  float sum = exp_portable(lse[0] - max);
  for (std::size_t r = 1; r < ranks; ++r)
    sum = sum + exp_portable(lse[r] - max);
  return z[static_cast<std::size_t>(target)] - (max + log_portable(sum));
}

float vllm(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  std::vector<float> acc(1024, 0.0F);
  const std::size_t whole = z.size() / 4096 * 4096;
  for (std::size_t c = 0; c < z.size(); ++c) {
    float& lane = acc[c < whole ? c % 4096 / 4 : (c - whole) % 1024];
    lane = lane + exp_portable(z[c] - m);
  }
  std::array<float, 32> warps{};
  for (std::size_t w = 0; w < 32; ++w)
    warps[w] = warp_down(&acc[32 * w]);
  return (z[static_cast<std::size_t>(target)] - m) - log_portable(warp_down(warps.data()));
}

float miles(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  std::vector<float> a(2048, 0.0F);
  for (std::size_t c = 0; c < z.size(); ++c)
    a[c % 2048] = a[c % 2048] + exp_portable(z[c] - m);
  std::vector<float> lane(512);
  for (std::size_t i = 0; i < 512; ++i)
    lane[i] = ((a[4 * i] + a[4 * i + 1]) + a[4 * i + 2]) + a[4 * i + 3];
  std::array<float, 16> warps{};
  for (std::size_t w = 0; w < 16; ++w)
    warps[w] = warp_down(&lane[32 * w]);
  for (const std::size_t offset : {8U, 4U, 2U, 1U}) {
    for (std::size_t i = 0; i < offset; ++i)
      warps[i] = warps[i] + warps[i + offset];
  }
  return -(log_portable(warps[0]) - (z[static_cast<std::size_t>(target)] - m));
}

float verl(const Row& stored, std::int64_t target, bool phantoms) {
  std::vector<float> maxima;
  std::vector<float> sums;
  Row z = stored;
  while (phantoms && z.size() % 1024 != 0)
    z.push_back(0.0F);  // one rank: what passes the shard's end
  for (std::size_t split = 0; split < z.size(); split += 1024) {
    float max = negative_infinity();
    float acc = 0.0F;
    for (std::size_t tile = split; tile < std::min(split + 1024, z.size()); tile += 256) {
      const std::size_t end = std::min(tile + 256, z.size());
      const float now = std::max(max, max_of(z, tile, end));
      std::array<float, 4> lane{};
      for (std::size_t c = tile; c < end; ++c)
        lane[(c - tile) % 8 / 2] = lane[(c - tile) % 8 / 2] + exp_portable(z[c] - now);
      acc = fused_multiply_add(exp_portable(max - now), acc, (lane[0] + lane[2]) + (lane[1] + lane[3]));
      max = now;
    }
    maxima.push_back(max);
    sums.push_back(acc);
  }
  float max = 0.0F;
  float total = 0.0F;
  for (std::size_t first = 0; first < sums.size(); first += 64) {
    const std::size_t last = std::min(first + 64, sums.size());
    const float now = std::max(max, max_of(maxima, first, last));
    std::array<float, 64> terms{};
    for (std::size_t i = first; i < last; ++i)
      terms[i - first] = exp_portable(maxima[i] - now) * sums[i];
    for (std::size_t offset = 32; offset >= 1; offset /= 2) {
      for (std::size_t i = 0; i < offset; ++i)
        terms[i] = terms[i] + terms[i + offset];
    }
    total = fused_multiply_add(exp_portable(max - now), total, terms[0]);
    max = now;
  }
  return -((max + log_portable(total)) - z[static_cast<std::size_t>(target)]);
}

float batch_invariant(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  float sum = 0.0F;
  for (std::size_t block = 0; block < z.size(); block += 1024) {
    std::array<float, 128> lane{};
    for (std::size_t c = block; c < std::min(block + 1024, z.size()); ++c)
      lane[c % 512 / 4] = lane[c % 512 / 4] + exp_portable(z[c] - m);
    sum = sum + ((warp_down(&lane[0]) + warp_down(&lane[64])) + (warp_down(&lane[32]) + warp_down(&lane[96])));
  }
  return (z[static_cast<std::size_t>(target)] - m) - log_portable(sum);
}

float strict_single(const Row& z, std::int64_t target) {
  const std::size_t split = ((z.size() + 63) / 64 + 63) / 64 * 64;
  std::vector<float> maxima(64, negative_infinity());
  std::vector<float> sums(64, 0.0F);
  for (std::size_t tile = 0; tile < z.size(); tile += 64) {
    const std::size_t end = std::min(tile + 64, z.size());
    const float tile_max = max_of(z, tile, end);
    std::array<float, 64> e{};
    for (std::size_t c = tile; c < end; ++c)
      e[c - tile] = exp_portable(z[c] - tile_max);
    for (std::size_t stride = 32; stride >= 1; stride /= 2) {
      for (std::size_t c = 0; c < stride; ++c)
        e[c] = e[c] + e[c + stride];
    }
    float& max = maxima[tile / split];
    float& sum = sums[tile / split];
    const float now = std::max(max, tile_max);
    sum = fused_multiply_add(sum, exp_portable(max - now), e[0] * exp_portable(tile_max - now));
    max = now;
  }
  const float max = max_of(maxima, 0, 64);
  float sum = 0.0F;
  for (std::size_t s = 0; s < 64; ++s)
    sum = fused_multiply_add(sums[s], exp_portable(maxima[s] - max), sum);
  return std::min(z[static_cast<std::size_t>(target)] - (max + log_portable(sum)), 0.0F);
}

float sparse_nucleus(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  float sum = 0.0F;
  for (const float value : z)
    sum = std::isinf(value) ? sum : sum + nucleus_exp(value - m);
  return z[static_cast<std::size_t>(target)] - (m + nucleus_log(sum));
}

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
    compare(ContractId::kRlKernelWs2, wide, [](const Row& z, std::int64_t t) { return ws2(z, t, 128, 4); });
    compare(ContractId::kRlKernelWs2, narrow, [](const Row& z, std::int64_t t) { return ws2(z, t, 64, 8); });
    compare(ContractId::kRlKernelWs2F32, narrow, [](const Row& z, std::int64_t t) { return ws2(z, t, 128, 4); });
    compare(ContractId::kRlKernelWs2Bits16, wide, [](const Row& z, std::int64_t t) { return ws2(z, t, 64, 8); });
    for (const Problem& problem : {wide, narrow}) {
      compare(ContractId::kVllmGather, problem, vllm);
      compare(ContractId::kVllmBatchInvariant, problem, batch_invariant);
      compare(ContractId::kMilesFused, problem, miles);
      compare(ContractId::kMegatronCeFused, problem, miles);
      compare(ContractId::kVerlFused, problem, [](const Row& z, std::int64_t t) { return verl(z, t, false); });
      compare(ContractId::kVerlFusedPhantom, problem, [](const Row& z, std::int64_t t) { return verl(z, t, true); });
      compare(ContractId::kRlKernelStrictSingle, problem, strict_single);
      compare(ContractId::kRlKernelWs2Rocm, problem, [](const Row& z, std::int64_t t) { return ws2(z, t, 128, 8); });
      for (const int ranks : {1, 2, 4, 8}) {
        Problem parallel = problem;
        parallel.input.tensor_parallel_size = ranks;
        compare(ContractId::kRlKernelStrictTp, parallel,
                [ranks](const Row& z, std::int64_t t) { return strict(z, t, static_cast<std::size_t>(ranks)); });
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
