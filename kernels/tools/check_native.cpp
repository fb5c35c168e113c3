// SPDX-License-Identifier: Apache-2.0
// Every claim about ATen's operations on CUDA, and the contracts that are sequences of them, bit for bit on one card.
#include "check_native.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "rlverify_kernels/cuda_facts.h"
#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/native.h"
#include "rlverify_kernels/synthetic.h"

namespace rlverify::kernels {

namespace {

struct Size {
  std::int64_t rows;
  std::int64_t columns;
};
/// Shards at 8, 4, 2 ranks and whole rows; narrow rows; batches around the limits of torch.sum's launch plan.
constexpr Size kSizes[] = {{1, 18992},    {64, 37984},  {1, 75968}, {1, 151936}, {100, 151936}, {528, 151936},
                           {600, 151936}, {16, 152064}, {7, 1000},  {3, 20003},  {8, 2374},     {64, 64}};

struct Count {
  std::int64_t differ = 0;
  std::int64_t compared = 0;
  double max = 0.0;

  void add(float a, float b) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    ++compared;
    if (x == y || (std::isnan(a) && std::isnan(b)))
      return;
    ++differ;
    max = std::max(max, std::fabs(static_cast<double>(a) - static_cast<double>(b)));
  }
};

/// Prints the verdict; returns whether it is confirmed.
bool print_verdict(const std::string& name, const std::string& statement, const Count& count) {
  std::printf("%-9s %-28s %12lld of %12lld differ, max %10.3e  %s\n", count.differ == 0 ? "CONFIRMED" : "REFUTED",
              name.c_str(), static_cast<long long>(count.differ), static_cast<long long>(count.compared), count.max,
              statement.c_str());
  return count.differ == 0;
}

std::vector<float> numbers(Size size, std::uint64_t seed, NativeOp op) {
  const auto bytes = normal_logits(seed, size.rows, size.columns, size.columns, 4.0F, StorageType::kFloat32);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (float& value : values) {
    if (op == NativeOp::kLog || op == NativeOp::kLogPortable || op == NativeOp::kSum)
      value = std::exp(value);  // positive numbers over some decades
    if (op == NativeOp::kExp)
      value = -6.0F * std::fabs(value);
  }
  return values;
}

bool check_op(const NativeOpFacts& facts, int device, std::uint64_t seed) {
  Count count;
  for (const Size size : kSizes) {
    const std::vector<float> in = numbers(size, seed, facts.op);
    std::vector<float> ours(facts.reduces ? static_cast<std::size_t>(size.rows) : in.size());
    std::vector<float> theirs(ours.size());
    run_native_op(facts.op, in.data(), size.rows, size.columns, 0.7F, device, ours.data());
    run_aten_op(facts.op, in.data(), size.rows, size.columns, 0.7F, device, theirs.data());
    for (std::size_t i = 0; i < ours.size(); ++i)
      count.add(ours[i], theirs[i]);
  }
  return print_verdict(facts.name, facts.statement, count);
}

bool check_contract(const Contract& entry, int ranks, int device, std::uint64_t seed) {
  Count count;
  for (const StorageType type : {StorageType::kBFloat16, StorageType::kFloat32}) {
    for (const double temperature : {1.0, 0.7}) {
      const auto logits = normal_logits(seed, 256, 151936, 151936, 1.0F, type);
      const auto targets = uniform_targets(seed, 256, 151936);
      LogpInput input;
      input.logits = logits.data();
      input.logits_type = type;
      input.targets = targets.data();
      input.rows = 256;
      input.real_vocab_size = input.padded_vocab_size = 151936;
      input.temperature = temperature;
      input.tensor_parallel_size = ranks;
      Execution execution;
      execution.native = true;
      execution.device = device;
      std::vector<float> ours(256);
      std::vector<float> theirs(256);
      execution.backend = Backend::kCuda;
      compute_logp(entry.id, input, execution, {ours.data(), nullptr});
      execution.backend = Backend::kTorch;
      compute_logp(entry.id, input, execution, {theirs.data(), nullptr});
      for (std::size_t i = 0; i < ours.size(); ++i)
        count.add(ours[i], theirs[i]);
    }
  }
  return print_verdict(std::string(entry.name) + " tp " + std::to_string(ranks), "", count);
}

int nothing(const std::string& reason) {
  std::printf("Nothing of the native flavour can be confirmed here: %s.\nNot confirmed:\n", reason.c_str());
  for (const NativeOpFacts& facts : native_ops())
    std::printf("  %-18s %s\n", facts.name, facts.statement);
  for (const Contract& entry : contracts()) {
    if (!entry.result_is_fp64)
      std::printf("  %s\n", std::string(entry.name).c_str());
  }
  return 4;
}

}  // namespace

int check_native(int device, std::uint64_t seed) {
  const BackendStatus gpu = backend_status(Backend::kCuda, device);
  if (!gpu.available)
    return nothing(gpu.reason);
  const std::string reason = aten_gpu_reason(device);
  if (!reason.empty())
    return nothing(reason);
  std::printf("native flavour against ATen on %s, CUDA %s, %s\n", gpu.device.c_str(), cuda_facts().toolkit.c_str(),
              aten_name().c_str());
  bool all = true;
  for (const NativeOpFacts& facts : native_ops())
    all = check_op(facts, device, seed) && all;
  for (const Contract& entry : contracts()) {
    // ATen's own pieces; rl_kernel_ws2 there is the system's torch reference, another tree by design.
    const bool pieces = unsupported_reason(entry.id, Backend::kTorch).empty() && !entry.result_is_fp64;
    if (!pieces || entry.id == ContractId::kRlKernelWs2)
      continue;
    for (const int ranks : {1, 4})
      all = check_contract(entry, ranks, device, seed) && all;
  }
  std::printf("Not compared: Triton, Inductor and RL-Kernel kernels, which ATen has no sequence for.\n");
  return all ? 0 : 1;
}

}  // namespace rlverify::kernels
