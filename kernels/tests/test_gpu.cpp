// SPDX-License-Identifier: Apache-2.0
// The CUDA backend on a device: the CPU's bits for every contract. Without a device the test says why and is skipped.
#include <catch2/catch.hpp>
#include <cstdio>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

/// True where there is a device; else says why not.
bool device_here() {
  const BackendStatus status = backend_status(Backend::kCuda, 0);
  if (!status.available)
    std::printf("SKIPPED: %s\n", status.reason.c_str());
  return status.available;
}

}  // namespace

TEST_CASE("the GPU gives the CPU's bits", "[gpu]") {
  if (!device_here())
    return;
  Execution cuda;
  cuda.backend = Backend::kCuda;
  for (const StorageType type : {StorageType::kFloat32, StorageType::kBFloat16, StorageType::kFloat16}) {
    for (const std::int64_t vocab : {1, 20, 511, 512, 513, 1000, 20003, 151936, 152064}) {
      for (const double temperature : {1.0, 0.7, 0.0}) {
        Problem problem = normal_problem(71, 9, vocab, vocab > 152000 ? 151936 : vocab, type);
        problem.input.temperature = temperature;
        for (const Contract& entry : contracts()) {
          for (const int ranks : degrees(entry, vocab)) {
            problem.input.tensor_parallel_size = ranks;
            INFO(entry.name << " " << storage_name(type) << " " << vocab << " tp " << ranks << " T " << temperature);
            CHECK(bits_of_all(logp_of(entry.id, problem.input, cuda)) == bits_of_all(logp_of(entry.id, problem.input)));
          }
        }
      }
    }
  }
}

TEST_CASE("the GPU gives the CPU's entropies, and its own exponentials stay within a step or two", "[gpu]") {
  if (!device_here())
    return;
  Execution cuda;
  cuda.backend = Backend::kCuda;
  for (const StorageType type : {StorageType::kFloat32, StorageType::kBFloat16}) {
    Problem problem = normal_problem(72, 20, 152064, 151936, type);
    for (const Contract& entry : contracts()) {
      for (const int ranks : degrees(entry, 152064)) {
        problem.input.tensor_parallel_size = ranks;
        INFO(entry.name << " " << storage_name(type) << " tp " << ranks);
        Execution native = cuda;
        native.native = true;
        CHECK(max_abs_difference(logp_of(entry.id, problem.input, native), logp_of(entry.id, problem.input)) < 4e-6);
        if (!entry.has_entropy)
          continue;
        std::vector<float> here(20);
        std::vector<float> there(20);
        compute_logp(entry.id, problem.input, Execution{}, {nullptr, nullptr, here.data()});
        compute_logp(entry.id, problem.input, cuda, {nullptr, nullptr, there.data()});
        CHECK(bits_of_all(here) == bits_of_all(there));
      }
    }
  }
}
