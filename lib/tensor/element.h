// SPDX-License-Identifier: Apache-2.0
// Single elements of tensors as numbers. For loops over many elements the callers switch on the dtype once
// (visit_dtype) and stay in typed code.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/dtype.h"

namespace rlverify::tensor {

/// An unaligned little-endian load.
template <typename T>
[[nodiscard]] inline T load_element(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// IEEE half precision and bfloat16 to float: exact.
[[nodiscard]] inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  }
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}
[[nodiscard]] inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// The value of an integer or bool element; unsigned 64-bit values wrap as torch's int() of them does not occur in
/// practice.
[[nodiscard]] std::int64_t integer_element(DType dtype, const std::byte* bytes);

/// The value of any real element as a double: exact for all floating types and integers up to 2^53, else rounded as
/// torch's .double(). Not for complex and sub-byte types.
[[nodiscard]] double real_element(DType dtype, const std::byte* bytes);

}  // namespace rlverify::tensor
