// SPDX-License-Identifier: Apache-2.0
// Each system's sum written out thread by thread as its source has it, without the block policies. `E` holds the three
// exponentials (ExpKind), so that the orders can be tested with the portable one and with CUDA's.
#pragma once

#include <array>
#include <cmath>

#include "arithmetic/exp_log.h"
#include "contracts/nucleus_math.h"
#include "test_support.h"

namespace rlverify::kernels::test {

struct PortableExp {
  static float accurate(float x) { return exp_portable(x); }
  static float fast(float x) { return exp_portable(x); }
  static float triton(float x) { return exp_portable(x); }
};

using Row = std::vector<float>;

inline Row row_of(const Problem& problem, std::int64_t row) {
  Row z;
  for (std::int64_t c = 0; c < problem.input.padded_vocab_size; ++c)
    z.push_back(problem.at(row, c));
  return z;
}

inline float max_of(const Row& z, std::size_t begin, std::size_t end) {
  return *std::max_element(z.begin() + static_cast<long>(begin), z.begin() + static_cast<long>(end));
}

/// Lane 0 after shfl_down 16, 8, 4, 2, 1 of one warp.
inline float warp_down(const float* lane) {
  std::array<float, 32> v{};
  std::copy_n(lane, 32, v.begin());
  for (const std::size_t offset : {16U, 8U, 4U, 2U, 1U}) {
    for (std::size_t i = 0; i < offset; ++i)
      v[i] = v[i] + v[i + offset];
  }
  return v[0];
}

/// Lane 0 after shfl_down 1, 2, 4, 8, 16: neighbours first.
inline float warp_up(const std::array<float, 32>& lane) {
  std::array<float, 32> v = lane;
  for (std::size_t n = 32; n > 1; n /= 2) {
    for (std::size_t i = 0; i < n / 2; ++i)
      v[i] = v[2 * i] + v[2 * i + 1];
  }
  return v[0];
}

template <class E>
float ws2_log_sum_exp(const Row& z, std::size_t lanes, std::size_t vec) {
  const std::size_t chunk = lanes * vec;
  const std::size_t tile = z.size() / 64;
  std::array<float, 64> m{};
  std::array<float, 64> s{};
  for (std::size_t j = 0; j < 64; ++j) {
    m[j] = max_of(z, j * tile, (j + 1) * tile);
    std::vector<float> acc(lanes, 0.0F);
    for (std::size_t c = 0; c < tile; ++c) {  // column c belongs to lane (c mod chunk) / vec, and columns ascend
      float& lane = acc[c % chunk / vec];
      lane = lane + E::accurate(z[j * tile + c] - m[j]);
    }
    s[j] = lanes == 64 ? warp_down(&acc[0]) + warp_down(&acc[32])
                       : (warp_down(&acc[0]) + warp_down(&acc[64])) + (warp_down(&acc[32]) + warp_down(&acc[96]));
  }
  const float max = *std::max_element(m.begin(), m.end());
  std::array<float, 32> pairs{};
  for (std::size_t i = 0; i < 32; ++i) {
    const float low = s[i] * E::accurate(m[i] - max);
    const float high = s[i + 32] * E::accurate(m[i + 32] - max);
    pairs[i] = low + high;
  }
  return max + log_portable(warp_up(pairs));
}

template <class E>
float ws2(const Row& z, std::int64_t target, std::size_t lanes, std::size_t vec) {
  return z[static_cast<std::size_t>(target)] - ws2_log_sum_exp<E>(z, lanes, vec);
}

template <class E>
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
      a[c % 256] = a[c % 256] + E::fast(z[r * shard + c] - m);
    for (std::size_t offset = 128; offset >= 1; offset /= 2) {
      for (std::size_t i = 0; i < offset; ++i)
        a[i] = a[i] + a[i + offset];
    }
    lse.push_back(m + log_portable(a[0]));
  }
  const float max = *std::max_element(lse.begin(), lse.end());
  float sum = E::accurate(lse[0] - max);
  for (std::size_t r = 1; r < ranks; ++r)
    sum = sum + E::accurate(lse[r] - max);
  return z[static_cast<std::size_t>(target)] - (max + log_portable(sum));
}

template <class E>
float vllm(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  std::vector<float> acc(1024, 0.0F);
  const std::size_t whole = z.size() / 4096 * 4096;
  for (std::size_t c = 0; c < z.size(); ++c) {
    float& lane = acc[c < whole ? c % 4096 / 4 : (c - whole) % 1024];
    lane = lane + E::accurate(z[c] - m);
  }
  std::array<float, 32> warps{};
  for (std::size_t w = 0; w < 32; ++w)
    warps[w] = warp_down(&acc[32 * w]);
  return (z[static_cast<std::size_t>(target)] - m) - log_portable(warp_down(warps.data()));
}

template <class E>
float miles(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  std::vector<float> a(2048, 0.0F);
  for (std::size_t c = 0; c < z.size(); ++c)
    a[c % 2048] = a[c % 2048] + E::triton(z[c] - m);
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

template <class E>
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
        lane[(c - tile) % 8 / 2] = lane[(c - tile) % 8 / 2] + E::triton(z[c] - now);
      acc = fused_multiply_add(E::triton(max - now), acc, (lane[0] + lane[2]) + (lane[1] + lane[3]));
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
      terms[i - first] = E::triton(maxima[i] - now) * sums[i];
    for (std::size_t offset = 32; offset >= 1; offset /= 2) {
      for (std::size_t i = 0; i < offset; ++i)
        terms[i] = terms[i] + terms[i + offset];
    }
    total = fused_multiply_add(E::triton(max - now), total, terms[0]);
    max = now;
  }
  return -((max + log_portable(total)) - z[static_cast<std::size_t>(target)]);
}

template <class E>
float batch_invariant(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  float sum = 0.0F;
  for (std::size_t block = 0; block < z.size(); block += 1024) {
    std::array<float, 128> lane{};
    for (std::size_t c = block; c < std::min(block + 1024, z.size()); ++c)
      lane[c % 512 / 4] = lane[c % 512 / 4] + E::triton(z[c] - m);
    sum = sum + ((warp_down(&lane[0]) + warp_down(&lane[64])) + (warp_down(&lane[32]) + warp_down(&lane[96])));
  }
  return (z[static_cast<std::size_t>(target)] - m) - log_portable(sum);
}

template <class E>
float strict_single(const Row& z, std::int64_t target) {
  const std::size_t split = ((z.size() + 63) / 64 + 63) / 64 * 64;
  std::vector<float> maxima(64, negative_infinity());
  std::vector<float> sums(64, 0.0F);
  for (std::size_t tile = 0; tile < z.size(); tile += 64) {
    const std::size_t end = std::min(tile + 64, z.size());
    const float tile_max = max_of(z, tile, end);
    std::array<float, 64> e{};
    for (std::size_t c = tile; c < end; ++c)
      e[c - tile] = E::accurate(z[c] - tile_max);
    for (std::size_t stride = 32; stride >= 1; stride /= 2) {
      for (std::size_t c = 0; c < stride; ++c)
        e[c] = e[c] + e[c + stride];
    }
    float& max = maxima[tile / split];
    float& sum = sums[tile / split];
    const float now = std::max(max, tile_max);
    sum = fused_multiply_add(sum, E::accurate(max - now), e[0] * E::accurate(tile_max - now));
    max = now;
  }
  const float max = max_of(maxima, 0, 64);
  float sum = 0.0F;
  for (std::size_t s = 0; s < 64; ++s)
    sum = fused_multiply_add(sums[s], E::accurate(maxima[s] - max), sum);
  return std::min(z[static_cast<std::size_t>(target)] - (max + log_portable(sum)), 0.0F);
}

inline float sparse_nucleus(const Row& z, std::int64_t target) {
  const float m = max_of(z, 0, z.size());
  float sum = 0.0F;
  for (const float value : z)
    sum = std::isinf(value) ? sum : sum + nucleus_exp(value - m);
  return z[static_cast<std::size_t>(target)] - (m + nucleus_log(sum));
}

}  // namespace rlverify::kernels::test
