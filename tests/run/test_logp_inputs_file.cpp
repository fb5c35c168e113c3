// SPDX-License-Identifier: Apache-2.0
// The reader of kernel inputs: what a file holds, and every fault by its field.
#include <catch2/catch.hpp>

#include "core/test_support.h"
#include "run/file_names.h"
#include "run/logp_inputs_file.h"
#include "run/pt_test_support.h"
#include "support/pt_writer.h"

using namespace rlverify;
using rlverify::test::PtTensor;
using rlverify::test::PtValue;

namespace {

PtTensor matrix(std::int64_t rows, std::int64_t columns, const char* storage = "BFloat16Storage", int bytes = 2) {
  PtTensor tensor =
      rlverify::test::vector_tensor(storage, std::string(static_cast<std::size_t>(rows * columns * bytes), '\1'), 0);
  tensor.shape = {rows, columns};
  return tensor;
}

/// Rank 5 of 4 tensor-parallel ranks: two samples of 3 and 0 rows over 16 columns.
PtValue payload() {
  return PtValue::Dict{
      {"schema_version", run::kLogpInputsSchema},
      {"rank", 5},
      {"call_index", 12},
      {"tensor_parallel_size", 4},
      {"context_parallel_size", 2},
      {"temperature", 0.6},
      {"real_vocab_size", 14},
      {"padded_vocab_size", 16},
      {"targets", PtValue::List{rlverify::test::long_tensor({3, 13, 0}), rlverify::test::long_tensor({})}},
      {"logits", PtValue::List{matrix(3, 16), matrix(0, 16)}},
      {"logits_are_temperature_scaled", false},
      {"train_log_probs", PtValue::List{rlverify::test::float_tensor({-1, -2, -3}), rlverify::test::float_tensor({})}}};
}

run::LogpInputsFile read(const PtValue& value) {
  return run::read_logp_inputs(run::test::source_of(value), "test.pt");
}

std::string fault(const PtValue& value) {
  return core::test::problem_of([&value] { static_cast<void>(read(value)); }).expected;
}

PtValue with(const char* key, PtValue value) {
  PtValue out = payload();
  out[key] = std::move(value);
  return out;
}

}  // namespace

TEST_CASE("what a file of kernel inputs holds") {
  const run::LogpInputsFile file = read(payload());
  CHECK(file.rank == 5);
  CHECK(file.call_index == 12);
  CHECK(file.tensor_parallel_rank() == 1);
  CHECK(file.context_parallel_rank() == 1);
  CHECK(file.tensor_parallel_group() == 1);
  CHECK(file.temperature == 0.6);
  CHECK(file.real_vocab_size == 14);
  CHECK(file.padded_vocab_size == 16);
  CHECK_FALSE(file.is_local_vocab);
  CHECK_FALSE(file.has_hidden);
  CHECK(file.dtype == tensor::DType::kBfloat16);
  REQUIRE(file.samples.size() == 2);
  CHECK(file.samples[0].targets == std::vector<std::int64_t>{3, 13, 0});
  REQUIRE(file.samples[0].train_log_probs);
  CHECK(file.samples[0].train_log_probs->element_count == 3);
  CHECK_FALSE(file.samples[0].rollout_log_probs);
  CHECK(run::rank_call_name(file.rank, file.call_index) == "rank00005.call00000012.pt");
}

TEST_CASE("a slice of the vocabulary is known by its columns") {
  CHECK(read(with("logits", PtValue::List{matrix(3, 4), matrix(0, 4)})).is_local_vocab);
  CHECK(fault(with("logits", PtValue::List{matrix(3, 8), matrix(0, 8)})) == "logits[0]: 16 columns, or 4 of one rank");
}

TEST_CASE("hidden states have a width of their own and a weight version") {
  PtValue value = payload();
  value.erase("logits");
  value["hidden"] = PtValue::List{matrix(3, 5), matrix(0, 5)};
  value["weight_version"] = 3;
  const run::LogpInputsFile file = read(value);
  CHECK(file.has_hidden);
  CHECK(file.columns == 5);
  CHECK(file.weight_version == "3");
  value["weight_version"] = PtValue::List{};
  CHECK(fault(value) == "weight_version: a name or a number");
  value["logits"] = PtValue::List{matrix(3, 16), matrix(0, 16)};
  CHECK(fault(value) == "logits, hidden: one of the two");
}

TEST_CASE("every fault is named by its field") {
  using List = PtValue::List;
  CHECK(fault(PtValue(3)) == "payload: a dict");
  CHECK(fault(with("schema_version", "other")).find("schema_version: ") == 0);
  CHECK(fault(with("rank", -1)).find("rank: ") == 0);
  CHECK(fault(with("rank", true)).find("rank: ") == 0);
  CHECK(fault(with("tensor_parallel_size", 0)).find("tensor_parallel_size: ") == 0);
  CHECK(fault(with("tensor_parallel_size", 1 << 20)) == "tensor_parallel_size: at most 4096");
  CHECK(fault(with("context_parallel_size", "2")).find("context_parallel_size: ") == 0);
  CHECK(fault(with("temperature", "0.6")) == "temperature: a number");
  CHECK(fault(with("temperature", -0.5)) == "temperature: a finite number of at least 0");
  CHECK(fault(with("real_vocab_size", 17)) == "real_vocab_size: at most the padded vocabulary 16");
  CHECK(fault(with("padded_vocab_size", std::int64_t{1} << 40)).find("padded_vocab_size: at most") == 0);
  CHECK(fault(with("logits_are_temperature_scaled", 0)) == "logits_are_temperature_scaled: True or False");
  CHECK(fault(with("logits", 3)) == "logits: a list");
  CHECK(fault(with("logits", List{matrix(3, 16), matrix(0, 15)})).find("logits[1]: 16 columns") == 0);
  CHECK(fault(with("logits", List{matrix(3, 16, "DoubleStorage", 8), matrix(0, 16)})).find("logits[0]: a matrix") == 0);
  CHECK(fault(with("logits", List{PtValue(3), matrix(0, 16)})) == "logits[0]: a tensor");
  CHECK(fault(with("targets", List{rlverify::test::long_tensor({3, 13, 0})})) == "targets: 2 entries, as logits has");
  CHECK(fault(with("targets", List{rlverify::test::long_tensor({3}), rlverify::test::long_tensor({})})) ==
        "targets[0]: 3 token ids, one per row");
  CHECK(fault(with("targets", List{rlverify::test::float_tensor({3, 1, 2}), rlverify::test::long_tensor({})})) ==
        "targets[0]: integers");
  CHECK(fault(with("train_log_probs", List{rlverify::test::float_tensor({-1}), rlverify::test::float_tensor({})})) ==
        "train_log_probs[0]: 3 values, one per row");
  CHECK(fault(with("rollout_log_probs",
                   List{rlverify::test::long_tensor({1, 2, 3}), rlverify::test::float_tensor({})})) ==
        "rollout_log_probs[0]: floating-point numbers");
  PtValue empty = with("logits", List{});
  empty["targets"] = List{};
  empty.erase("train_log_probs");
  CHECK(fault(empty) == "logits: at least one sample");
}

TEST_CASE("a matrix that unfolds a few bytes is refused before it is read") {
  PtTensor wide = matrix(1, 16);
  wide.shape = {1 << 20, 16};
  wide.strides = {0, 0};
  PtValue value = with("logits", PtValue::List{wide, matrix(0, 16)});
  CHECK(fault(value).find("logits[0]: a tensor of at most 64 times its storage") == 0);
}
