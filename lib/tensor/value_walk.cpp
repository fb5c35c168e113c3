// SPDX-License-Identifier: Apache-2.0
// An explicit stack instead of recursion; children are numbered slots of their container, so that a path can be told from the stack, and later from the links
// of the values that were entered.
#include "tensor/value_walk.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

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
    case Kind::kEllipsis: return true;
    default: return false;
  }
}

/// A key of a dict as a component of a path; `position` stands for keys that have no short text.
std::string key_component(Value key, std::size_t position) {
  if (key.is_string()) {
    return std::string(key.text());
  }
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
void join(std::string& path, const std::string& component) {
  if (!path.empty() && !component.empty() && component.front() != '[') {
    path += '.';
  }
  path += component;
}

}  // namespace

ValueWalk::ValueWalk(const PtFile& file, WalkLimits limits) : file_(file), limits_(limits) {
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
    case Kind::kDict: return file_.values.items(node).size() + attributes;
    case Kind::kOpaque: return 2 + attributes;
    default: return attributes;
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
      const bool plain_key = kind == Kind::kDict && slot % 2 == 0 && (is_scalar(file_.values.kind(items[slot])) || file_.values.kind(items[slot]) == Kind::kType);
      return plain_key ? core::kNoNode : items[slot];
    }
  }
  return attributes_.at(node)[slot - own];
}

std::string ValueWalk::component(NodeId node, std::size_t slot) const {
  const Value container(file_.values, node);
  switch (container.kind()) {
    case Kind::kDict:
      if (slot < 2 * container.size()) {
        return slot % 2 == 0 ? fmt::format("<key {}>", slot / 2) : key_component(container.key_at(slot / 2), slot / 2);
      }
      break;
    case Kind::kOpaque:
      if (slot == 0) {
        return "<arguments>";
      }
      if (slot == 1) {
        // The state is nearly always the object's __dict__: its keys are the object's attributes.
        return file_.values.kind(child_at(node, slot)) == Kind::kDict ? "" : "<state>";
      }
      break;
    case Kind::kSet:
    case Kind::kFrozenSet:
      if (slot < container.size()) {
        return fmt::format("<item {}>", slot);
      }
      break;
    case Kind::kList:
    case Kind::kTuple:
      if (slot < container.size()) {
        return fmt::format("[{}]", slot);
      }
      break;
    default: break;
  }
  return "<attributes>";
}

void ValueWalk::add_unfolded(double values) { (frames_.empty() ? unfolded_ : frames_.back().unfolded) += values; }

void ValueWalk::leave() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Visited& visited = visited_.at(frame.node);
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
  const auto [visited, is_new] = visited_.emplace(child.id, Visited{parent, child.slot, 1, true});
  if (!is_new) {
    step.met_before = true;
    step.inside_itself = visited->second.open;
    add_unfolded(visited->second.open ? kInfinite : visited->second.unfolded);
    return step;
  }
  if (frames_.size() >= limits_.max_depth) {
    stopped_ = fmt::format("values nested more than {} deep", limits_.max_depth);
    return std::nullopt;
  }
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

std::string ValueWalk::count_path(std::string path) {
  path_bytes_ += path.size();
  if (path_bytes_ > limits_.max_path_bytes) {
    stopped_ = fmt::format("paths of more than {} bytes", limits_.max_path_bytes);
  }
  return path;
}

std::string ValueWalk::path() {
  std::string path;
  const std::size_t containers = frames_.size() - (entered_last_ ? 1 : 0);
  for (std::size_t i = 0; i < containers && path.size() <= limits_.max_path_bytes; ++i) {
    join(path, component(frames_[i].node, frames_[i].next_slot - 1));
  }
  return count_path(std::move(path));
}

std::string ValueWalk::first_path(NodeId id) {
  std::vector<std::pair<NodeId, std::size_t>> components;
  for (auto at = visited_.find(id); at != visited_.end() && at->second.parent != core::kNoNode; at = visited_.find(at->second.parent)) {
    components.emplace_back(at->second.parent, at->second.slot);
  }
  std::string path;
  for (std::size_t i = components.size(); i-- > 0 && path.size() <= limits_.max_path_bytes;) {
    join(path, component(components[i].first, components[i].second));
  }
  return count_path(std::move(path));
}

TensorPaths find_tensors(const PtFile& file, WalkLimits limits) {
  TensorPaths found;
  ValueWalk walk(file, limits);
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
