// SPDX-License-Identifier: Apache-2.0
// Digests of a model's tensors by the recipe of spec/run-artifacts.md section 8 (internal to compare/weights.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "tensor/model.h"

namespace rlverify::compare {

/// A tensor that was hashed, or why it couldn't be.
struct HashedTensor {
  std::string name;
  std::string sha256;  ///< of its C-order bytes; empty when it couldn't be read
  std::string dtype;   ///< "torch.bfloat16"
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  std::uint64_t non_finite = 0;
  std::optional<core::Problem> problem;
};

/// Hashes the tensors named (all when `only` is empty), each byte once, spread over the pool, longest first. In order
/// of name.
[[nodiscard]] std::vector<HashedTensor> hash_model(const tensor::Model& model, const std::vector<std::string>& only,
                                                   core::ThreadPool& pool, core::Progress* progress);

/// The digests of a fully hashed model.
[[nodiscard]] WeightDigests digests_of(const std::vector<HashedTensor>& tensors);

}  // namespace rlverify::compare
