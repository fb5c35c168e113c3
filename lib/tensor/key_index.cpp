// SPDX-License-Identifier: Apache-2.0
// Canonical forms begin with a letter for their kind; what compares by identity in Python (tensors, opaque objects,
// NaN) is its own node.
#include "tensor/key_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;

constexpr unsigned kMaxKeyDepth = 32;
constexpr std::size_t kMaxComparedKeys = 16;
constexpr std::size_t kMaxComparedBytes = 64;

std::uint64_t slot_of(NodeId container, std::uint32_t key_number) {
  return static_cast<std::uint64_t>(container) << 32U | key_number;
}

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

void KeyIndex::index(NodeId container) {
  const std::size_t stride = table_.kind(container) == Kind::kDict ? 2 : 1;
  const auto items = table_.items(container);
  for (std::size_t i = 0; i < items.size(); i += stride) {
    positions_.emplace(slot_of(container, number_of(items[i], 0)), static_cast<std::uint32_t>(i / stride));
  }
  indexed_.insert(container);
}

std::optional<std::uint32_t> KeyIndex::find_or_note(NodeId container, NodeId key) {
  const std::size_t stride = table_.kind(container) == Kind::kDict ? 2 : 1;
  const auto items = table_.items(container);
  if (indexed_.empty() || indexed_.count(container) == 0) {
    const bool is_short_string = table_.kind(key) == Kind::kString && table_.text(key).size() <= kMaxComparedBytes;
    if (is_short_string && items.size() <= kMaxComparedKeys * stride) {
      // No other kind equals a string, so looking at the strings is enough.
      const std::string_view text = table_.text(key);
      for (std::size_t i = 0; i < items.size(); i += stride) {
        if (table_.kind(items[i]) == Kind::kString && table_.text(items[i]) == text) {
          return static_cast<std::uint32_t>(i / stride);
        }
      }
      return std::nullopt;
    }
    index(container);
  }
  const auto position = static_cast<std::uint32_t>(items.size() / stride);
  const auto [found, is_new] = positions_.emplace(slot_of(container, number_of(key, 0)), position);
  return is_new ? std::nullopt : std::optional(found->second);
}

}  // namespace rlverify::tensor
