// SPDX-License-Identifier: Apache-2.0
// Sizes come from a file: every product is checked before it is used.
#include "tensor/c_order.h"

namespace rlverify::tensor {

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape) {
  for (const std::uint64_t size : shape) {
    if (size == 0) {
      return 0;
    }
  }
  std::optional<std::uint64_t> count = 1;
  for (const std::uint64_t size : shape) {
    count = count ? product(*count, size) : count;
  }
  return count;
}

void set_c_order_strides(TensorRef& ref) {
  ref.strides.assign(ref.shape.size(), 1);
  if (ref.element_count == 0) {
    return;
  }
  std::int64_t stride = 1;
  for (std::size_t i = ref.shape.size(); i-- > 0;) {
    ref.strides[i] = stride;
    stride *= static_cast<std::int64_t>(ref.shape[i]);
  }
}

}  // namespace rlverify::tensor
