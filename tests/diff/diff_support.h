// SPDX-License-Identifier: Apache-2.0
// Models of a few tensors in a temporary folder, and short ways to compare them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/test_support.h"
#include "diff/model_diff.h"
#include "support/finding_lookup.h"
#include "tensor/safetensors_builder.h"

namespace rlverify::diff::test {

using core::test::TemporaryFolder;
using tensor::test::NamedBytes;
using tensor::test::raw;

inline NamedBytes float_tensor(const std::string& name, std::vector<std::uint64_t> shape,
                               const std::vector<float>& values) {
  return {name, "F32", std::move(shape), raw(values)};
}

/// Values between 1 and 2 in both signs; the same for the same seed.
inline std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto bits = static_cast<std::uint32_t>(generator());
    value = (1.0F + static_cast<float>(bits >> 9U) * 0x1p-23F) * ((bits & 1U) != 0 ? -1.0F : 1.0F);
  }
  return values;
}

/// Both sides as files, compared.
inline ModelDiff diff_paths(const std::string& reference, const std::string& candidate, const DiffOptions& options = {},
                            const NameFilter& filter = {}, unsigned threads = 2) {
  core::ThreadPool pool(threads);
  ModelDiff diff = pair_models(reference, candidate, filter);
  compare_pairs(diff, options, pool);
  return diff;
}

/// Two safetensors files with these tensors.
class Pair {
 public:
  Pair(const std::vector<NamedBytes>& reference, const std::vector<NamedBytes>& candidate)
      : reference_(folder_.write("a.safetensors", tensor::test::safetensors(reference))),
        candidate_(folder_.write("b.safetensors", tensor::test::safetensors(candidate))) {}

  [[nodiscard]] ModelDiff diff(const DiffOptions& options = {}, const NameFilter& filter = {},
                               unsigned threads = 2) const {
    return diff_paths(reference_, candidate_, options, filter, threads);
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::string reference_;
  std::string candidate_;
};

inline const TensorDiff& tensor_of(const ModelDiff& diff, const std::string& name) {
  const auto at = std::find_if(diff.tensors.begin(), diff.tensors.end(),
                               [&name](const TensorDiff& tensor) { return tensor.name == name; });
  REQUIRE(at != diff.tensors.end());
  return *at;
}

using rlverify::test::find;

}  // namespace rlverify::diff::test
