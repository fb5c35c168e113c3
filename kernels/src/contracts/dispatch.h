// SPDX-License-Identifier: Apache-2.0
// From a contract's number to the type that states its order. Contracts that share a type differ in what prepare() puts
// into the shape or the temperature rule.
#pragma once

#include "contracts/fp64.h"
#include "contracts/megatron_ce.h"
#include "contracts/megatron_ce_fused.h"
#include "contracts/miles_fused.h"
#include "contracts/rl_kernel_sparse_nucleus.h"
#include "contracts/rl_kernel_strict_single.h"
#include "contracts/rl_kernel_strict_top_p.h"
#include "contracts/rl_kernel_strict_tp.h"
#include "contracts/rl_kernel_ws2.h"
#include "contracts/verl_fused.h"
#include "contracts/vime_default.h"
#include "contracts/vllm_batch_invariant.h"
#include "contracts/vllm_gather.h"

namespace rlverify::kernels {

/// A type as a value, to hand to a generic lambda.
template <class T>
struct TypeTag {
  using type = T;
};

/// Calls visit(TypeTag<C>()) for the contract's type. Forced inline, as everything that the instruction sets share.
template <class Visit>
RLV_HOST_INLINE auto with_contract(ContractId id, Visit visit) {
  switch (id) {
    case ContractId::kRlKernelWs2:
    case ContractId::kRlKernelWs2F32:
    case ContractId::kRlKernelWs2Bits16:
    case ContractId::kRlKernelWs2Rocm:
      return visit(TypeTag<RlKernelWs2>());
    case ContractId::kRlKernelStrictTp:
      return visit(TypeTag<RlKernelStrictTp>());
    case ContractId::kRlKernelStrictTopP:
      return visit(TypeTag<RlKernelStrictTopP>());
    case ContractId::kRlKernelStrictSingle:
      return visit(TypeTag<RlKernelStrictSingle>());
    case ContractId::kRlKernelSparseNucleus:
      return visit(TypeTag<RlKernelSparseNucleus>());
    case ContractId::kVllmGather:
      return visit(TypeTag<VllmGather>());
    case ContractId::kVllmBatchInvariant:
      return visit(TypeTag<VllmBatchInvariant>());
    case ContractId::kMegatronCe:
      return visit(TypeTag<MegatronCe>());
    case ContractId::kMegatronCeFused:
    case ContractId::kMilesFused:
      return visit(TypeTag<MegatronCeFused>());
    case ContractId::kVimeDefault:
      return visit(TypeTag<VimeDefault>());
    case ContractId::kVerlFused:
      return visit(TypeTag<VerlFused>());
    case ContractId::kVerlFusedPhantom:
      return visit(TypeTag<VerlFusedPhantom>());
    case ContractId::kFp64:
      break;
  }
  return visit(TypeTag<Fp64Reference>());
}

/// Whether the contract's type states an entropy.
template <class C, class = void>
inline constexpr bool kHasEntropy = false;
template <class C>
inline constexpr bool kHasEntropy<C, decltype(static_cast<void>(C::kEntropyThreads))> = true;

/// Units of the contract: the partial sums that a row's merge is given.
RLV_HOST_INLINE int units_of(ContractId id, const Shape& shape) {
  return with_contract(id, [&](auto tag) { return decltype(tag)::type::units(shape); });
}

}  // namespace rlverify::kernels
