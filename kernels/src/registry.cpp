// SPDX-License-Identifier: Apache-2.0
// The table of contracts and the names of the plain types. The facts are those of the files in src/contracts.
#include <array>

#include "rlverify_kernels/contracts.h"

namespace rlverify::kernels {

namespace {

constexpr std::string_view kWs2StandIn =
    "exponential: the portable polynomial in place of CUDA's expf; temperature: applied outside the op, followed as a "
    "multiplication by fp32(1/T)";
constexpr std::string_view kExpStandIn =
    "exponential: the portable polynomial in place of CUDA's expf (0.1-1.6% of log-probs differ by one ulp)";

constexpr std::array<Contract, 17> kContracts{{
    {ContractId::kFp64, "fp64", "reference of every comparison", "rlverify",
     "z/T in fp64; 64 lanes over columns i+64k; halving tree; (z_t - M) - log S", "", TemperatureRule::kDivideFp64,
     true, false, false, true, StorageType::kFloat32},
    {ContractId::kRlKernelWs2, "rl_kernel_ws2", "RL-Kernel vocabulary-parallel logp, 64 tiles, CUDA tile kernel",
     "RL-Kernel rl_engine/reference/logprob/vocab_parallel_logp.py, csrc/cuda/logprob/deterministic_logp_kernel.cu",
     "64 tiles: 128 lanes x 4 (fp32) or 64 x 8 (16 bit), warp trees; gather; sum of 64 by x[i]+x[i+32], shfl 1..16; "
     "z_t - (M + log S)",
     kWs2StandIn, TemperatureRule::kMultiplyReciprocal, true, false, false, false, StorageType::kBFloat16, false, true},
    {ContractId::kRlKernelStrictTp, "rl_kernel_strict_tp",
     "RL-Kernel strict linear logp on CUDA with a tensor-parallel group",
     "RL-Kernel rl_engine/backends/cuda/logprob/linear_logp.py, ordered_merge.py",
     "bf16 logits; per rank 256 lanes strided by 256, halving tree, lse; gather; chain over ranks; z_t - (M + log S)",
     "exponential: the portable polynomial in place of __expf and expf; product: the naive fma chain in place of the "
     "tensor cores",
     TemperatureRule::kDivideRoundBf16, true, false, true, false, StorageType::kBFloat16},
    {ContractId::kVllmGather, "vllm_gather", "vLLM V1 sampler", "vllm/v1/sample/sampler.py; ATen cuda/SoftMax.cu",
     "gather; cut to the real vocabulary; fp32; 1024 lanes x float4, warp trees; (z_t - M) - log S", kExpStandIn,
     TemperatureRule::kDivide, true, false, false, false, StorageType::kBFloat16},
    {ContractId::kMegatronCe, "megatron_ce", "Megatron-LM unfused vocab_parallel_cross_entropy",
     "megatron/core/tensor_parallel/cross_entropy.py; ATen cuda/Reduce.cuh; NCCL 2.30",
     "MAX over ranks; torch.sum of exp(z - M) per rank; all-reduce; -(log S - (z_t - M))",
     "exponential: the portable polynomial in place of CUDA's expf; NCCL rank permutation and channels; temperature as "
     "in verl's "
     "Megatron actor",
     TemperatureRule::kMultiplyReciprocal, false, true, true, false, StorageType::kBFloat16},
    {ContractId::kVimeDefault, "vime_default", "slime and VIME, default log-probs",
     "slime/utils/ppo_utils.py (_VocabParallelLogProbEntropy); ATen cuda/Reduce.cuh; NCCL 2.30",
     "MAX over ranks; torch.sum of exp(z - M) per rank; all-reduce; (z_t - M) - log S",
     "exponential: the portable polynomial in place of CUDA's expf; NCCL rank permutation and channels",
     TemperatureRule::kMultiplyReciprocal, false, true, true, false, StorageType::kBFloat16},
    {ContractId::kMilesFused, "miles_fused", "miles default (Megatron fused cross entropy)",
     "megatron/core/fusions/fused_cross_entropy.py; miles of August 2026",
     "MAX over ranks; compiled row sum per rank; one all-reduce of [predicted; S]; -(log S - (z_t - M))",
     "row sum: 2048 accumulators in place of Inductor's order; exponential: the portable polynomial in place of "
     "ex2.approx; NCCL rank "
     "permutation and channels",
     TemperatureRule::kMultiplyRoundToStorage, false, true, true, false, StorageType::kBFloat16},
    {ContractId::kVerlFused, "verl_fused",
     "verl fused linear cross entropy (Triton), after the fix of the phantom columns",
     "verl/utils/kernel/kernels.py, linear_cross_entropy.py",
     "256-column tiles online in 1024-column splits; blocks of 64 splits; all-reduce; -((M + log A) - z_t), M >= 0",
     "tile and split sums: 4 lanes and a halving tree in place of Triton's tl.sum; exponential: the portable "
     "polynomial in place of "
     "ex2.approx; NCCL rank permutation and channels",
     TemperatureRule::kMultiplyReciprocal, false, true, true, false, StorageType::kFloat32},
    {ContractId::kRlKernelWs2F32, "rl_kernel_ws2_f32", "RL-Kernel, 64 tiles, logits widened to fp32 before the op",
     "RL-Kernel csrc/cuda/logprob/deterministic_logp_kernel.cu",
     "as rl_kernel_ws2 for fp32 storage: 128 lanes x 4 in a tile, whatever the logits are kept in", kWs2StandIn,
     TemperatureRule::kMultiplyReciprocal, true, false, false, false, StorageType::kBFloat16, false, true},
    {ContractId::kRlKernelWs2Bits16, "rl_kernel_ws2_16bit", "RL-Kernel, 64 tiles, logits in bf16 or fp16",
     "RL-Kernel csrc/cuda/logprob/deterministic_logp_kernel.cu",
     "as rl_kernel_ws2 for 16-bit storage: 64 lanes x 8 in a tile, whatever the logits are kept in", kWs2StandIn,
     TemperatureRule::kMultiplyReciprocal, true, false, false, false, StorageType::kBFloat16, false, true},
    {ContractId::kRlKernelWs2Rocm, "rl_kernel_ws2_rocm", "RL-Kernel on ROCm, 64 tiles",
     "RL-Kernel csrc/rocm/logprob/hip_deterministic_logp_kernel.hip",
     "as rl_kernel_ws2 with 128 lanes x 8 in a tile, chunks of 1024, whatever the storage",
     "exponential: the portable polynomial in place of ROCm's expf; torch.sum of the merge as on CUDA; temperature: "
     "applied outside the op, followed as a multiplication by fp32(1/T)",
     TemperatureRule::kMultiplyReciprocal, true, false, false, false, StorageType::kBFloat16, false, true},
    {ContractId::kRlKernelStrictSingle, "rl_kernel_strict_single",
     "RL-Kernel strict linear logp on CUDA without a tensor-parallel group",
     "RL-Kernel csrc/cuda/logprob/fused_linear_logp_sm90.cu",
     "64-column tiles by halving, chained with fma in 64 splits, splits chained; min(z_t - (M + log S), 0)",
     "exponential: the portable polynomial in place of CUDA's expf; product: the naive fma chain in place of the "
     "tensor "
     "cores",
     TemperatureRule::kMultiplyReciprocal, true, false, false, false, StorageType::kFloat32},
    {ContractId::kRlKernelStrictTopP, "rl_kernel_strict_top_p", "RL-Kernel strict linear logp, replay of a top-p set",
     "RL-Kernel rl_engine/backends/cuda/logprob/linear_logp.py",
     "as rl_kernel_strict_tp over the retained columns (those that are not -inf)",
     "exponential: the portable polynomial in place of __expf and expf; product: the naive fma chain in place of the "
     "tensor cores",
     TemperatureRule::kDivideRoundBf16, true, false, true, false, StorageType::kBFloat16, true},
    {ContractId::kRlKernelSparseNucleus, "rl_kernel_sparse_nucleus", "RL-Kernel sparse nucleus logp on ROCm",
     "RL-Kernel csrc/rocm/logprob/hip_deterministic_logp_kernel.hip",
     "retained columns (those that are not -inf) one after the other, with a polynomial exponential and logarithm of "
     "its "
     "own; z_t - (M + log S)",
     "contraction to fma, which the source leaves to the compiler; product: the naive fma chain",
     TemperatureRule::kMultiplyReciprocalFp64, true, false, false, false, StorageType::kBFloat16, true, true},
    {ContractId::kVllmBatchInvariant, "vllm_batch_invariant", "vLLM with VLLM_BATCH_INVARIANT=1 (Triton log_softmax)",
     "vllm/model_executor/layers/batch_invariant.py",
     "gather; cut to the real vocabulary; fp32; blocks of 1024 columns one after the other; (z_t - M) - log S",
     "sum of a block: 4 warps, lane i adds 4i..4i+3 and 512 + 4i..4i+3, in place of Triton's tl.sum; exponential: the "
     "portable polynomial in place of ex2.approx",
     TemperatureRule::kDivide, true, false, false, false, StorageType::kBFloat16},
    {ContractId::kMegatronCeFused, "megatron_ce_fused", "Megatron-LM with cross_entropy_loss_fusion (native)",
     "megatron/core/fusions/fused_cross_entropy.py; NCCL 2.30",
     "MAX over ranks; compiled row sum per rank; one all-reduce of [predicted; S]; -(log S - (z_t - M))",
     "row sum: 2048 accumulators in place of Inductor's order; exponential: the portable polynomial in place of "
     "ex2.approx; NCCL rank permutation and channels; temperature as in verl's Megatron actor",
     TemperatureRule::kMultiplyReciprocal, false, true, true, false, StorageType::kBFloat16},
    {ContractId::kVerlFusedPhantom, "verl_fused_phantom",
     "verl fused linear cross entropy (Triton), before the fix of the phantom columns (PR #5349)",
     "verl/utils/kernel/kernels.py, linear_cross_entropy.py",
     "as verl_fused; the columns by which a rank's last 1024-column split passes its shard count as logits of 0",
     "as verl_fused: tile and split sums, exponential, NCCL rank permutation and channels",
     TemperatureRule::kMultiplyReciprocal, false, true, true, false, StorageType::kFloat32},
}};

}  // namespace

std::span<const Contract> contracts() noexcept {
  return kContracts;
}

const Contract& contract(ContractId id) noexcept {
  return kContracts[static_cast<std::size_t>(id)];
}

const Contract* find_contract(std::string_view name) noexcept {
  for (const Contract& entry : kContracts) {
    if (entry.name == name)
      return &entry;
  }
  return nullptr;
}

bool is_alias(ContractId id, StorageType storage) noexcept {
  return storage == StorageType::kFloat32 ? id == ContractId::kRlKernelWs2F32 : id == ContractId::kRlKernelWs2Bits16;
}

const char* storage_name(StorageType type) noexcept {
  switch (type) {
    case StorageType::kFloat32:
      return "f32";
    case StorageType::kBFloat16:
      return "bf16";
    case StorageType::kFloat16:
      return "f16";
  }
  return "unknown";
}

const char* backend_name(Backend backend) noexcept {
  switch (backend) {
    case Backend::kCpu:
      return "cpu";
    case Backend::kCuda:
      return "cuda";
    case Backend::kTorch:
      return "torch";
  }
  return "unknown";
}

const char* simd_name(SimdLevel level) noexcept {
  switch (level) {
    case SimdLevel::kScalar:
      return "scalar";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512:
      return "avx512";
  }
  return "unknown";
}

const char* collective_name(CollectiveOrder order) noexcept {
  switch (order) {
    case CollectiveOrder::kGather:
      return "gather";
    case CollectiveOrder::kRing:
      return "ring";
    case CollectiveOrder::kChain:
      return "chain";
  }
  return "unknown";
}

}  // namespace rlverify::kernels
