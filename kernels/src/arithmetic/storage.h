// SPDX-License-Identifier: Apache-2.0
// Widening and rounding of bf16 and fp16, in integer arithmetic so that every machine agrees. Widening is exact (a
// signalling NaN may become quiet); rounding is to nearest, ties to even, and every NaN becomes the canonical one.
#pragma once

#include "arithmetic/portable.h"
#include "rlverify_kernels/types.h"

namespace rlverify::kernels {

RLV_INLINE float widen_bf16(std::uint16_t stored) {
  return float_of_bits(static_cast<std::uint32_t>(stored) << 16U);
}

/// fp16 to fp32: the exponent is moved by an exact multiplication by 2^112, which also normalises denormals.
RLV_INLINE float widen_fp16(std::uint16_t stored) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(stored & 0x7FFFU) << 13U;
  const std::uint32_t sign = static_cast<std::uint32_t>(stored & 0x8000U) << 16U;
  const float scaled = float_of_bits(magnitude) * 0x1.0p112F;
  const bool special = magnitude >= 0x0F800000U;
  return float_of_bits((special ? (magnitude | 0x7F800000U) : bits_of(scaled)) | sign);
}

RLV_INLINE std::uint16_t narrow_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  return static_cast<std::uint16_t>(value == value ? rounded : 0x7FC0U);
}

/// fp32 to fp16. Results below the normal range come from an addition whose rounding step is 2^-24, fp16's smallest.
RLV_INLINE std::uint16_t narrow_fp16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U)
    return 0x7E00U;
  if (magnitude >= 0x47800000U)
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    const float shifted = float_of_bits(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (bits_of(shifted) - 0x3F000000U));
  }
  const std::uint32_t rounded = magnitude + 0x0FFFU + ((magnitude >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U));
}

/// `value` rounded to what `type` can hold, as fp32.
RLV_INLINE float round_to_storage(float value, StorageType type) {
  if (type == StorageType::kBFloat16)
    return widen_bf16(narrow_bf16(value));
  if (type == StorageType::kFloat16)
    return widen_fp16(narrow_fp16(value));
  return value;
}

/// Element `index` of an array of `type`, widened to fp32.
RLV_INLINE float load_storage(const void* data, StorageType type, std::int64_t index) {
  if (type == StorageType::kFloat32)
    return static_cast<const float*>(data)[index];
  const std::uint16_t stored = static_cast<const std::uint16_t*>(data)[index];
  return type == StorageType::kBFloat16 ? widen_bf16(stored) : widen_fp16(stored);
}

}  // namespace rlverify::kernels
