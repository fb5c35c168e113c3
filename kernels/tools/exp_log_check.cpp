// SPDX-License-Identifier: Apache-2.0
// Reproduces the figures that docs/kernels.md states for the portable exponential and the logarithm, over all floats of
// a range (or every n-th, with --stride n): largest error in ulp against a long double reference, results that are not
// correctly rounded, neighbours that step the wrong way. Exit 1 when a figure is not the stated one (only with --stride
// 1).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "arithmetic/exp_log.h"

namespace {

using rlverify::kernels::bits_of;
using rlverify::kernels::exp_portable;
using rlverify::kernels::float_of_bits;
using rlverify::kernels::log_portable;

struct Figures {
  double max_ulp = 0.0;  // normal results
  float max_at = 0.0F;
  double max_denormal_ulp = 0.0;
  std::uint64_t tested = 0;
  std::uint64_t rounded_range = 0;  // arguments in [-87.33, -1/32]
  std::uint64_t not_rounded = 0;    // of these, results that are not the correctly rounded ones
  std::uint64_t steps_back = 0;

  void add(const Figures& other) {
    if (other.max_ulp > max_ulp) {
      max_ulp = other.max_ulp;
      max_at = other.max_at;
    }
    max_denormal_ulp = std::max(max_denormal_ulp, other.max_denormal_ulp);
    tested += other.tested;
    rounded_range += other.rounded_range;
    not_rounded += other.not_rounded;
    steps_back += other.steps_back;
  }
};

/// Distance of `result` from `exact` in units of the last place of fp32 at `exact`.
double ulp_error(float result, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int ulp_exponent = std::max(exponent - 24, -149);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact) / std::ldexp(1.0L, ulp_exponent));
}

/// Bits [first, last] of one sign, ascending magnitude.
Figures check(std::uint32_t first, std::uint32_t last, std::uint32_t stride, bool logarithm) {
  Figures figures;
  bool have_previous = false;
  float previous = 0.0F;
  for (std::uint64_t bits = first; bits <= last; bits += stride) {
    const float x = float_of_bits(static_cast<std::uint32_t>(bits));
    const float result = logarithm ? log_portable(x) : exp_portable(x);
    const long double exact = logarithm ? std::log(static_cast<long double>(x)) : std::exp(static_cast<long double>(x));
    const double error = ulp_error(result, exact);
    const bool denormal = !logarithm && std::fabs(exact) < 0x1p-126L;
    if (denormal) {
      figures.max_denormal_ulp = std::max(figures.max_denormal_ulp, error);
    } else if (error > figures.max_ulp) {
      figures.max_ulp = error;
      figures.max_at = x;
    }
    if (!logarithm && x >= -87.33F && x <= -0.03125F) {
      ++figures.rounded_range;
      if (static_cast<float>(exact) != result)
        ++figures.not_rounded;
    }
    // Ascending magnitude: exp falls for negative x and rises for positive x; log rises.
    const bool falls = !logarithm && x < 0.0F;
    if (have_previous && (falls ? result > previous : result < previous))
      ++figures.steps_back;
    previous = result;
    have_previous = true;
    ++figures.tested;
  }
  return figures;
}

Figures check_parallel(std::uint32_t first, std::uint32_t last, std::uint32_t stride, bool logarithm) {
  constexpr std::uint32_t kBlocks = 64;
  const std::uint64_t count = static_cast<std::uint64_t>(last) - first + 1;
  std::vector<Figures> figures(kBlocks);
  const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> pool;
  for (unsigned w = 0; w < workers; ++w) {
    pool.emplace_back([&, w] {
      for (std::uint32_t b = w; b < kBlocks; b += workers) {
        const auto begin = static_cast<std::uint32_t>(first + count * b / kBlocks);
        // One argument of overlap, so that the pair across the border is compared too.
        const auto end = static_cast<std::uint32_t>(b + 1 == kBlocks ? last : first + count * (b + 1) / kBlocks);
        figures[b] = check(begin, end, stride, logarithm);
      }
    });
  }
  pool.clear();
  Figures total;
  for (const Figures& part : figures)
    total.add(part);
  return total;
}

void print(const char* name, const Figures& f) {
  std::printf("%-28s tested %11llu  max %.4f ulp at %.9g", name, static_cast<unsigned long long>(f.tested), f.max_ulp,
              static_cast<double>(f.max_at));
  if (f.max_denormal_ulp > 0.0)
    std::printf("  denormal max %.4f ulp", f.max_denormal_ulp);
  if (f.rounded_range > 0) {
    std::printf("  not correctly rounded %.2f%%",
                100.0 * static_cast<double>(f.not_rounded) / static_cast<double>(f.rounded_range));
  }
  std::printf("  steps back %llu\n", static_cast<unsigned long long>(f.steps_back));
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t stride = 1;
  if (argc == 3 && std::strcmp(argv[1], "--stride") == 0)
    stride = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  if (stride == 0 || (argc != 1 && argc != 3)) {
    std::fprintf(stderr, "usage: exp_log_check [--stride N]\n");
    return 2;
  }
  const Figures negative = check_parallel(bits_of(-0.0F), bits_of(-104.0F), stride, false);
  print("exp [-104, -0]", negative);
  const Figures positive = check_parallel(bits_of(0.0F), 0x42B17217U, stride, false);
  print("exp [0, 88.7228317]", positive);
  const Figures logarithm = check_parallel(bits_of(0x1p-149F), 0x7F7FFFFFU, stride, true);
  print("log (0, max]", logarithm);

  if (stride != 1)
    return 0;
  const auto close = [](double a, double b) { return std::fabs(a - b) < 1.1e-4; };
  const bool stated = close(negative.max_ulp, 0.8914) && close(negative.max_denormal_ulp, 0.8578) &&
                      close(positive.max_ulp, 0.8961) && negative.steps_back == 2961 &&
                      close(logarithm.max_ulp, 0.8642);
  std::printf("%s\n", stated ? "all figures as stated" : "a figure differs from the stated one");
  return stated ? 0 : 1;
}
