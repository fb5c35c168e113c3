// SPDX-License-Identifier: Apache-2.0
// Finds equal keys in the dicts and sets of a pickle, with Python's equality (1 == 1.0 == True). Every key is brought
// to a canonical form once and given a number; tuples are made of their items' numbers. So shared parts cost nothing
// twice, and no crafted set of keys makes a look-up slow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/value.h"

namespace rlverify::tensor {

class KeyIndex {
 public:
  explicit KeyIndex(const core::ValueTable& table) : table_(table) {}
  /// The position of `key` among the keys of a dict or the items of a set; nothing where it is new, which it then
  /// counts as: the caller adds it next. Throws UnhashableKey.
  [[nodiscard]] std::optional<std::uint32_t> find_or_note(core::NodeId container, core::NodeId key);

  /// A key that Python refuses (a list, dict or set), or a tuple nested deeper than any real key.
  struct UnhashableKey {
    core::NodeId key;
  };

 private:
  using KeyNumber = std::uint32_t;
  KeyNumber number_of(core::NodeId key, unsigned depth);
  std::string canonical(core::NodeId key, unsigned depth);
  void index(core::NodeId container);

  const core::ValueTable& table_;
  std::map<std::string, KeyNumber> numbers_;
  std::unordered_map<core::NodeId, KeyNumber> known_;
  std::unordered_set<core::NodeId> indexed_;                    // the others are small: their keys are compared in turn
  std::unordered_map<std::uint64_t, std::uint32_t> positions_;  // container << 32 | key number
};

}  // namespace rlverify::tensor
