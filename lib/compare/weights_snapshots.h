// SPDX-License-Identifier: Apache-2.0
// Two snapshots compared by bytes (internal to compare/weights.h). Tensors are cut into parts of fixed size, the parts
// spread over the pool, those of the longest tensors first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "tensor/model.h"

namespace rlverify::compare {

/// One name that at least one side has.
struct TensorPair {
  std::string name;
  const tensor::ModelTensor* reference = nullptr;
  const tensor::ModelTensor* candidate = nullptr;
  std::optional<TensorVerdict> verdict;  ///< nothing: equal
  tensor::Difference difference;         ///< of pairs with one dtype and shape
  std::optional<core::Problem> problem;  ///< of kNotJudged: why; nothing when the model's own problems say it
};

/// All names of both models, sorted, with what was found.
[[nodiscard]] std::vector<TensorPair> compare_models(const tensor::Model& reference, const tensor::Model& candidate,
                                                     core::ThreadPool& pool, core::Progress* progress);

/// Whether two models (versions of one side) hold the same tensors; looks at the first block of every tensor before it
/// reads any whole. Nothing when a tensor can't be read.
[[nodiscard]] std::optional<bool> same_models(const tensor::Model& earlier, const tensor::Model& later,
                                              core::ThreadPool& pool);

/// Whether two tensors of one shape hold the same numbers in different dtypes (real types only).
[[nodiscard]] bool same_values(const tensor::Model& reference, const tensor::ModelTensor& a,
                               const tensor::Model& candidate, const tensor::ModelTensor& b);

}  // namespace rlverify::compare
