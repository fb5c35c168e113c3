// SPDX-License-Identifier: Apache-2.0
// Element formats for comparing: how an element's code is classed, what it is worth, and how far two codes are apart
// (internal to tensor/difference.h). One format is a type, so that the loop over a block is compiled once per format
// and switches on the dtype only at its start.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tensor/dtype.h"
#include "tensor/element.h"

namespace rlverify::tensor {

enum class ElementKind : std::uint8_t { kZero, kSubnormal, kNormal, kInfinite, kNan };
[[nodiscard]] inline bool is_finite(ElementKind kind) {
  return kind < ElementKind::kInfinite;
}

/// IEEE 754 layout: sign, exponent (all ones: infinity or NaN), fraction.
template <typename CodeType, unsigned kFractionBits>
struct IeeeFormat {
  using Code = CodeType;
  static constexpr Code kMagnitudeMask = static_cast<Code>(static_cast<Code>(~Code{0}) >> 1U);
  static constexpr Code kInfinity =
      static_cast<Code>(kMagnitudeMask & static_cast<Code>(~((Code{1} << kFractionBits) - 1)));
  static Code magnitude(Code code) { return static_cast<Code>(code & kMagnitudeMask); }
  static Code load(const std::byte* bytes, std::uint64_t index) {
    return load_element<Code>(bytes + index * sizeof(Code));
  }
  static ElementKind kind(Code code) {
    const Code size = magnitude(code);
    if (size >= kInfinity) {
      return size == kInfinity ? ElementKind::kInfinite : ElementKind::kNan;
    }
    if (size < (Code{1} << kFractionBits)) {
      return size == 0 ? ElementKind::kZero : ElementKind::kSubnormal;
    }
    return ElementKind::kNormal;
  }
  static double value(Code code) {
    if constexpr (sizeof(Code) == 8) {
      return std::bit_cast<double>(code);
    } else if constexpr (sizeof(Code) == 4) {
      return static_cast<double>(std::bit_cast<float>(code));
    } else if constexpr (kFractionBits == 7) {
      return static_cast<double>(bfloat16_to_float(code));
    } else {
      return static_cast<double>(half_to_float(code));
    }
  }
  /// Steps between two finite numbers on the line of all numbers of the format, on which both zeros are one.
  static std::uint64_t ulp_distance(Code a, Code b) {
    const std::uint64_t size_a = magnitude(a);
    const std::uint64_t size_b = magnitude(b);
    if (((a ^ b) & static_cast<Code>(~kMagnitudeMask)) != 0) {
      return size_a + size_b;
    }
    return size_a > size_b ? size_a - size_b : size_b - size_a;
  }
};

/// Formats of at most eight bits: everything is a look-up in a table of all codes. `kBits` of each element are packed
/// from the low end of each byte on.
template <DType kDType, unsigned kBits>
struct SmallFormat {
  using Code = std::uint8_t;
  struct Row {
    double value;
    ElementKind kind;
    std::int16_t line;  ///< place on the line of all numbers
  };
  static const std::array<Row, 256>& table();
  static Code load(const std::byte* bytes, std::uint64_t index) {
    if constexpr (kBits == 8) {
      return static_cast<Code>(bytes[index]);
    } else {
      const std::uint64_t bit = index * kBits;
      const std::byte* at = bytes + bit / 8;
      const auto shift = static_cast<unsigned>(bit % 8);
      unsigned window = std::to_integer<unsigned>(*at);
      if (shift + kBits > 8) {
        window |= std::to_integer<unsigned>(at[1]) << 8U;
      }
      return static_cast<Code>((window >> shift) & ((1U << kBits) - 1U));
    }
  }
  static ElementKind kind(Code code) { return table()[code].kind; }
  static double value(Code code) { return table()[code].value; }
  static std::uint64_t ulp_distance(Code a, Code b) {
    return static_cast<std::uint64_t>(std::abs(table()[a].line - table()[b].line));
  }
};

/// Integers, bool and quantised codes: neighbours are one apart.
template <typename Integer>
struct IntegerFormat {
  using Code = Integer;
  static Code load(const std::byte* bytes, std::uint64_t index) {
    return load_element<Code>(bytes + index * sizeof(Code));
  }
  static ElementKind kind(Code code) { return code == 0 ? ElementKind::kZero : ElementKind::kNormal; }
  static double value(Code code) { return static_cast<double>(code); }
  static std::uint64_t ulp_distance(Code a, Code b) {
    using Unsigned = std::make_unsigned_t<Code>;
    const auto low = static_cast<Unsigned>(a < b ? a : b);
    const auto high = static_cast<Unsigned>(a < b ? b : a);
    return static_cast<Unsigned>(high - low);
  }
};

namespace detail {

/// How a small floating format is laid out.
struct SmallLayout {
  int exponent_bits;
  int fraction_bits;
  int bias;
  bool has_sign;
};

/// A finite number of the layout.
inline double small_value(const SmallLayout& layout, unsigned code) {
  const unsigned fraction = code & ((1U << layout.fraction_bits) - 1U);
  const auto exponent = static_cast<int>((code >> layout.fraction_bits) & ((1U << layout.exponent_bits) - 1U));
  const bool negative = layout.has_sign && ((code >> (layout.exponent_bits + layout.fraction_bits)) & 1U) != 0;
  const double magnitude =
      exponent == 0 && layout.has_sign
          ? std::ldexp(fraction, 1 - layout.bias - layout.fraction_bits)
          : std::ldexp(fraction + (1U << layout.fraction_bits), exponent - layout.bias - layout.fraction_bits);
  return negative ? -magnitude : magnitude;
}

/// Sources of the layouts: Open Compute Project "8-bit floating point" and "Microscaling formats"; the fnuz types have
/// one zero and NaN in place of -0.
template <DType kDType>
constexpr SmallLayout small_layout() {
  switch (kDType) {
    case DType::kFloat8E4m3fn:
      return {4, 3, 7, true};
    case DType::kFloat8E5m2:
      return {5, 2, 15, true};
    case DType::kFloat8E4m3fnuz:
      return {4, 3, 8, true};
    case DType::kFloat8E5m2fnuz:
      return {5, 2, 16, true};
    case DType::kFloat8E8m0fnu:
      return {8, 0, 127, false};
    case DType::kFloat6E2m3:
      return {2, 3, 1, true};
    case DType::kFloat6E3m2:
      return {3, 2, 3, true};
    default:
      return {2, 1, 1, true};  // F4, e2m1
  }
}

template <DType kDType>
constexpr bool small_nan(unsigned code) {
  switch (kDType) {
    case DType::kFloat8E4m3fn:
      return (code & 0x7FU) == 0x7FU;
    case DType::kFloat8E5m2:
      return (code & 0x7FU) > 0x7CU;
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E5m2fnuz:
      return code == 0x80U;
    case DType::kFloat8E8m0fnu:
      return code == 0xFFU;
    default:
      return false;
  }
}

template <DType kDType>
constexpr bool small_infinity(unsigned code) {
  return kDType == DType::kFloat8E5m2 && (code & 0x7FU) == 0x7CU;
}

}  // namespace detail

template <DType kDType, unsigned kBits>
const std::array<typename SmallFormat<kDType, kBits>::Row, 256>& SmallFormat<kDType, kBits>::table() {
  static const std::array<Row, 256> kTable = [] {
    constexpr detail::SmallLayout kLayout = detail::small_layout<kDType>();
    constexpr unsigned kSign = kLayout.has_sign ? 1U << (kBits - 1U) : 0U;
    std::array<Row, 256> rows{};
    for (unsigned code = 0; code < 256; ++code) {
      const unsigned magnitude = code & ~kSign;
      Row& row = rows[code];
      row.value = detail::small_value(kLayout, code);
      row.line =
          static_cast<std::int16_t>((code & kSign) != 0 ? -static_cast<int>(magnitude) : static_cast<int>(magnitude));
      if (detail::small_nan<kDType>(code)) {
        row.kind = ElementKind::kNan;
      } else if (detail::small_infinity<kDType>(code)) {
        row.kind = ElementKind::kInfinite;
      } else if (row.value == 0) {
        row.kind = ElementKind::kZero;
      } else {
        row.kind = kLayout.has_sign && (magnitude >> kLayout.fraction_bits) == 0 ? ElementKind::kSubnormal
                                                                                 : ElementKind::kNormal;
      }
    }
    return rows;
  }();
  return kTable;
}

/// Calls `visit` with the format of the dtype's elements (complex: of their components).
template <typename Visit>
auto visit_format(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kComplex32:
      return visit(IeeeFormat<std::uint16_t, 10>{});
    case DType::kBfloat16:
      return visit(IeeeFormat<std::uint16_t, 7>{});
    case DType::kFloat32:
    case DType::kComplex64:
      return visit(IeeeFormat<std::uint32_t, 23>{});
    case DType::kFloat64:
    case DType::kComplex128:
      return visit(IeeeFormat<std::uint64_t, 52>{});
    case DType::kFloat8E4m3fn:
      return visit(SmallFormat<DType::kFloat8E4m3fn, 8>{});
    case DType::kFloat8E5m2:
      return visit(SmallFormat<DType::kFloat8E5m2, 8>{});
    case DType::kFloat8E4m3fnuz:
      return visit(SmallFormat<DType::kFloat8E4m3fnuz, 8>{});
    case DType::kFloat8E5m2fnuz:
      return visit(SmallFormat<DType::kFloat8E5m2fnuz, 8>{});
    case DType::kFloat8E8m0fnu:
      return visit(SmallFormat<DType::kFloat8E8m0fnu, 8>{});
    case DType::kFloat4E2m1:
      return visit(SmallFormat<DType::kFloat4E2m1, 4>{});
    case DType::kFloat6E2m3:
      return visit(SmallFormat<DType::kFloat6E2m3, 6>{});
    case DType::kFloat6E3m2:
      return visit(SmallFormat<DType::kFloat6E3m2, 6>{});
    case DType::kInt8:
    case DType::kQint8:
      return visit(IntegerFormat<std::int8_t>{});
    case DType::kInt16:
      return visit(IntegerFormat<std::int16_t>{});
    case DType::kUint16:
      return visit(IntegerFormat<std::uint16_t>{});
    case DType::kInt32:
    case DType::kQint32:
      return visit(IntegerFormat<std::int32_t>{});
    case DType::kUint32:
      return visit(IntegerFormat<std::uint32_t>{});
    case DType::kInt64:
      return visit(IntegerFormat<std::int64_t>{});
    case DType::kUint64:
      return visit(IntegerFormat<std::uint64_t>{});
    case DType::kBool:
    case DType::kUint8:
    case DType::kQuint8:
      break;
  }
  return visit(IntegerFormat<std::uint8_t>{});
}

}  // namespace rlverify::tensor
