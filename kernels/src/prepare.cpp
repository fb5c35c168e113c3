// SPDX-License-Identifier: Apache-2.0
// Input checks and the temperature rules; no arithmetic on logits here.
#include "prepare.h"

#include <cmath>
#include <string>

namespace rlverify::kernels {

namespace {

constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 28;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 40;
constexpr std::int64_t kMaxHidden = std::int64_t{1} << 20;

[[noreturn]] void reject(const std::string& what) {
  throw KernelError(ErrorKind::kInvalidInput, what);
}

void check_vocabulary(const Contract& contract, const LogpInput& input) {
  if (input.padded_vocab_size < 1 || input.padded_vocab_size > kMaxVocabulary) {
    reject("padded vocabulary " + std::to_string(input.padded_vocab_size) + ": expected 1 to " +
           std::to_string(kMaxVocabulary));
  }
  if (input.real_vocab_size < 1 || input.real_vocab_size > input.padded_vocab_size) {
    reject("real vocabulary " + std::to_string(input.real_vocab_size) + ": expected 1 to the padded vocabulary " +
           std::to_string(input.padded_vocab_size));
  }
  const int ranks = input.tensor_parallel_size;
  if (ranks != 1 && ranks != 2 && ranks != 4 && ranks != 8) {
    reject("tensor parallel size " + std::to_string(ranks) + ": expected 1, 2, 4 or 8");
  }
  if (contract.needs_divisible_vocab && input.padded_vocab_size % ranks != 0) {
    reject(std::string(contract.name) + ": " + std::to_string(ranks) + " ranks do not divide the padded vocabulary " +
           std::to_string(input.padded_vocab_size));
  }
}

void check_rows(const LogpInput& input) {
  if (input.rows < 0 || input.rows > kMaxRows)
    reject("rows " + std::to_string(input.rows) + ": expected 0 or more");
  if (input.rows > 0 && input.targets == nullptr)
    reject("targets are missing");
  if (input.batch_rows < 0 || input.first_batch_row < 0 || input.batch_rows > kMaxRows)
    reject("the batch has a negative size");
  const std::int64_t batch = input.batch_rows == 0 ? input.rows : input.batch_rows;
  if (input.first_batch_row > batch - input.rows) {
    reject("rows " + std::to_string(input.first_batch_row) + " to " +
           std::to_string(input.first_batch_row + input.rows) + " lie outside the batch of " + std::to_string(batch));
  }
  if (input.logits != nullptr && input.logits_row_stride != 0 && input.logits_row_stride < input.padded_vocab_size) {
    reject("row stride " + std::to_string(input.logits_row_stride) + " is smaller than the padded vocabulary");
  }
}

void check_source(const LogpInput& input) {
  const bool has_hidden = input.hidden != nullptr && input.weight != nullptr;
  if (input.rows > 0 && (input.logits != nullptr) == has_hidden)
    reject("give either logits or hidden states and a weight");
  if (has_hidden && (input.hidden_size < 1 || input.hidden_size > kMaxHidden)) {
    reject("hidden size " + std::to_string(input.hidden_size) + ": expected 1 to " + std::to_string(kMaxHidden));
  }
}

/// rl_kernel_ws2 follows the storage; its variants don't.
Ws2Tree ws2_tree_of(ContractId id, StorageType storage) {
  if (id == ContractId::kRlKernelWs2Rocm)
    return Ws2Tree::k128x8;
  const bool wide =
      id == ContractId::kRlKernelWs2 ? storage == StorageType::kFloat32 : id == ContractId::kRlKernelWs2F32;
  return wide ? Ws2Tree::k128x4 : Ws2Tree::k64x8;
}

}  // namespace

void check_input(const Contract& contract, const LogpInput& input) {
  check_vocabulary(contract, input);
  check_rows(input);
  check_source(input);
  if (std::isnan(input.temperature) || input.temperature < 0.0) {
    reject("temperature " + std::to_string(input.temperature) + ": expected 0 or more");
  }
  if (input.collective.max_channels < 1 || input.collective.max_channels > 64) {
    reject("channels " + std::to_string(input.collective.max_channels) + ": expected 1 to 64");
  }
  if (input.multiprocessors < 1)
    reject("multiprocessors must be at least 1");
}

Prepared prepare(const Contract& contract, const LogpInput& input, StorageType memory_type, StorageType logical_type) {
  Prepared prepared;
  Shape& shape = prepared.shape;
  shape.real_vocab = input.real_vocab_size;
  shape.padded_vocab = input.padded_vocab_size;
  shape.batch_rows = input.batch_rows == 0 ? input.rows : input.batch_rows;
  shape.first_batch_row = input.first_batch_row;
  shape.ranks = input.tensor_parallel_size;
  shape.multiprocessors = input.multiprocessors;
  shape.storage = logical_type;
  shape.collective = input.collective;
  shape.ws2_tree = ws2_tree_of(contract.id, logical_type);

  LogitTransform& transform = prepared.transform;
  transform.storage = memory_type;
  transform.logical = logical_type;
  transform.rule = contract.temperature_rule;
  double temperature = input.temperature;
  if (contract.temperature_rule == TemperatureRule::kDivide && temperature < 1e-5)
    temperature = 1.0;
  if (contract.temperature_rule == TemperatureRule::kMultiplyRoundToStorage && temperature == 0.0)
    temperature = 1.0;
  transform.divisor_fp64 = temperature;
  transform.divisor = static_cast<float>(temperature);
  const bool divides_in_fp64 = contract.temperature_rule == TemperatureRule::kMultiplyReciprocalFp64;
  transform.reciprocal = divides_in_fp64 ? static_cast<float>(1.0 / temperature) : 1.0F / transform.divisor;
  // The strict path rounds to bf16 even where the division changes nothing.
  const bool rounds =
      contract.temperature_rule == TemperatureRule::kDivideRoundBf16 && logical_type != StorageType::kBFloat16;
  transform.active = temperature != 1.0 || rounds;
  prepared.row_stride = input.logits_row_stride == 0 ? input.padded_vocab_size : input.logits_row_stride;
  return prepared;
}

}  // namespace rlverify::kernels
