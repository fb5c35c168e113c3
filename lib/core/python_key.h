// SPDX-License-Identifier: Apache-2.0
// Keys of Python's dicts and elements of its sets as text: two of them are equal in Python exactly when their texts
// are.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"

namespace rlverify::core {

/// The key text of a hashable value. NaN and what can't be hashed have a text of their own each, since they are equal
/// to nothing but themselves. Throws ArtifactError (kLimit) where a tuple unfolds to more than 16 MiB or nests deeper
/// than 200 levels.
[[nodiscard]] std::string python_key(Value value);

/// Whether Python can hash it: no list, dict or set, and no tuple that holds one.
[[nodiscard]] bool is_hashable(Value value);

/// Whether a number is no NaN in any part.
[[nodiscard]] bool number_has_key(Value number);

/// Finds the entries of a dict or the elements of a set by key.
class PythonKeyIndex {
 public:
  PythonKeyIndex() = default;
  explicit PythonKeyIndex(Value container);
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  /// The number of the entry or element that equals `key`.
  [[nodiscard]] std::optional<std::size_t> find(Value key) const;

 private:
  std::vector<std::pair<std::string, std::size_t>> keys_;
};

}  // namespace rlverify::core
