// SPDX-License-Identifier: Apache-2.0
// ValueTable keeps all text in one string, all nodes in one vector and the items of all containers in another: a
// document of a million values is a handful of allocations. Indices are 32 bits; a table that would outgrow them is
// refused, since the caps on input size are far below.
#include "core/value.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "core/errors.h"

namespace rlverify::core {

namespace {

[[noreturn]] void refuse_size(const char* what) {
  Problem problem;
  problem.kind = ProblemKind::kLimit;
  problem.expected = "at most 4,294,967,294 of " + std::string(what);
  problem.found = "more";
  throw ArtifactError(std::move(problem));
}

std::uint32_t checked_index(std::size_t value, const char* what) {
  if (value >= std::numeric_limits<std::uint32_t>::max()) {
    refuse_size(what);
  }
  return static_cast<std::uint32_t>(value);
}

bool is_container(Kind kind) {
  return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kDict || kind == Kind::kSet ||
         kind == Kind::kFrozenSet || kind == Kind::kComplex;
}

bool has_text(Kind kind) {
  return kind == Kind::kString || kind == Kind::kBytes || kind == Kind::kBigInteger || kind == Kind::kType;
}

bool is_element_container(Kind kind) {
  return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kSet || kind == Kind::kFrozenSet;
}

}  // namespace

void ValueTable::reserve(std::size_t nodes) {
  nodes_.reserve(nodes);
  pool_.reserve(nodes);
  containers_.reserve(nodes / 4);
}

NodeId ValueTable::add(Kind kind, std::uint32_t place, Payload payload) {
  const NodeId id = checked_index(nodes_.size(), "values");
  nodes_.push_back({payload, place, static_cast<std::uint32_t>(kind)});
  return id;
}

NodeId ValueTable::add_null(std::uint32_t place) {
  return add_integer_payload(Kind::kNull, 0, place);
}

NodeId ValueTable::add_boolean(bool value, std::uint32_t place) {
  return add_integer_payload(Kind::kBoolean, value ? 1 : 0, place);
}

NodeId ValueTable::add_integer(std::int64_t value, std::uint32_t place) {
  return add_integer_payload(Kind::kInteger, value, place);
}

NodeId ValueTable::add_ellipsis(std::uint32_t place) {
  return add_integer_payload(Kind::kEllipsis, 0, place);
}

NodeId ValueTable::add_integer_payload(Kind kind, std::int64_t value, std::uint32_t place) {
  Payload payload{};
  payload.integer = value;
  return add(kind, place, payload);
}

NodeId ValueTable::add_real(double value, std::uint32_t place) {
  Payload payload{};
  payload.real = value;
  return add(Kind::kReal, place, payload);
}

NodeId ValueTable::add_big_integer(std::string_view decimal_digits, std::uint32_t place) {
  return add_text(Kind::kBigInteger, decimal_digits, place);
}

NodeId ValueTable::add_text(Kind kind, std::string_view text, std::uint32_t place) {
  const std::uint32_t first = checked_index(text_.size(), "bytes of text");
  checked_index(text_.size() + text.size(), "bytes of text");
  text_.append(text);
  Payload payload{};
  payload.range = Range{first, static_cast<std::uint32_t>(text.size())};
  return add(kind, place, payload);
}

NodeId ValueTable::add_container(Kind kind, std::uint32_t place) {
  Payload payload{};
  payload.range = Range{checked_index(containers_.size(), "containers"), 0};
  containers_.push_back({0, 0, 0});
  return add(kind, place, payload);
}

/// Room for `count` items: the last container of the pool grows where it is, any other moves to the end. Capacities
/// double, so that what is left behind is never more than what is in use.
void ValueTable::make_room(Container& container, std::size_t count) {
  if (count <= container.capacity) {
    return;
  }
  const std::size_t capacity = std::max(count, 2 * std::size_t{container.capacity});
  const bool is_last = std::size_t{container.first} + container.capacity == pool_.size() && container.capacity > 0;
  const std::size_t first = is_last ? container.first : pool_.size();
  checked_index(first + capacity, "items");
  pool_.resize(first + capacity);
  if (!is_last) {
    std::copy_n(pool_.begin() + container.first, container.count, pool_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  container.first = static_cast<std::uint32_t>(first);
  container.capacity = static_cast<std::uint32_t>(capacity);
}

NodeId ValueTable::add_complex(double real, double imaginary, std::uint32_t place) {
  const NodeId real_id = add_real(real, place);
  const NodeId imaginary_id = add_real(imaginary, place);
  const NodeId id = add_container(Kind::kComplex, place);
  append(id, real_id);
  append(id, imaginary_id);
  return id;
}

NodeId ValueTable::add_index(Kind kind, std::uint32_t index, std::uint32_t place) {
  Payload payload{};
  payload.range = Range{index, 0};
  return add(kind, place, payload);
}

void ValueTable::append(NodeId container, NodeId item) {
  Container& target = container_of(container);
  make_room(target, std::size_t{target.count} + 1);
  pool_[target.first + target.count++] = item;
}

void ValueTable::append_entry(NodeId dict, NodeId key, NodeId value) {
  append(dict, key);
  append(dict, value);
}

void ValueTable::set_item(NodeId container, std::size_t index, NodeId item) {
  const Container& target = container_of(container);
  if (index >= target.count) {
    throw std::out_of_range("ValueTable::set_item");
  }
  pool_[target.first + index] = item;
}

void ValueTable::set_items(NodeId container, std::span<const NodeId> items) {
  const bool in_pool = !pool_.empty() && std::less_equal<>()(pool_.data(), items.data()) &&
                       std::less<>()(items.data(), pool_.data() + pool_.size());
  if (in_pool) {
    set_items(container, std::vector<NodeId>(items.begin(), items.end()));  // the pool may move
    return;
  }
  Container& target = container_of(container);
  if (items.size() > target.capacity) {
    target.first = checked_index(pool_.size(), "items");
    target.capacity = checked_index(items.size(), "items");
    pool_.insert(pool_.end(), items.begin(), items.end());
  } else {
    std::copy(items.begin(), items.end(), pool_.begin() + target.first);
  }
  target.count = static_cast<std::uint32_t>(items.size());
}

std::string_view ValueTable::text(NodeId id) const {
  const Node& node = nodes_[id];
  if (!has_text(kind(id))) {
    return {};
  }
  return std::string_view(text_).substr(node.payload.range.first, node.payload.range.count);
}

std::span<const NodeId> ValueTable::items(NodeId id) const {
  const Node& node = nodes_[id];
  if (!is_container(kind(id))) {
    return {};
  }
  const Container& container = containers_[node.payload.range.first];
  return std::span<const NodeId>(pool_).subspan(container.first, container.count);
}

NodeId ValueTable::find(NodeId dict, std::string_view key) const {
  if (kind(dict) != Kind::kDict) {
    return kNoNode;
  }
  const std::span<const NodeId> entries = items(dict);
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (kind(entries[i]) == Kind::kString && text(entries[i]) == key) {
      return entries[i + 1];
    }
  }
  return kNoNode;
}

std::string_view Value::text() const {
  return present() ? table_->text(id_) : std::string_view{};
}

std::size_t Value::size() const {
  if (is_dict()) {
    return table_->items(id_).size() / 2;
  }
  return present() && is_element_container(kind()) ? table_->items(id_).size() : 0;
}

Value Value::at(std::size_t index) const {
  if (!present() || !is_element_container(kind())) {
    return {};
  }
  const std::span<const NodeId> elements = table_->items(id_);
  return index < elements.size() ? Value(*table_, elements[index]) : Value();
}

Value Value::get(std::string_view key) const {
  return is_dict() ? Value(*table_, table_->find(id_, key)) : Value();
}

Value Value::path(std::initializer_list<std::string_view> keys) const {
  Value value = *this;
  for (const std::string_view key : keys) {
    value = value.get(key);
  }
  return value;
}

Value Value::key_at(std::size_t index) const {
  return is_dict() && index < size() ? Value(*table_, table_->items(id_)[2 * index]) : Value();
}

Value Value::value_at(std::size_t index) const {
  return is_dict() && index < size() ? Value(*table_, table_->items(id_)[2 * index + 1]) : Value();
}

}  // namespace rlverify::core
