// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements lie in C order, as safetensors files have them: what follows from the shape alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

/// The product of two sizes; nothing when it overflows.
[[nodiscard]] std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b);
/// Elements of a shape; nothing when they overflow. A zero anywhere makes an empty tensor, whatever the rest.
[[nodiscard]] std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape);
/// Sets the strides that go with `ref`'s shape; all 1 for an empty tensor.
void set_c_order_strides(TensorRef& ref);

}  // namespace rlverify::tensor
