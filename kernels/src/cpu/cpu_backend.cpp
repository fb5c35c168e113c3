// SPDX-License-Identifier: Apache-2.0
// Run-time dispatch and threads. Rows are dealt out in small blocks from one counter: which thread computes a row, and
// when, cannot change its bits, because no row's arithmetic knows of another row.
#include "cpu/cpu_backend.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "contracts/dispatch.h"
#include "cpu/task.h"

namespace rlverify::kernels {

namespace {

struct FreeAligned {
  void operator()(float* p) const { std::free(p); }
};
using AlignedFloats = std::unique_ptr<float[], FreeAligned>;

AlignedFloats aligned_floats(std::int64_t count) {
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(float) + 63U) / 64U * 64U;
  auto* memory = static_cast<float*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr)
    throw KernelError(ErrorKind::kOutOfMemory, "no memory for " + std::to_string(bytes) + " bytes of scratch");
  return AlignedFloats(memory);
}

CpuLevel level_of(const Execution& execution) {
  const std::vector<SimdLevel> levels = simd_levels();
  const SimdLevel wanted = execution.simd.value_or(levels.back());
  if (std::find(levels.begin(), levels.end(), wanted) == levels.end()) {
    throw KernelError(ErrorKind::kUnsupported,
                      std::string("instruction set ") + simd_name(wanted) + " is not available here");
  }
#if defined(RLV_HAVE_VECTOR_LEVELS)
  if (wanted == SimdLevel::kAvx512)
    return avx512_level();
  if (wanted == SimdLevel::kAvx2)
    return avx2_level();
#endif
  return scalar_level();
}

/// Calls work(thread_scratch, begin, end) for blocks of [0, count) on `threads` threads.
template <class Work>
void in_parallel(int threads, std::int64_t count, std::int64_t block, std::int64_t scratch_floats, const Work& work) {
  const std::int64_t blocks = (count + block - 1) / block;
  int wanted = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  wanted = static_cast<int>(std::min<std::int64_t>(wanted, std::max<std::int64_t>(blocks, 1)));
  std::vector<AlignedFloats> scratch;
  for (int i = 0; i < wanted; ++i)
    scratch.push_back(aligned_floats(scratch_floats));
  std::atomic<std::int64_t> next{0};
  const auto loop = [&](float* own) {
    for (std::int64_t b = next.fetch_add(1); b < blocks; b = next.fetch_add(1)) {
      work(own, b * block, std::min(count, (b + 1) * block));
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < wanted; ++i)
    helpers.emplace_back(loop, scratch[static_cast<std::size_t>(i)].get());
  loop(scratch[0].get());
}

}  // namespace

std::vector<SimdLevel> simd_levels() {
  std::vector<SimdLevel> levels{SimdLevel::kScalar};
#if defined(RLV_HAVE_VECTOR_LEVELS)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2)
    levels.push_back(SimdLevel::kAvx2);
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512)
    levels.push_back(SimdLevel::kAvx512);
#endif
  return levels;
}

void run_on_cpu(ContractId id, const Prepared& prepared, const void* logits, const LogpInput& input,
                const Execution& execution, const LogpOutput& output) {
  CpuTask task;
  task.id = id;
  task.shape = prepared.shape;
  task.transform = prepared.transform;
  task.logits = logits;
  task.row_stride = prepared.row_stride;
  task.targets = input.targets;
  task.logp = output.logp;
  task.logp_fp64 = output.logp_fp64;
  task.entropy = output.entropy;
  const CpuLevel level = level_of(execution);
  const std::int64_t scratch_floats = 2 * padded_units(units_of(id, task.shape)) + task.shape.padded_vocab + 64;
  constexpr std::int64_t kRowsPerBlock = 4;
  in_parallel(execution.threads, input.rows, kRowsPerBlock, scratch_floats,
              [&](float* scratch, std::int64_t begin, std::int64_t end) { level.run_rows(task, begin, end, scratch); });
}

void project_on_cpu(const LogpInput& input, std::int64_t row, std::int64_t rows, StorageType rounding,
                    const Execution& execution, float* product) {
  const AlignedFloats transposed = aligned_floats(input.hidden_size * kProjectRows);
  std::fill_n(transposed.get(), input.hidden_size * kProjectRows, 0.0F);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < input.hidden_size; ++k) {
      transposed[static_cast<std::size_t>(k * kProjectRows + r)] =
          load_storage(input.hidden, input.hidden_type, (row + r) * input.hidden_size + k);
    }
  }
  ProjectTask task;
  task.hidden_transposed = transposed.get();
  task.weight = input.weight;
  task.weight_type = input.weight_type;
  task.rounding = rounding;
  task.hidden_size = input.hidden_size;
  task.rows = rows;
  task.product_stride = input.padded_vocab_size;
  task.product = product;
  const CpuLevel level = level_of(execution);
  constexpr std::int64_t kColumnsPerBlock = 256;
  in_parallel(execution.threads, input.padded_vocab_size, kColumnsPerBlock, 4 * input.hidden_size,
              [&](float* scratch, std::int64_t begin, std::int64_t end) { level.project(task, begin, end, scratch); });
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0)
      continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace rlverify::kernels
