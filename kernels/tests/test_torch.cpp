// SPDX-License-Identifier: Apache-2.0
// The torch module: its vllm_gather is python3-torch's log_softmax bit for bit, and its difference from the cpu backend
// is counted. Without the module, or without python3-torch, the test says why and is skipped.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "arithmetic/exp_log.h"
#include "rlverify_kernels/native.h"
#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;
namespace fs = std::filesystem;

bool skipped() {
  const BackendStatus status = backend_status(Backend::kTorch);
  if (!status.available)
    std::printf("SKIPPED: %s\n", status.reason.c_str());
  return !status.available;
}

void write_file(const fs::path& path, const void* data, std::size_t bytes) {
  std::ofstream(path, std::ios::binary).write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

/// torch.log_softmax by the interpreter; empty when it has no torch.
std::vector<float> by_python(const Problem& problem) {
  const fs::path folder = fs::temp_directory_path() / ("rlverify_torch_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_file(folder / "logits", problem.logits.data(), problem.logits.size());
  write_file(folder / "targets", problem.targets.data(), problem.targets.size() * sizeof(std::int64_t));
  const std::string command = std::string(RLV_TEST_PYTHON " ") + RLV_TEST_SOURCE_DIR + "/torch_log_softmax.py " +
                              (folder / "logits").string() + " " + storage_name(problem.input.logits_type) + " " +
                              std::to_string(problem.input.rows) + " " +
                              std::to_string(problem.input.padded_vocab_size) + " " + (folder / "targets").string() +
                              " " + (folder / "out").string() + " 2>/dev/null";
  std::vector<float> logp;
  if (std::system(command.c_str()) == 0) {
    logp.resize(problem.targets.size());
    std::ifstream(folder / "out", std::ios::binary)
        .read(reinterpret_cast<char*>(logp.data()), static_cast<std::streamsize>(logp.size() * 4));
  }
  fs::remove_all(folder);
  return logp;
}

/// What ATen does on the CPU: `count` accumulators, one per lane of its vectors, added to from the first column to the
/// last.
std::vector<float> by_lanes(const Problem& problem, int count) {
  std::vector<float> logp;
  const std::int64_t columns = problem.input.padded_vocab_size;
  for (std::int64_t row = 0; row < problem.input.rows; ++row) {
    float max = negative_infinity();
    for (std::int64_t c = 0; c < columns; ++c)
      max = std::max(max, problem.at(row, c));
    float lanes[32] = {};
    for (std::int64_t c = 0; c < columns; ++c)
      lanes[c % count] += exp_portable(problem.at(row, c) - max);
    double sum = 0.0;
    for (const float lane : lanes)
      sum += static_cast<double>(lane);
    logp.push_back((problem.at(row, problem.targets[static_cast<std::size_t>(row)]) - max) -
                   log_portable(static_cast<float>(sum)));
  }
  return logp;
}

Execution torch_execution() {
  Execution execution;
  execution.backend = Backend::kTorch;
  return execution;
}

}  // namespace

TEST_CASE("the torch backend is python3-torch's log_softmax bit for bit", "[torch]") {
  if (skipped())
    return;
  for (const StorageType type : {StorageType::kFloat32, StorageType::kBFloat16}) {
    for (const std::int64_t vocab : {1000, 151936}) {
      const Problem problem = normal_problem(81, 64, vocab, vocab, type);
      const auto expected = by_python(problem);
      if (expected.empty()) {
        std::printf("SKIPPED: python3 has no torch\n");
        return;
      }
      const auto logp = logp_of(ContractId::kVllmGather, problem.input, torch_execution());
      CHECK(bits_of_all(logp) == bits_of_all(expected));
      const auto ours = logp_of(ContractId::kVllmGather, problem.input);
      std::printf(
          "vllm_gather, %s, vocabulary %lld: torch on CPU and cpu differ in %d of 64 rows, at most %.3e; errors %.3e "
          "and %.3e\n",
          storage_name(type), static_cast<long long>(vocab), differing(logp, ours), max_abs_difference(logp, ours),
          max_abs_difference(logp, fp64_of(problem.input)), max_abs_difference(ours, fp64_of(problem.input)));
      // The difference is ATen's order on the CPU: 19,000 additions to one accumulator, whose roundings are biased
      // where the logits take few values, as bf16 ones do. Eight such accumulators (libtorch 1.13, AVX2; later versions
      // have more) and our exponential come within rounding of it.
      double nearest = 1.0;
      for (const int lanes : {8, 16, 32})
        nearest = std::min(nearest, max_abs_difference(logp, by_lanes(problem, lanes)));
      CHECK(nearest <= 2.0 * 9.5367431640625e-07);
    }
  }
}

TEST_CASE("every ATen sequence agrees with fp64 and with its contract", "[torch]") {
  if (skipped())
    return;
  for (const double temperature : {1.0, 0.7}) {
    Problem problem = normal_problem(82, 32, 4096, 4000, StorageType::kBFloat16);
    // Columns that some contracts count must not matter here: they are -inf.
    problem.input.temperature = temperature;
    const auto reference = fp64_of(problem.input);
    for (const Contract& entry : contracts()) {
      if (!unsupported_reason(entry.id, Backend::kTorch).empty())
        continue;
      for (const int ranks : {1, 4}) {
        problem.input.tensor_parallel_size = ranks;
        INFO(entry.name << " tp " << ranks << " T " << temperature);
        const auto logp = logp_of(entry.id, problem.input, torch_execution());
        CHECK(max_abs_difference(logp, reference) < 3e-6);
        CHECK(max_abs_difference(logp, logp_of(entry.id, problem.input)) < 3e-6);
      }
    }
  }
}

TEST_CASE("the torch backend canonicalises what is not a number", "[torch]") {
  if (skipped())
    return;
  const Problem problem = given_problem(std::vector<float>(128, negative_infinity()), 128, 128, {5});
  CHECK(bits_of(logp_of(ContractId::kVllmGather, problem.input, torch_execution())[0]) == 0x7FC00000U);
}

TEST_CASE("single ATen operations run through the module", "[torch]") {
  if (skipped())
    return;
  CHECK_FALSE(aten_name().empty());
  const std::vector<float> in = {0.5F, 1.25F, 3.0F, 0.125F, 2.0F, 7.5F};
  for (const NativeOpFacts& facts : native_ops()) {
    INFO(facts.name);
    std::vector<float> out(facts.reduces ? 2 : 6);
    run_aten_op(facts.op, in.data(), 2, 3, 0.7F, -1, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t row = facts.reduces ? i : i / 3;
      const double x = static_cast<double>(in[i]);
      double sum = 0.0;
      double exponentials = 0.0;
      for (std::size_t c = 3 * row; c < 3 * row + 3; ++c) {
        sum += static_cast<double>(in[c]);
        exponentials += std::exp(static_cast<double>(in[c]));
      }
      const double max = static_cast<double>(
          *std::max_element(in.begin() + static_cast<long>(3 * row), in.begin() + static_cast<long>(3 * row + 3)));
      double expected = 0.0;
      switch (facts.op) {
        case NativeOp::kExp:
          expected = std::exp(x);
          break;
        case NativeOp::kLog:
        case NativeOp::kLogPortable:
          expected = std::log(x);
          break;
        case NativeOp::kDivideByTensor:
        case NativeOp::kDivideByScalar:
          expected = x / static_cast<double>(0.7F);
          break;
        case NativeOp::kSum:
          expected = sum;
          break;
        case NativeOp::kMax:
          expected = max;
          break;
        case NativeOp::kLogSoftmax:
          expected = x - std::log(exponentials);
          break;
      }
      CHECK(static_cast<double>(out[i]) == Approx(expected).epsilon(1e-6).margin(2e-7));
    }
  }
  // What is not there is said, not run elsewhere.
  if (!aten_gpu_reason(0).empty()) {
    std::vector<float> out(6);
    CHECK_THROWS_AS(run_aten_op(NativeOp::kExp, in.data(), 2, 3, 0.7F, 0, out.data()), KernelError);
  }
}
