// SPDX-License-Identifier: Apache-2.0
// What libtorch writes, as bytes; no torch header is needed to ask for it.
#pragma once

#include <string>
#include <vector>

namespace rlverify::tensor::test {

/// A tensor as libtorch sees it.
struct WrittenTensor {
  std::string key;
  std::string dtype;  ///< "float32"
  std::vector<long> shape;
  std::string bytes;  ///< its elements in C order
};

/// A file of torch::pickle_save: a dict of all dtypes and views under `tensors`, lists of one and of many elements,
/// strings, tuples and numbers.
struct WrittenFile {
  std::string file;
  std::vector<WrittenTensor> tensors;
};
[[nodiscard]] WrittenFile write_with_libtorch();

}  // namespace rlverify::tensor::test
