// SPDX-License-Identifier: Apache-2.0
// Wrong input is named, not computed.
#include <catch2/catch.hpp>

#include "test_support.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

ErrorKind kind_of(ContractId id, const LogpInput& input, const Execution& execution = {}) {
  float logp[8] = {};
  try {
    compute_logp(id, input, execution, {logp, nullptr});
  } catch (const KernelError& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return error.kind();
  }
  FAIL("no error");
  return ErrorKind::kDevice;
}

}  // namespace

TEST_CASE("shapes that a contract does not allow", "[errors]") {
  const Problem problem = normal_problem(51, 2, 64, 60, StorageType::kFloat32);
  const auto changed = [&](auto change) {
    LogpInput input = problem.input;
    change(input);
    return kind_of(ContractId::kMegatronCe, input);
  };
  CHECK(changed([](LogpInput& i) { i.padded_vocab_size = 0; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.real_vocab_size = 65; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.real_vocab_size = 0; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.tensor_parallel_size = 3; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.rows = -1; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.targets = nullptr; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.logits = nullptr; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.temperature = -1.0; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.temperature = std::numeric_limits<double>::quiet_NaN(); }) ==
        ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.collective.max_channels = 0; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.logits_row_stride = 63; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.batch_rows = 1; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) { i.first_batch_row = 1; }) == ErrorKind::kInvalidInput);
  CHECK(changed([](LogpInput& i) {
          i.padded_vocab_size = i.real_vocab_size = 60;
          i.tensor_parallel_size = 8;
        }) == ErrorKind::kInvalidInput);
}

TEST_CASE("no rows is no error", "[errors]") {
  LogpInput input;
  input.real_vocab_size = input.padded_vocab_size = 10;
  CHECK(compute_logp(ContractId::kVllmGather, input, Execution{}, {}).backend == Backend::kCpu);
}

TEST_CASE("a backend that is not here is never replaced by another", "[errors]") {
  const Problem problem = normal_problem(52, 2, 64, 64, StorageType::kFloat32);
  Execution cuda;
  cuda.backend = Backend::kCuda;
  cuda.device = 4096;
  CHECK(kind_of(ContractId::kVllmGather, problem.input, cuda) == ErrorKind::kNoDevice);
  CHECK_FALSE(backend_status(Backend::kCuda, 4096).available);
  CHECK_FALSE(backend_status(Backend::kCuda, 4096).reason.empty());
  Execution torch;
  torch.backend = Backend::kTorch;
  CHECK(kind_of(ContractId::kVerlFused, problem.input, torch) == ErrorKind::kUnsupported);
}

TEST_CASE("log-probs are rounded to what a side keeps", "[errors]") {
  CHECK(rounded_to(-1.00390625F, StorageType::kBFloat16) == -1.0F);
  CHECK(rounded_to(-1.01171875F, StorageType::kBFloat16) == -1.015625F);
  CHECK(rounded_to(-1.0004F, StorageType::kFloat16) == -1.0F);
  CHECK(rounded_to(-1.0004F, StorageType::kFloat32) == -1.0004F);
  CHECK(bits_of(rounded_to(-canonical_nan(), StorageType::kFloat32)) == 0x7FC00000U);
}

TEST_CASE("a report says where the numbers come from", "[errors]") {
  const Problem problem = normal_problem(53, 2, 64, 64, StorageType::kFloat32);
  float logp[2] = {};
  const ExecutionReport report = compute_logp(ContractId::kVllmGather, problem.input, Execution{}, {logp, nullptr});
  CHECK(report.backend == Backend::kCpu);
  CHECK_FALSE(report.device.empty());
  CHECK_FALSE(report.exactness.empty());
}
