// SPDX-License-Identifier: Apache-2.0
// Canonical forms begin with a letter for their kind; what compares by identity in Python (tensors, opaque objects,
// NaN) is its own node.
#include "tensor/key_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;

constexpr unsigned kMaxKeyDepth = 32;

std::string identity(NodeId id) {
  return fmt::format("o{}", id);
}

std::string canonical_real(double value, NodeId id) {
  if (std::isnan(value)) {
    return identity(id);
  }
  if (value == std::floor(value) && value >= -0x1p63 && value < 0x1p63) {
    return fmt::format("i{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("r{:a}", value);
}

}  // namespace

std::string KeyIndex::canonical(NodeId key, unsigned depth) {
  switch (table_.kind(key)) {
    case Kind::kNull:
      return "n";
    case Kind::kEllipsis:
      return "e";
    case Kind::kBoolean:
      return table_.boolean(key) ? "i1" : "i0";
    case Kind::kInteger:
      return fmt::format("i{}", table_.integer(key));
    case Kind::kBigInteger:
      return "i" + std::string(table_.text(key));
    case Kind::kReal:
      return canonical_real(table_.real(key), key);
    case Kind::kString:
      return "s" + std::string(table_.text(key));
    case Kind::kBytes:
      return "b" + std::string(table_.text(key));
    case Kind::kType:
      return "t" + std::string(table_.text(key));
    case Kind::kComplex: {
      const auto parts = table_.items(key);
      const std::string real = canonical_real(table_.real(parts[0]), key);
      return table_.real(parts[1]) == 0.0 ? real : "c" + real + "," + canonical_real(table_.real(parts[1]), key);
    }
    case Kind::kTensor:
    case Kind::kOpaque:
      return identity(key);
    case Kind::kTuple:
    case Kind::kFrozenSet: {
      std::vector<KeyNumber> numbers;
      for (const NodeId item : table_.items(key)) {
        numbers.push_back(number_of(item, depth + 1));
      }
      const bool is_tuple = table_.kind(key) == Kind::kTuple;
      if (!is_tuple) {
        std::sort(numbers.begin(), numbers.end());
      }
      return fmt::format("{}{}", is_tuple ? '(' : 'f', fmt::join(numbers, ","));
    }
    case Kind::kList:
    case Kind::kDict:
    case Kind::kSet:
      break;
  }
  throw UnhashableKey{key};
}

KeyIndex::KeyNumber KeyIndex::number_of(NodeId key, unsigned depth) {
  if (const auto found = known_.find(key); found != known_.end()) {
    return found->second;
  }
  if (depth > kMaxKeyDepth) {
    throw UnhashableKey{key};
  }
  std::string form = canonical(key, depth);  // may number the items of a tuple first
  const auto next = static_cast<KeyNumber>(numbers_.size());
  const KeyNumber number = numbers_.emplace(std::move(form), next).first->second;
  known_.emplace(key, number);
  return number;
}

std::optional<std::uint32_t> KeyIndex::find_or_note(NodeId container, NodeId key, std::uint32_t position) {
  const std::uint64_t slot = static_cast<std::uint64_t>(container) << 32U | number_of(key, 0);
  const auto [found, is_new] = positions_.emplace(slot, position);
  return is_new ? std::nullopt : std::optional(found->second);
}

}  // namespace rlverify::tensor
