// SPDX-License-Identifier: Apache-2.0
// An explicit stack instead of recursion; children are numbered slots of their container, so that a path can be told
// from the stack, and later from the links of the values that were entered.
#include "tensor/value_walk.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/python_value.h"

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;
using core::Value;

constexpr std::size_t kMaxShownKeyParts = 8;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool is_scalar(Kind kind) {
  switch (kind) {
    case Kind::kNull:
    case Kind::kBoolean:
    case Kind::kInteger:
    case Kind::kBigInteger:
    case Kind::kReal:
    case Kind::kComplex:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kEllipsis:
      return true;
    default:
      return false;
  }
}

/// A key that is no string as a component of a path; `position` stands for keys that have no short text.
std::string key_component(Value key, std::size_t position) {
  if (is_scalar(key.kind())) {
    return fmt::format("[{}]", core::python_repr(key));
  }
  bool short_tuple = key.is(Kind::kTuple) && key.size() <= kMaxShownKeyParts;
  for (std::size_t i = 0; short_tuple && i < key.size(); ++i) {
    short_tuple = is_scalar(key.at(i).kind());
  }
  return short_tuple ? fmt::format("[{}]", core::python_repr(key)) : fmt::format("<entry {}>", position);
}

/// Puts `component` behind `path`.
void join(std::string& path, std::string_view component) {
  if (!path.empty() && (component.empty() || component.front() != '[')) {
    path += '.';
  }
  path += component;
}

/// "[7]"
void append_position(std::string& path, std::size_t position) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), position).ptr;
  path += '[';
  path.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  path += ']';
}

}  // namespace

ValueWalk::ValueWalk(const PtFile& file, WalkLimits limits)
    : file_(file), limits_(limits), visit_of_node_(file.values.size(), 0) {
  for (const ObjectAttributes& entry : file.attributes) {
    attributes_[entry.object].push_back(entry.state);
  }
}

std::size_t ValueWalk::slot_count(NodeId node) const {
  const auto extra = attributes_.empty() ? attributes_.end() : attributes_.find(node);
  const std::size_t attributes = extra == attributes_.end() ? 0 : extra->second.size();
  switch (file_.values.kind(node)) {
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kSet:
    case Kind::kFrozenSet:
    case Kind::kDict:
      return file_.values.items(node).size() + attributes;
    case Kind::kOpaque:
      return 2 + attributes;
    default:
      return attributes;
  }
}

NodeId ValueWalk::child_at(NodeId node, std::size_t slot) const {
  const Kind kind = file_.values.kind(node);
  std::size_t own = 0;
  if (kind == Kind::kOpaque) {
    const OpaqueObject& object = file_.opaques[file_.values.index(node)];
    own = 2;
    if (slot < own) {
      return slot == 0 ? object.arguments : object.state;
    }
  } else if (kind != Kind::kTensor) {
    const auto items = file_.values.items(node);
    own = items.size();
    if (slot < own) {
      // Keys are part of the path; only those that may hold more than text are walked themselves.
      const bool plain_key =
          kind == Kind::kDict && slot % 2 == 0 &&
          (is_scalar(file_.values.kind(items[slot])) || file_.values.kind(items[slot]) == Kind::kType);
      return plain_key ? core::kNoNode : items[slot];
    }
  }
  return attributes_.at(node)[slot - own];
}

void ValueWalk::append_component(std::string& path, NodeId node, std::size_t slot) const {
  const Value container(file_.values, node);
  const Kind kind = container.kind();
  const std::size_t own_slots = kind == Kind::kOpaque ? 2 : file_.values.items(node).size();
  if (slot >= own_slots) {
    join(path, "<attributes>");
    return;
  }
  switch (kind) {
    case Kind::kList:
    case Kind::kTuple:
      append_position(path, slot);
      break;
    case Kind::kDict:
      if (slot % 2 == 0) {
        join(path, fmt::format("<key {}>", slot / 2));
      } else if (const Value key = container.key_at(slot / 2); key.is_string()) {
        join(path, key.text());
      } else {
        join(path, key_component(key, slot / 2));
      }
      break;
    case Kind::kOpaque:
      // The state is nearly always the object's __dict__: its keys are the object's attributes.
      if (slot == 0) {
        join(path, "<arguments>");
      } else if (file_.values.kind(child_at(node, slot)) != Kind::kDict) {
        join(path, "<state>");
      }
      break;
    default:
      join(path, fmt::format("<item {}>", slot));
      break;
  }
}

void ValueWalk::add_unfolded(double values) {
  (frames_.empty() ? unfolded_ : frames_.back().unfolded) += values;
}

void ValueWalk::leave() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Visited& visited = visits_[visit_of_node_[frame.node] - 1];
  visited.unfolded = frame.unfolded;
  visited.open = false;
  add_unfolded(frame.unfolded);
}

/// The next child of the innermost container that has one left.
std::optional<ValueWalk::Child> ValueWalk::advance() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const std::size_t slots = slot_count(frame.node);
    while (frame.next_slot < slots) {
      const std::size_t slot = frame.next_slot++;
      const NodeId id = child_at(frame.node, slot);
      if (id != core::kNoNode) {
        return Child{id, slot};
      }
    }
    leave();
  }
  return std::nullopt;
}

std::optional<ValueWalk::Step> ValueWalk::next() {
  if (!stopped_.empty()) {
    return std::nullopt;
  }
  entered_last_ = false;
  Child child{file_.root_id, 0};
  if (started_) {
    const auto found = advance();
    if (!found) {
      return std::nullopt;
    }
    child = *found;
  }
  const NodeId parent = started_ ? frames_.back().node : core::kNoNode;
  started_ = true;
  if (++steps_ > limits_.max_steps) {
    stopped_ = fmt::format("more than {} values", limits_.max_steps);
    return std::nullopt;
  }
  Step step{Value(file_.values, child.id), static_cast<std::uint32_t>(frames_.size()), false, false};
  if (slot_count(child.id) == 0) {
    add_unfolded(1);
    return step;
  }
  if (const Visited* visited = visit_of(child.id)) {
    step.met_before = true;
    step.inside_itself = visited->open;
    add_unfolded(visited->open ? kInfinite : visited->unfolded);
    return step;
  }
  if (frames_.size() >= limits_.max_depth) {
    stopped_ = fmt::format("values nested more than {} deep", limits_.max_depth);
    return std::nullopt;
  }
  visits_.push_back({parent, child.slot, 1, true});
  visit_of_node_[child.id] = static_cast<std::uint32_t>(visits_.size());
  frames_.push_back({child.id, 0, 1});
  entered_last_ = true;
  return step;
}

void ValueWalk::skip_content() {
  if (entered_last_) {
    leave();
    entered_last_ = false;
  }
}

const ValueWalk::Visited* ValueWalk::visit_of(NodeId node) const {
  const std::uint32_t visit = visit_of_node_[node];
  return visit == 0 ? nullptr : &visits_[visit - 1];
}

std::string ValueWalk::count_path(std::string path) {
  path_bytes_ += path.size();
  if (path_bytes_ > limits_.max_path_bytes) {
    stopped_ = fmt::format("paths of more than {} bytes", limits_.max_path_bytes);
  }
  return path;
}

std::string ValueWalk::path() {
  std::string path;
  path.reserve(60);  // most paths, in one allocation
  const std::size_t containers = frames_.size() - (entered_last_ ? 1 : 0);
  for (std::size_t i = 0; i < containers && path.size() <= limits_.max_path_bytes; ++i) {
    append_component(path, frames_[i].node, frames_[i].next_slot - 1);
  }
  return count_path(std::move(path));
}

std::string ValueWalk::first_path(NodeId id) {
  std::vector<std::pair<NodeId, std::size_t>> components;
  for (const Visited* at = visit_of(id); at != nullptr && at->parent != core::kNoNode; at = visit_of(at->parent)) {
    components.emplace_back(at->parent, at->slot);
  }
  std::string path;
  for (std::size_t i = components.size(); i-- > 0 && path.size() <= limits_.max_path_bytes;) {
    append_component(path, components[i].first, components[i].second);
  }
  return count_path(std::move(path));
}

TensorPaths find_tensors(const PtFile& file, WalkLimits limits) {
  TensorPaths found;
  ValueWalk walk(file, limits);
  found.tensors.reserve(file.tensors.size());
  while (const auto step = walk.next()) {
    if (step->value.is(Kind::kTensor)) {
      found.tensors.push_back({walk.path(), step->value});
    } else if (step->met_before) {
      found.shared.push_back({walk.path(), walk.first_path(step->value.id()), step->inside_itself});
    }
  }
  found.stopped = walk.stopped();
  return found;
}

}  // namespace rlverify::tensor
