// SPDX-License-Identifier: Apache-2.0
// The two inner loops behind tensor/difference.h (internal): statistics of a block whose bytes differ, and the scan for
// non-finite elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/difference.h"
#include "tensor/difference_vector.h"

namespace rlverify::tensor {

/// Adds the elements of a block to `out`, with the vectors of `level`; `out` belongs to this block alone (its sums
/// follow the block's order). Every level gives the same bits.
void compare_elements(VectorLevel level, DType dtype, const BlockPair& block, Difference& out);

struct EqualScan {
  bool equal = false;
  std::uint64_t non_finite = 0;     ///< elements of the reference that are not finite
  std::uint64_t finite_values = 0;  ///< the others; complex: components
};

/// Whether two blocks hold the same bytes, with the scan of the reference in the same pass.
[[nodiscard]] EqualScan scan_equal(DType dtype, std::uint64_t count, std::span<const std::byte> reference,
                                   std::span<const std::byte> candidate);

}  // namespace rlverify::tensor
