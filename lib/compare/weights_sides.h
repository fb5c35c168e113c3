// SPDX-License-Identifier: Apache-2.0
// Questions about the contents of both sides of one version, whatever they are known by (internal to
// compare/weights.h): what hints and tied embeddings are judged with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "tensor/model.h"

namespace rlverify::compare {

enum class Side : std::uint8_t { kReference, kCandidate };

class Sides {
 public:
  Sides() = default;
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;
  virtual ~Sides() = default;
  /// Names on the other side whose tensor has the dtype, shape and elements of `name` on `side`. Sorted; at most a few
  /// are looked for.
  [[nodiscard]] virtual std::vector<std::string> twins(Side side, const std::string& name) = 0;
  /// Whether every byte of the tensor is zero (false where it isn't known).
  [[nodiscard]] virtual bool all_zero(Side side, const std::string& name) = 0;
  [[nodiscard]] virtual std::size_t dimensions(Side side, const std::string& name) = 0;
  /// Whether the tensors of that name hold the same numbers in different dtypes (false where it isn't known).
  [[nodiscard]] virtual bool same_numbers(const std::string& name) = 0;
};

/// Both models must outlive the object.
[[nodiscard]] std::unique_ptr<Sides> sides_of_models(const tensor::Model& reference, const tensor::Model& candidate);
[[nodiscard]] std::unique_ptr<Sides> sides_of_digests(const WeightDigests& reference, const WeightDigests& candidate);

}  // namespace rlverify::compare
