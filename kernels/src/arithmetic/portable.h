// SPDX-License-Identifier: Apache-2.0
// The few words in which host and device differ: function attributes, bit casts and the fused multiply-add.
// Everything is forced inline and static: the CPU backend compiles the same headers once per instruction set, and an
// out-of-line copy shared between those objects could carry instructions that the processor at hand lacks.
#pragma once

#include <cstdint>
#include <cstring>

/// For what only a host calls.
#define RLV_HOST_INLINE static inline __attribute__((always_inline))
#if defined(__CUDACC__)
#define RLV_INLINE static __host__ __device__ __forceinline__
#define RLV_MEMBER __host__ __device__ __forceinline__
#else
#define RLV_INLINE static inline __attribute__((always_inline))
#define RLV_MEMBER inline __attribute__((always_inline))
#endif

namespace rlverify::kernels {

RLV_INLINE std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

RLV_INLINE float float_of_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

RLV_INLINE std::uint64_t bits_of(double value) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint64_t>(__double_as_longlong(value));
#else
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

RLV_INLINE double double_of_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

/// a*b+c with one rounding, on every machine (a library call where the processor has no such instruction).
RLV_INLINE float fused_multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

RLV_INLINE double fused_multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

RLV_INLINE float negative_infinity() {
  return float_of_bits(0xFF800000U);
}
RLV_INLINE float canonical_nan() {
  return float_of_bits(0x7FC00000U);
}
RLV_INLINE double canonical_nan_fp64() {
  return double_of_bits(0x7FF8000000000000ULL);
}

/// `value`, with every NaN replaced by 0x7FC00000: payload and sign of a NaN differ between machines.
RLV_INLINE float canonical(float value) {
  return value == value ? value : canonical_nan();
}
RLV_INLINE double canonical(double value) {
  return value == value ? value : canonical_nan_fp64();
}

/// Larger of two numbers; a NaN loses against a number and +0 wins over -0, so that the order of a maximum never
/// matters.
RLV_INLINE float max_number(float a, float b) {
  if (a == b)
    return float_of_bits(bits_of(a) & bits_of(b));
  if (!(a == a))
    return b;
  return a < b ? b : a;
}

}  // namespace rlverify::kernels
