// SPDX-License-Identifier: Apache-2.0
// The plain types of the kernels' interface: storage types, backends, collective settings and the one exception.
// Nothing here needs CUDA, torch or the rest of rlverify.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rlverify::kernels {

/// How one logit (or hidden state, or weight) is stored.
enum class StorageType : std::uint8_t { kFloat32, kBFloat16, kFloat16 };

/// Where the arithmetic runs. `kCpu` and `kCuda` give the same bits; `kTorch` runs the frameworks' own ATen operations.
enum class Backend : std::uint8_t { kCpu, kCuda, kTorch };

/// Instruction set of the CPU backend; the bits do not depend on it.
enum class SimdLevel : std::uint8_t { kScalar, kAvx2, kAvx512 };

/// Order in which a sum over tensor-parallel ranks adds (docs/kernels.md, "Collectives"):
/// gather = ascending ranks, ((x0+x1)+x2)+x3; ring = NCCL ring, start rank depends on the element's place in the
/// buffer; chain = NCCL's single-node tree, x0+(x1+(x2+x3)).
enum class CollectiveOrder : std::uint8_t { kGather, kRing, kChain };

/// One simulated NCCL setting. `max_channels` is the number of channels of the communicator (NCCL_MAX_NCHANNELS).
struct CollectiveSetting {
  CollectiveOrder order = CollectiveOrder::kRing;
  int max_channels = 16;
};

/// What kind of problem a KernelError reports; the command line turns it into an exit code.
enum class ErrorKind : std::uint8_t {
  kInvalidInput,  ///< a pointer, shape or parameter that the contract does not allow
  kUnsupported,   ///< this contract, type or option does not exist on this backend
  kNoDevice,      ///< the demanded device or module is not there
  kOutOfMemory,   ///< host or device memory ran out
  kDevice         ///< a device or library call failed
};

/// The only exception the kernels throw.
class KernelError : public std::runtime_error {
 public:
  KernelError(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// Bytes of one element of `type`.
[[nodiscard]] constexpr std::int64_t storage_bytes(StorageType type) noexcept {
  return type == StorageType::kFloat32 ? 4 : 2;
}

/// "f32", "bf16" or "f16".
[[nodiscard]] const char* storage_name(StorageType type) noexcept;
/// "cpu", "cuda" or "torch".
[[nodiscard]] const char* backend_name(Backend backend) noexcept;
/// "scalar", "avx2" or "avx512".
[[nodiscard]] const char* simd_name(SimdLevel level) noexcept;
/// "gather", "ring" or "chain".
[[nodiscard]] const char* collective_name(CollectiveOrder order) noexcept;

}  // namespace rlverify::kernels
