// SPDX-License-Identifier: Apache-2.0
// The two inner loops behind tensor/difference.h (internal): statistics of a block whose bytes differ, and the scan for non-finite elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/difference.h"

namespace rlverify::tensor {

/// Adds the elements of a block to `out`, one by one; `out` belongs to this block alone (its sums follow the block's order).
void compare_elements(DType dtype, std::uint64_t first_element, std::uint64_t count, std::span<const std::byte> reference, std::span<const std::byte> candidate, Difference& out);

/// memcmp of the block with the scan of one side in the same pass over the cache: whether the bytes are equal, and then how many elements are not finite.
[[nodiscard]] bool equal_and_finite(DType dtype, std::span<const std::byte> reference, std::span<const std::byte> candidate, std::uint64_t& non_finite);

/// Finite elements of a block of which `non_finite` elements are not (complex: components).
[[nodiscard]] std::uint64_t count_finite_values(DType dtype, std::uint64_t count, std::span<const std::byte> elements, std::uint64_t non_finite);

}  // namespace rlverify::tensor
