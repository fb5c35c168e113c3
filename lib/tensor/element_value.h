// SPDX-License-Identifier: Apache-2.0
// One element of a tensor as a number, exactly. For showing and for numpy scalars; whole tensors are compared by
// kernels of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tensor/dtype.h"

namespace rlverify::tensor {

struct ComplexElement {
  double real = 0;
  double imaginary = 0;
};
using ElementValue = std::variant<bool, std::int64_t, std::uint64_t, double, ComplexElement>;

/// The element whose little-endian bytes these are (bytes_per_element(dtype) of them; sub-byte types have none, and
/// give NaN). Every real type up to 64 bits is exact in a double; integers above int64 come as uint64.
[[nodiscard]] ElementValue element_value(DType dtype, std::span<const std::byte> bytes);

}  // namespace rlverify::tensor
