// SPDX-License-Identifier: Apache-2.0
// One read is what the sum needs; the maximum before it is a second one, from the cache where a row fits there.
#include "check_bandwidth.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/native.h"
#include "rlverify_kernels/synthetic.h"

namespace rlverify::kernels {

int check_bandwidth(int device, std::int64_t rows, std::int64_t vocab, std::uint64_t seed) {
  const BackendStatus gpu = backend_status(Backend::kCuda, device);
  if (!gpu.available) {
    std::printf("The speed on a GPU can't be measured here: %s.\n", gpu.reason.c_str());
    return 4;
  }
  const double peak = peak_memory_bandwidth(device);
  std::printf("%s, peak %.0f GB/s; %lld x %lld bf16, median of 5\n", gpu.device.c_str(), peak / 1e9,
              static_cast<long long>(rows), static_cast<long long>(vocab));
  const auto logits = normal_logits(seed, rows, vocab, vocab, 1.0F, StorageType::kBFloat16);
  const auto targets = uniform_targets(seed, rows, vocab);
  LogpInput input;
  input.logits = logits.data();
  input.logits_type = StorageType::kBFloat16;
  input.targets = targets.data();
  input.rows = rows;
  input.real_vocab_size = input.padded_vocab_size = vocab;
  std::vector<float> logp(static_cast<std::size_t>(rows));
  for (const Contract& entry : contracts()) {
    for (const bool native : {false, true}) {
      if (entry.result_is_fp64)
        continue;
      Execution execution;
      execution.backend = Backend::kCuda;
      execution.device = device;
      execution.native = native;
      std::array<double, 5> times{};
      for (double& time : times)
        time = compute_logp(entry.id, input, execution, {logp.data(), nullptr}).microseconds;
      std::sort(times.begin(), times.end());
      const double rate = static_cast<double>(logits.size()) / (times[2] * 1e-6);
      std::printf("%-26s %-8s %10.1f us  %8.1f GB/s  %.3f of the peak\n", std::string(entry.name).c_str(),
                  native ? "native" : "portable", times[2], rate / 1e9, rate / peak);
    }
  }
  return 0;
}

}  // namespace rlverify::kernels
