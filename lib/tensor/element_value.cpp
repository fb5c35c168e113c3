// SPDX-License-Identifier: Apache-2.0
// The small formats are built from sign, exponent and mantissa: Open Compute Project "8-bit floating point" (e4m3fn,
// e5m2), the fnuz variants (one zero, NaN where -0 would be, bias one higher), and e8m0 of "Microscaling formats" (a
// power of two, 0xFF is NaN).
#include "tensor/element_value.h"

#include <bit>
#include <cmath>
#include <limits>

namespace rlverify::tensor {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t load(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

/// Sign, exponent and mantissa of a format without infinities or NaN in this pattern.
double finite(std::uint32_t bits, int exponent_bits, int mantissa_bits, int bias) {
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1U);
  const auto exponent = static_cast<int>(bits >> mantissa_bits & ((1U << exponent_bits) - 1U));
  const bool negative = (bits >> (exponent_bits + mantissa_bits) & 1U) != 0;
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                               : std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
  return negative ? -magnitude : magnitude;
}

/// A format whose highest exponent holds infinity and NaN.
double ieee(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t exponent_mask = (1U << exponent_bits) - 1U;
  if ((bits >> mantissa_bits & exponent_mask) != exponent_mask) {
    return finite(bits, exponent_bits, mantissa_bits, bias);
  }
  if ((bits & ((1U << mantissa_bits) - 1U)) != 0) {
    return kNan;
  }
  return (bits >> (exponent_bits + mantissa_bits) & 1U) != 0 ? -kInfinity : kInfinity;
}

double small_float(DType dtype, std::uint32_t bits) {
  switch (dtype) {
    case DType::kFloat8E4m3fn:
      return (bits & 0x7FU) == 0x7FU ? kNan : finite(bits, 4, 3, 7);
    case DType::kFloat8E5m2:
      return ieee(bits, 5, 2);
    case DType::kFloat8E4m3fnuz:
      return bits == 0x80U ? kNan : finite(bits, 4, 3, 8);
    case DType::kFloat8E5m2fnuz:
      return bits == 0x80U ? kNan : finite(bits, 5, 2, 16);
    case DType::kFloat8E8m0fnu:
      return bits == 0xFFU ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
    case DType::kBfloat16:
      return static_cast<double>(std::bit_cast<float>(bits << 16U));
    default:
      return ieee(bits, 5, 10);
  }
}

double real_part(unsigned bytes, std::uint64_t bits) {
  switch (bytes) {
    case 2:
      return float16_value(static_cast<std::uint16_t>(bits));
    case 4:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default:
      return std::bit_cast<double>(bits);
  }
}

}  // namespace

double float16_value(std::uint16_t bits) {
  return ieee(bits, 5, 10);
}

ElementValue element_value(DType dtype, std::span<const std::byte> bytes) {
  const std::uint64_t bits = load(bytes);
  const unsigned size = bytes_per_element(dtype);
  if (dtype == DType::kBool) {
    return bits != 0;
  }
  if (is_complex(dtype)) {
    const unsigned half = size / 2;
    return ComplexElement{real_part(half, load(bytes.first(half))), real_part(half, load(bytes.subspan(half, half)))};
  }
  if (is_floating(dtype)) {
    return size >= 4 ? real_part(size, bits) : small_float(dtype, static_cast<std::uint32_t>(bits));
  }
  const bool is_unsigned = dtype == DType::kUint8 || dtype == DType::kQuint8 || dtype == DType::kUint16 ||
                           dtype == DType::kUint32 || dtype == DType::kUint64;
  if (is_unsigned) {
    return dtype == DType::kUint64 ? ElementValue(bits) : ElementValue(static_cast<std::int64_t>(bits));
  }
  const unsigned unused = 64 - 8 * size;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

}  // namespace rlverify::tensor
