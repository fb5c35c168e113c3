// SPDX-License-Identifier: Apache-2.0
// The registry of logp contracts: one entry per system whose arithmetic can be re-executed.
// An entry holds facts for reports (who uses it, source, order, what is a stand-in); the arithmetic is in
// src/contracts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rlverify_kernels/types.h"

namespace rlverify::kernels {

/// One contract each; the value indexes contracts().
enum class ContractId : std::uint8_t {
  kFp64,
  kRlKernelWs2,
  kRlKernelStrictTp,
  kVllmGather,
  kMegatronCe,
  kVimeDefault,
  kMilesFused,
  kVerlFused,
  kRlKernelWs2F32,
  kRlKernelWs2Bits16,
  kRlKernelWs2Rocm,
  kRlKernelStrictSingle,
  kRlKernelStrictTopP,
  kRlKernelSparseNucleus,
  kVllmBatchInvariant,
  kMegatronCeFused,
  kVerlFusedPhantom
};

/// How a contract applies the temperature to a logit z that was widened to fp32 (docs/kernels.md, "Temperature").
enum class TemperatureRule : std::uint8_t {
  kDivideFp64,              ///< z / T in fp64 (the reference)
  kDivide,                  ///< IEEE fp32 division by fp32(T); T below 1e-5 means greedy and counts as 1
  kDivideRoundBf16,         ///< z rounded to bf16, IEEE fp32 division by fp32(T), rounded to bf16 again
  kMultiplyReciprocal,      ///< z times fp32(1/T): what PyTorch on CUDA makes of a division by a Python number
  kMultiplyRoundToStorage,  ///< the same, rounded back to the storage type of the logits; T of 0 counts as 1
  kMultiplyReciprocalFp64   ///< z times fp32(1/T), where 1/T is divided in fp64
};

/// What a report says about a contract.
struct Contract {
  ContractId id;
  std::string_view name;      ///< "vllm_gather"
  std::string_view used_by;   ///< who computes this way
  std::string_view source;    ///< public source the order was read from
  std::string_view order;     ///< the order of operations in one line
  std::string_view stand_in;  ///< what is not known of the system and was chosen here; empty when nothing is
  TemperatureRule temperature_rule;
  bool masks_padding;          ///< true: columns real..padded never count; false: they are summed like any other
  bool uses_collective_sum;    ///< true: the result depends on the CollectiveSetting when P > 2
  bool needs_divisible_vocab;  ///< true: P must divide the padded vocabulary
  bool result_is_fp64;         ///< true only for the reference
  StorageType product_type;    ///< to what the system rounds hidden x weight
  /// A contract over a retained set of tokens (top-p): columns of -inf are not in it, and a target outside gives NaN.
  bool needs_retained_set = false;
  bool has_entropy = false;  ///< LogpOutput::entropy can be asked for
};

/// All contracts, in the order of ContractId.
[[nodiscard]] std::span<const Contract> contracts() noexcept;
/// The entry of `id`.
[[nodiscard]] const Contract& contract(ContractId id) noexcept;
/// The entry called `name`, or nullptr.
[[nodiscard]] const Contract* find_contract(std::string_view name) noexcept;
/// Whether, for logits of that storage, `id` is another contract of the list operation by operation: rl_kernel_ws2
/// itself follows the storage, so one of its two variants adds nothing.
[[nodiscard]] bool is_alias(ContractId id, StorageType storage) noexcept;

}  // namespace rlverify::kernels
