// SPDX-License-Identifier: Apache-2.0
// The one table that holds untrusted structured data: JSON documents, Python literals of the log, pickled objects.
// Nodes are 16 bytes, refer to each other by index and keep their place in the source and their order. A pickled graph
// may share parts and contain itself, so walk it with a visited set and a budget; JSON and literals are trees. The
// readers that fill it check everything; nothing here is ever executed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlverify::core {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFFU;

/// The kinds of values; Python's names for Python's things. JSON arrays are kList, objects kDict.
enum class Kind : std::uint8_t {
  kNull,
  kBoolean,
  kInteger,     ///< fits 64 signed bits
  kBigInteger,  ///< text(): its decimal digits, with sign
  kReal,
  kComplex,  ///< items(): real and imaginary part as kReal
  kString,   ///< text(): UTF-8, lone surrogates as their three-byte form
  kBytes,
  kList,
  kTuple,
  kDict,  ///< items(): key, value, key, value ... in insertion order, one entry per key
  kSet,
  kFrozenSet,
  kEllipsis,
  kTensor,  ///< index(): position in the owner's list of tensors
  kType,    ///< text(): a torch.dtype or a class that was only named, like "torch.float32"
  kOpaque,  ///< index(): position in the owner's list of opaque objects
};

/// Nodes with order and places. Built by a reader, then only read.
class ValueTable {
 public:
  // ---- building: `place` is the byte offset in the source ----
  NodeId add_null(std::uint32_t place = 0);
  NodeId add_boolean(bool value, std::uint32_t place = 0);
  NodeId add_integer(std::int64_t value, std::uint32_t place = 0);
  NodeId add_big_integer(std::string_view decimal_digits, std::uint32_t place = 0);
  NodeId add_real(double value, std::uint32_t place = 0);
  NodeId add_complex(double real, double imaginary, std::uint32_t place = 0);
  /// A string of kind kString, kBytes or kType.
  NodeId add_text(Kind kind, std::string_view text, std::uint32_t place = 0);
  /// An empty container of kind kList, kTuple, kDict, kSet or kFrozenSet.
  NodeId add_container(Kind kind, std::uint32_t place = 0);
  NodeId add_ellipsis(std::uint32_t place = 0);
  /// A reference to the owner's list of tensors or opaque objects.
  NodeId add_index(Kind kind, std::uint32_t index, std::uint32_t place = 0);
  /// Appends to a list, tuple or set.
  void append(NodeId container, NodeId item);
  /// Appends a key and a value to a dict without looking for the key.
  void append_entry(NodeId dict, NodeId key, NodeId value);
  /// Replaces item `index` of items(container).
  void set_item(NodeId container, std::size_t index, NodeId item);
  /// Replaces all of items(container) at once, with one allocation of the exact size (a dict's are key, value, key,
  /// value ...).
  void set_items(NodeId container, std::span<const NodeId> items);

  /// Makes room for about so many nodes in all and the containers that usually go with them; only speed depends on it.
  void reserve(std::size_t nodes);

  // ---- reading: spans and views are valid until the table is added to ----
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] Kind kind(NodeId id) const { return static_cast<Kind>(nodes_[id].kind); }
  [[nodiscard]] std::uint32_t place(NodeId id) const { return nodes_[id].place; }
  [[nodiscard]] bool boolean(NodeId id) const { return nodes_[id].payload.integer != 0; }
  [[nodiscard]] std::int64_t integer(NodeId id) const { return nodes_[id].payload.integer; }
  [[nodiscard]] double real(NodeId id) const { return nodes_[id].payload.real; }
  [[nodiscard]] std::uint32_t index(NodeId id) const { return nodes_[id].payload.range.first; }
  [[nodiscard]] std::string_view text(NodeId id) const;
  [[nodiscard]] std::span<const NodeId> items(NodeId id) const;
  /// The value of a string key of a dict, or kNoNode. Linear; tables with many keys are walked, not searched.
  [[nodiscard]] NodeId find(NodeId dict, std::string_view key) const;

 private:
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };
  union Payload {
    std::int64_t integer;
    double real;
    Range range;
  };
  struct Node {
    Payload payload;
    std::uint32_t place;
    std::uint32_t kind;  ///< a Kind, as wide as its room: a node copied right after one of its bytes was stored stalls
  };
  NodeId add(Kind kind, std::uint32_t place, Payload payload);
  NodeId add_integer_payload(Kind kind, std::int64_t value, std::uint32_t place);

  /// Where a container's items lie in pool_; it may grow to `capacity` there.
  struct Container {
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t capacity;
  };
  Container& container_of(NodeId id) { return containers_[nodes_[id].payload.range.first]; }
  void make_room(Container& container, std::size_t count);

  std::vector<Node> nodes_;
  std::vector<Container> containers_;
  std::vector<NodeId> pool_;
  std::string text_;
};

/// A cheap handle on one node; a default-made one stands for "absent", which every question answers with no.
class Value {
 public:
  Value() = default;
  Value(const ValueTable& table, NodeId id) : table_(id == kNoNode ? nullptr : &table), id_(id) {}

  [[nodiscard]] bool present() const { return table_ != nullptr; }
  explicit operator bool() const { return present(); }
  [[nodiscard]] bool is(Kind kind) const { return present() && table_->kind(id_) == kind; }
  [[nodiscard]] bool is_dict() const { return is(Kind::kDict); }
  [[nodiscard]] bool is_list() const { return is(Kind::kList); }
  [[nodiscard]] bool is_sequence() const { return is(Kind::kList) || is(Kind::kTuple); }
  [[nodiscard]] bool is_string() const { return is(Kind::kString); }
  [[nodiscard]] bool is_integer() const { return is(Kind::kInteger); }
  [[nodiscard]] bool is_true() const { return is(Kind::kBoolean) && table_->boolean(id_); }
  /// The node's kind; kNull for an absent value (use present() to tell them apart).
  [[nodiscard]] Kind kind() const { return present() ? table_->kind(id_) : Kind::kNull; }
  [[nodiscard]] bool boolean() const { return table_->boolean(id_); }
  [[nodiscard]] std::int64_t integer() const { return table_->integer(id_); }
  [[nodiscard]] double real() const { return table_->real(id_); }
  [[nodiscard]] std::uint32_t index() const { return table_->index(id_); }
  /// Text of a string, bytes, big integer or type; empty for others.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::uint32_t place() const { return present() ? table_->place(id_) : 0; }
  [[nodiscard]] NodeId id() const { return present() ? id_ : kNoNode; }
  [[nodiscard]] const ValueTable* table() const { return table_; }

  /// Number of elements of a list, tuple or set, of entries of a dict; 0 for others.
  [[nodiscard]] std::size_t size() const;
  /// Element of a list, tuple or set; absent when out of range.
  [[nodiscard]] Value at(std::size_t index) const;
  /// Value of a string key of a dict; absent when this is no dict or has no such key.
  [[nodiscard]] Value get(std::string_view key) const;
  /// get() along several keys.
  [[nodiscard]] Value path(std::initializer_list<std::string_view> keys) const;
  /// Key and value of entry `index` of a dict, in order.
  [[nodiscard]] Value key_at(std::size_t index) const;
  [[nodiscard]] Value value_at(std::size_t index) const;

 private:
  const ValueTable* table_ = nullptr;
  NodeId id_ = kNoNode;
};

}  // namespace rlverify::core
