// SPDX-License-Identifier: Apache-2.0
// Numbers come from tensor/element.h; what is decided here is which of the five forms a dtype has.
#include "tensor/element_value.h"

#include <limits>

#include "tensor/element.h"

namespace rlverify::tensor {
namespace {

std::uint64_t load(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

DType component_of(DType complex) {
  return complex == DType::kComplex32   ? DType::kFloat16
         : complex == DType::kComplex64 ? DType::kFloat32
                                        : DType::kFloat64;
}

}  // namespace

ElementValue element_value(DType dtype, std::span<const std::byte> bytes) {
  const std::uint64_t bits = load(bytes);
  const unsigned size = bytes_per_element(dtype);
  if (dtype == DType::kBool) {
    return bits != 0;
  }
  if (is_complex(dtype)) {
    const DType component = component_of(dtype);
    return ComplexElement{real_element(component, bytes.data()), real_element(component, bytes.data() + size / 2)};
  }
  if (is_floating(dtype)) {
    return size == 0 ? std::numeric_limits<double>::quiet_NaN() : real_element(dtype, bytes.data());
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
