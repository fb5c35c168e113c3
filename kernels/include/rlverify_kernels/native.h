// SPDX-License-Identifier: Apache-2.0
// Single operations as ATen does them on a CUDA device, to hold against ATen on the same card (logp_check --native).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace rlverify::kernels {

enum class NativeOp : std::uint8_t {
  kExp,             ///< expf of every element
  kLog,             ///< logf of every element
  kLogPortable,     ///< the logarithm that all flavours share, which is said to be logf
  kDivideByTensor,  ///< IEEE division
  kDivideByScalar,  ///< multiplication by fp32(1/scalar)
  kSum,             ///< torch.sum(dim=-1): launch plan and tree of Reduce.cuh
  kMax,             ///< torch.max(dim=-1)
  kLogSoftmax       ///< log_softmax(dim=-1): 1,024 lanes, (z - M) - log S
};

/// What an operation is, for a table.
struct NativeOpFacts {
  NativeOp op;
  const char* name;       ///< the same in the torch module
  const char* statement;  ///< what the documentation claims, in one line
  bool reduces;           ///< one result per row
};
[[nodiscard]] std::span<const NativeOpFacts> native_ops() noexcept;

/// Runs `op` on [rows, columns] fp32 numbers in host memory on CUDA device `device`; `out` has rows * columns results,
/// or rows where the operation reduces. Throws KernelError.
void run_native_op(NativeOp op, const float* in, std::int64_t rows, std::int64_t columns, float scalar, int device,
                   float* out);

/// Bytes per second that the memory of CUDA device `device` moves at most: its clock, twice, times its bus. Throws
/// KernelError.
[[nodiscard]] double peak_memory_bandwidth(int device);

/// Runs the same operation by ATen, through the torch module, on CUDA device `device`, or on the CPU where it is -1.
void run_aten_op(NativeOp op, const float* in, std::int64_t rows, std::int64_t columns, float scalar, int device,
                 float* out);
/// "libtorch 2.9.0"; empty without the torch module.
[[nodiscard]] std::string aten_name();
/// Why ATen can't run on CUDA device `device` here; empty when it can.
[[nodiscard]] std::string aten_gpu_reason(int device);

}  // namespace rlverify::kernels
