// SPDX-License-Identifier: Apache-2.0
// Element types of tensors: those that PyTorch and safetensors write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rlverify::tensor {

enum class DType : std::uint8_t {
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kFloat8E4m3fn,
  kFloat8E5m2,
  kFloat8E4m3fnuz,
  kFloat8E5m2fnuz,
  kFloat8E8m0fnu,
  kComplex32,
  kComplex64,
  kComplex128,
  kFloat4E2m1,  ///< safetensors F4: two elements a byte
  kFloat6E2m3,
  kFloat6E3m2,  ///< safetensors F6_*: four elements in three bytes
  kQint8,
  kQuint8,
  kQint32,  ///< quantised storages of PyTorch: compared as integers
};
inline constexpr int kDTypeCount = 27;

/// Size of one element in bits (4 and 6 for the sub-byte types).
[[nodiscard]] unsigned bits_per_element(DType dtype);
/// Size in bytes of an element of a whole-byte type (all that PyTorch writes); 0 for sub-byte types.
[[nodiscard]] unsigned bytes_per_element(DType dtype);
[[nodiscard]] bool is_floating(DType dtype);  ///< real floating point, 4 to 64 bits
[[nodiscard]] bool is_complex(DType dtype);
[[nodiscard]] bool is_integer(DType dtype);  ///< integers and quantised integers, not bool
/// As PyTorch prints it: "torch.bfloat16".
[[nodiscard]] std::string_view torch_name(DType dtype);
/// As safetensors writes it: "BF16"; empty for types that the format lacks.
[[nodiscard]] std::string_view safetensors_name(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_torch_name(std::string_view name);  ///< with or without "torch."
[[nodiscard]] std::optional<DType> dtype_from_safetensors_name(std::string_view name);
[[nodiscard]] std::optional<DType> dtype_from_storage_class(
    std::string_view name);  ///< "FloatStorage", "BFloat16Storage", ...

}  // namespace rlverify::tensor
