// SPDX-License-Identifier: Apache-2.0
// The CUDA backend on a device: the CPU's bits for every contract. Without a device the test says why and is skipped.
#include <catch2/catch.hpp>
#include <cstdio>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

}  // namespace

TEST_CASE("the GPU gives the CPU's bits", "[gpu]") {
  const BackendStatus status = backend_status(Backend::kCuda, 0);
  if (!status.available) {
    std::printf("SKIPPED: %s\n", status.reason.c_str());
    return;
  }
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
