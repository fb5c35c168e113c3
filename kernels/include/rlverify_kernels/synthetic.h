// SPDX-License-Identifier: Apache-2.0
// Synthetic logits and targets for checks, benchmarks and the prior-art document: the same numbers on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "rlverify_kernels/types.h"

namespace rlverify::kernels {

/// Normal logits of mean 0 rounded to `type`, [rows, columns] contiguous; columns from `real_columns` on are -inf.
/// Row r depends on `seed` and r alone. Standard deviation `sigma`. Returns the raw bytes.
[[nodiscard]] std::vector<unsigned char> normal_logits(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                                       std::int64_t real_columns, float sigma, StorageType type,
                                                       int threads = 0);

/// Uniform targets in [0, real_columns), one per row.
[[nodiscard]] std::vector<std::int64_t> uniform_targets(std::uint64_t seed, std::int64_t rows,
                                                        std::int64_t real_columns);

}  // namespace rlverify::kernels
