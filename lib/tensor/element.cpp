// SPDX-License-Identifier: Apache-2.0
// The small floating types are decoded by arithmetic on their fields: there is nothing to be fast about in single
// elements. Sources: Open Compute Project "8-bit floating point" (e4m3fn, e5m2), the fnuz variants (one zero, NaN where
// -0 would be, bias one higher), and "Microscaling formats" (e8m0: a power of two, 0xFF is NaN).
#include "tensor/element.h"

#include <limits>

namespace rlverify::tensor {
namespace {

/// An eight-bit float of `fraction_bits`, with the given bias. `finite` types have no infinity: all ones is NaN (fn),
/// or only 0x80 is (fnuz).
double float8(std::uint8_t bits, int fraction_bits, int bias, bool has_infinity, bool unsigned_zero) {
  if (unsigned_zero && bits == 0x80) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const int exponent_bits = 7 - fraction_bits;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int all_ones = (1 << exponent_bits) - 1;
  const double sign = (bits & 0x80U) != 0 ? -1.0 : 1.0;
  if (!unsigned_zero && exponent == all_ones) {
    if (has_infinity) {
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    if (fraction == (1 << fraction_bits) - 1) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  const int scale = exponent == 0 ? 1 - bias - fraction_bits : exponent - bias - fraction_bits;
  const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(static_cast<double>(significand), scale);
}

}  // namespace

std::int64_t integer_element(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUint8:
    case DType::kQuint8:
      return load_element<std::uint8_t>(bytes);
    case DType::kInt8:
    case DType::kQint8:
      return load_element<std::int8_t>(bytes);
    case DType::kInt16:
      return load_element<std::int16_t>(bytes);
    case DType::kUint16:
      return load_element<std::uint16_t>(bytes);
    case DType::kInt32:
    case DType::kQint32:
      return load_element<std::int32_t>(bytes);
    case DType::kUint32:
      return load_element<std::uint32_t>(bytes);
    default:
      return load_element<std::int64_t>(bytes);
  }
}

double real_element(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::kFloat16:
      return static_cast<double>(half_to_float(load_element<std::uint16_t>(bytes)));
    case DType::kBfloat16:
      return static_cast<double>(bfloat16_to_float(load_element<std::uint16_t>(bytes)));
    case DType::kFloat32:
      return static_cast<double>(load_element<float>(bytes));
    case DType::kFloat64:
      return load_element<double>(bytes);
    case DType::kFloat8E4m3fn:
      return float8(load_element<std::uint8_t>(bytes), 3, 7, false, false);
    case DType::kFloat8E5m2:
      return float8(load_element<std::uint8_t>(bytes), 2, 15, true, false);
    case DType::kFloat8E4m3fnuz:
      return float8(load_element<std::uint8_t>(bytes), 3, 8, false, true);
    case DType::kFloat8E5m2fnuz:
      return float8(load_element<std::uint8_t>(bytes), 2, 16, false, true);
    case DType::kFloat8E8m0fnu: {
      const auto exponent = load_element<std::uint8_t>(bytes);
      return exponent == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, exponent - 127);
    }
    case DType::kUint64:
      return static_cast<double>(load_element<std::uint64_t>(bytes));
    default:
      return static_cast<double>(integer_element(dtype, bytes));
  }
}

}  // namespace rlverify::tensor
