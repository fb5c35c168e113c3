// SPDX-License-Identifier: Apache-2.0
// Normal numbers by Marsaglia's polar method over splitmix64; logarithm and square root are ours and IEEE's, so that no
// libm decides about a bit.
#include "rlverify_kernels/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "arithmetic/exp_log_fp64.h"
#include "arithmetic/storage.h"

namespace rlverify::kernels {

namespace {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream)
      : state_(seed * 0x9E3779B97F4A7C15ULL + (stream + 1) * 0xD1B54A32D192ED03ULL) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  /// Uniform in [-1, 1).
  double symmetric() { return static_cast<double>(next() >> 11U) * 0x1p-52 - 1.0; }

  /// Two independent normal numbers.
  void normal_pair(float& a, float& b) {
    for (;;) {
      const double x = symmetric();
      const double y = symmetric();
      const double s = x * x + y * y;
      if (s >= 1.0 || s < 1e-30)
        continue;
      const double scale = std::sqrt(-2.0 * log_portable_fp64(s) / s);
      a = static_cast<float>(x * scale);
      b = static_cast<float>(y * scale);
      return;
    }
  }

 private:
  std::uint64_t state_;
};

void store(unsigned char* row, std::int64_t column, float value, StorageType type) {
  if (type == StorageType::kFloat32) {
    std::memcpy(row + column * 4, &value, 4);
    return;
  }
  const std::uint16_t narrow = type == StorageType::kBFloat16 ? narrow_bf16(value) : narrow_fp16(value);
  std::memcpy(row + column * 2, &narrow, 2);
}

}  // namespace

std::vector<unsigned char> normal_logits(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                         std::int64_t real_columns, float sigma, StorageType type, int threads) {
  const std::int64_t row_bytes = columns * storage_bytes(type);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(rows * row_bytes));
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      Random random(seed, static_cast<std::uint64_t>(r));
      unsigned char* row = bytes.data() + r * row_bytes;
      float pair[2] = {};
      for (std::int64_t c = 0; c < columns; ++c) {
        if (c % 2 == 0)
          random.normal_pair(pair[0], pair[1]);
        store(row, c, c < real_columns ? pair[c % 2] * sigma : negative_infinity(), type);
      }
    }
  };
  const std::int64_t workers = std::clamp<std::int64_t>(
      threads > 0 ? threads : static_cast<std::int64_t>(std::thread::hardware_concurrency()), 1, 64);
  const std::int64_t share = (rows + workers - 1) / workers;
  std::vector<std::jthread> pool;
  for (std::int64_t w = 0; w < workers; ++w)
    pool.emplace_back(fill, std::min(rows, w * share), std::min(rows, (w + 1) * share));
  pool.clear();
  return bytes;
}

std::vector<std::int64_t> uniform_targets(std::uint64_t seed, std::int64_t rows, std::int64_t real_columns) {
  Random random(seed, 0xFFFFFFFFULL);
  std::vector<std::int64_t> targets(static_cast<std::size_t>(rows));
  for (auto& target : targets)
    target = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(real_columns));
  return targets;
}

}  // namespace rlverify::kernels
