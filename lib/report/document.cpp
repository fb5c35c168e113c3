// SPDX-License-Identifier: Apache-2.0
// Building a document, and copying values from elsewhere into one. What is copied may come from a pickled graph, so the
// copy has a depth and a budget.
#include "report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/errors.h"
#include "core/python_value.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::NodeId;
using core::Value;

constexpr std::uint32_t kMaxDepth = 512;  // readers stop far below; a graph that contains itself ends here
constexpr std::uint64_t kMaxCopiedValues =
    8'000'000;  // a graph whose parts are shared can be exponentially larger as a tree

[[noreturn]] void refuse(std::string expected, std::string found) {
  core::Problem problem;
  problem.kind = core::ProblemKind::kLimit;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw core::ArtifactError(std::move(problem));
}

/// Sort key of a set's element: numbers by value, then strings by code point, then the rest by their text.
struct ElementOrder {
  int group = 2;
  double number = 0.0;
  std::string text;
  bool operator<(const ElementOrder& other) const {
    if (group != other.group) {
      return group < other.group;
    }
    return number != other.number ? number < other.number : text < other.text;
  }
};

ElementOrder element_order(Value element) {
  ElementOrder order;
  order.text = core::python_repr(element);
  switch (element.kind()) {
    case Kind::kBoolean:
      return {0, element.boolean() ? 1.0 : 0.0, order.text};
    case Kind::kInteger:
      return {0, static_cast<double>(element.integer()), order.text};
    case Kind::kReal:
      return {0, std::isnan(element.real()) ? std::numeric_limits<double>::infinity() : element.real(), order.text};
    case Kind::kString:
      return {1, 0.0, std::string(element.text())};
    default:
      return order;
  }
}

/// A dict's key as the key of a JSON object: as json.dumps spells it, and anything it would refuse as its repr.
std::string key_text(Value key) {
  switch (key.kind()) {
    case Kind::kString:
      return std::string(key.text());
    case Kind::kBoolean:
      return key.boolean() ? "true" : "false";
    case Kind::kNull:
      return "null";
    default:
      return core::python_repr(key);
  }
}

/// Copies trees and graphs within a budget.
class Copier {
 public:
  explicit Copier(Document& document) : document_(document) {}

  NodeId copy(Value value, std::uint32_t depth) {
    if (depth > kMaxDepth) {
      refuse(fmt::format("a value nested at most {} deep", kMaxDepth), "a deeper one, or one that contains itself");
    }
    if (++copied_ > kMaxCopiedValues) {
      refuse(fmt::format("at most {} values", kMaxCopiedValues), "more");
    }
    switch (value.kind()) {
      case Kind::kNull:
        return document_.null();
      case Kind::kBoolean:
        return document_.boolean(value.boolean());
      case Kind::kInteger:
        return document_.integer(value.integer());
      case Kind::kBigInteger:
        return document_.big_integer(std::string(value.text()));
      case Kind::kReal:
        return document_.real(value.real());
      case Kind::kString:
      case Kind::kType:
        return document_.string(std::string(value.text()));
      case Kind::kList:
      case Kind::kTuple:
        return copy_elements(value, depth);
      case Kind::kSet:
      case Kind::kFrozenSet:
        return copy_set(value, depth);
      case Kind::kDict:
        return copy_dict(value, depth);
      case Kind::kBytes:
      case Kind::kComplex:
      case Kind::kEllipsis:
        return document_.string(core::python_repr(value));
      case Kind::kTensor:
        return document_.string("<tensor>");
      case Kind::kOpaque:
        return document_.string("<object>");
    }
    return document_.null();
  }

 private:
  NodeId copy_elements(Value value, std::uint32_t depth) {
    const NodeId out = document_.array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      document_.append(out, copy(value.at(i), depth + 1));
    }
    return out;
  }

  NodeId copy_set(Value value, std::uint32_t depth) {
    std::vector<std::pair<ElementOrder, std::size_t>> order;
    for (std::size_t i = 0; i < value.size(); ++i) {
      order.emplace_back(element_order(value.at(i)), i);
    }
    std::sort(order.begin(), order.end());
    const NodeId out = document_.array();
    for (const std::pair<ElementOrder, std::size_t>& element : order) {
      document_.append(out, copy(value.at(element.second), depth + 1));
    }
    return out;
  }

  /// Keys that become equal as text (1 and "1") leave one entry, the last one's value in the first one's position.
  NodeId copy_dict(Value value, std::uint32_t depth) {
    std::vector<std::pair<std::string, NodeId>> entries;
    std::map<std::string, std::size_t, std::less<>> positions;
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string key = key_text(value.key_at(i));
      const NodeId node = copy(value.value_at(i), depth + 1);
      const auto [position, is_new] = positions.emplace(key, entries.size());
      if (is_new) {
        entries.emplace_back(std::move(key), node);
      } else {
        entries[position->second].second = node;
      }
    }
    const NodeId out = document_.object();
    for (const std::pair<std::string, NodeId>& entry : entries) {
      document_.put(out, entry.first, entry.second);
    }
    return out;
  }

  Document& document_;
  std::uint64_t copied_ = 0;
};

}  // namespace

NodeId Document::unsigned_integer(std::uint64_t value) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value <= kLargest ? integer(static_cast<std::int64_t>(value))
                           : table_.add_big_integer(fmt::format("{}", value));
}

NodeId Document::real(double value) {
  return std::isfinite(value) ? table_.add_real(value) : null();
}

NodeId Document::strings(const std::vector<std::string>& values) {
  const NodeId out = array();
  for (const std::string& value : values) {
    append(out, string(value));
  }
  return out;
}

NodeId Document::array(const std::vector<NodeId>& items) {
  const NodeId out = array();
  table_.set_items(out, items);
  return out;
}

NodeId Document::object(std::initializer_list<std::pair<std::string_view, NodeId>> entries) {
  const NodeId out = object();
  for (const std::pair<std::string_view, NodeId>& entry : entries) {
    put(out, entry.first, entry.second);
  }
  return out;
}

void Document::put(NodeId object, std::string_view key, NodeId value) {
  table_.append_entry(object, string(key), value);
}

NodeId Document::copy(Value value) {
  return Copier(*this).copy(value, 0);
}

}  // namespace rlverify::report
