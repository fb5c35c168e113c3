// SPDX-License-Identifier: Apache-2.0
// Whatever isn't recognised stays visible as an opaque object with its arguments: nothing in a file is lost, and
// nothing is run.
#include "tensor/object_builder.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/errors.h"
#include "tensor/fail.h"
#include "tensor/pickle_text.h"
#include "tensor/torch_objects.h"

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;
using core::Value;

constexpr std::size_t kMaxNameBytes = 1024;

}  // namespace

NodeId ObjectBuilder::global(std::string_view module, std::string_view name, std::string_view opcode) {
  if (module.size() > kMaxNameBytes || name.size() > kMaxNameBytes || !is_pickle_utf8(module) ||
      !is_pickle_utf8(name)) {
    context_.malformed(fmt::format("the name of a class or function (UTF-8, at most {} bytes)", kMaxNameBytes),
                       "something else");
  }
  Global global{std::string(module), std::string(name), classify_global(module, name)};
  if (module == "torch" || module.substr(0, 6) == "torch.") {
    global.storage_dtype = dtype_from_storage_class(name);
  }
  context_.spend(2 * (global.module.size() + global.name.size()));
  if (global.kind == GlobalKind::kUnsafe) {
    if (context_.policy == UnsafePolicy::kRefuse) {
      fail(core::ProblemKind::kUnsafe, context_.file, context_.offset, "data only",
           fmt::format("opcode {} naming {}, which would run code if Python loaded this file", opcode,
                       global.full_name()));
    }
    context_.out.unsafe_globals.push_back({global.full_name(), std::string(opcode), context_.offset});
  }
  const NodeId node = context_.out.values.add_text(Kind::kType, global.full_name(), context_.place());
  context_.globals.emplace_back(node, std::move(global));
  return node;
}

NodeId ObjectBuilder::opaque_call(const Global* global, NodeId callable, NodeId arguments) {
  if (global != nullptr) {
    return context_.add_opaque(global->module, global->name, arguments);
  }
  // The callable is itself the result of a call that wasn't made: keep both.
  const NodeId both = context_.out.values.add_container(Kind::kTuple, context_.place());
  context_.out.values.append(both, callable);
  context_.out.values.append(both, arguments);
  return context_.add_opaque("", "<call of an object>", both);
}

NodeId ObjectBuilder::reduce(NodeId callable, NodeId arguments) {
  if (context_.out.values.kind(arguments) != Kind::kTuple) {
    context_.malformed("a tuple of arguments", std::string(kind_name(context_.value(arguments).kind())));
  }
  const Global* global = context_.global_of(callable);
  const NodeId known = global != nullptr ? known_call(*global, arguments) : core::kNoNode;
  return known != core::kNoNode ? known : opaque_call(global, callable, arguments);
}

NodeId ObjectBuilder::new_object(NodeId callable, NodeId arguments, NodeId keywords) {
  if (context_.value(keywords).size() == 0) {
    return reduce(callable, arguments);
  }
  const NodeId both = context_.out.values.add_container(Kind::kTuple, context_.place());
  context_.out.values.append(both, arguments);
  context_.out.values.append(both, keywords);
  return opaque_call(context_.global_of(callable), callable, both);
}

/// The value of a construction that is carried out here; kNoNode for all others.
NodeId ObjectBuilder::known_call(const Global& global, NodeId arguments) {
  switch (global.kind) {
    case GlobalKind::kRebuildTensor:
    case GlobalKind::kRebuildTensorV2:
    case GlobalKind::kRebuildTensorV3:
      return rebuild_tensor(context_, global.kind, arguments);
    case GlobalKind::kRebuildParameter:
    case GlobalKind::kRebuildParameterWithState:
      return rebuild_parameter(context_, global.kind, arguments);
    case GlobalKind::kRebuildFromType:
      return rebuild_from_type(context_, arguments);
    case GlobalKind::kTypeTag:
      return context_.value(arguments).at(0).id();
    case GlobalKind::kTorchSize:
      return make_size(context_, arguments);
    case GlobalKind::kTorchDevice:
      return make_device(context_, arguments);
    case GlobalKind::kOrderedDict:
      return make_ordered_dict(arguments);
    case GlobalKind::kSet:
      return make_set(Kind::kSet, arguments);
    case GlobalKind::kFrozenSet:
      return make_set(Kind::kFrozenSet, arguments);
    case GlobalKind::kComplex:
      return make_complex(arguments);
    case GlobalKind::kBytes:
    case GlobalKind::kByteArray:
    case GlobalKind::kCodecsEncode:
      return make_bytes(arguments);
    case GlobalKind::kReconstructor:
      return make_reconstructed(arguments);
    case GlobalKind::kNumpyScalar:
      return numpy_.make_scalar(global, arguments);
    case GlobalKind::kNumpyReconstruct:
      return numpy_.begin_array(arguments);
    case GlobalKind::kNumpyFrombuffer:
      return numpy_.array_from_buffer(global, arguments);
    case GlobalKind::kNumpyDtype:
      return numpy_.make_dtype(arguments);
    case GlobalKind::kTorchLayout: {
      const Value layout = context_.value(arguments).at(0);
      if (!layout.is_string()) {
        return core::kNoNode;
      }
      context_.spend(layout.text().size());
      return context_.out.values.add_text(Kind::kType, std::string(layout.text()), context_.place());
    }
    case GlobalKind::kOther:
    case GlobalKind::kUnsafe:
    case GlobalKind::kDtype:
    case GlobalKind::kNumpyNdarray:
      return core::kNoNode;
  }
  return core::kNoNode;
}

NodeId ObjectBuilder::make_set(Kind kind, NodeId arguments) {
  const Value items = context_.value(arguments).at(0);
  const bool is_iterable = !items || items.is_sequence() || items.is(Kind::kSet) || items.is(Kind::kFrozenSet);
  if (!is_iterable) {
    return core::kNoNode;
  }
  const auto span = items ? context_.out.values.items(items.id()) : std::span<const NodeId>{};
  const std::vector<NodeId> copy(span.begin(), span.end());
  context_.spend(24 * copy.size());
  const NodeId set = context_.out.values.add_container(kind, context_.place());
  add_to_set(set, copy);
  return set;
}

NodeId ObjectBuilder::make_ordered_dict(NodeId arguments) {
  if (context_.out.values.items(arguments).empty()) {
    return context_.out.values.add_container(Kind::kDict, context_.place());  // the backward hooks of every tensor
  }
  const Value pairs = context_.value(arguments).at(0);
  std::vector<NodeId> entries;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Value pair = pairs.at(i);
    if (!pair.is_sequence() || pair.size() != 2) {
      return core::kNoNode;
    }
    entries.push_back(pair.at(0).id());
    entries.push_back(pair.at(1).id());
  }
  context_.spend(16 * entries.size());
  const NodeId dict = context_.out.values.add_container(Kind::kDict, context_.place());
  set_items(dict, entries);
  return dict;
}

NodeId ObjectBuilder::make_complex(NodeId arguments) {
  const Value parts = context_.value(arguments);
  if (parts.size() != 2 || !parts.at(0).is(Kind::kReal) || !parts.at(1).is(Kind::kReal)) {
    return core::kNoNode;
  }
  return context_.out.values.add_complex(parts.at(0).real(), parts.at(1).real(), context_.place());
}

/// bytes(), bytes(b), bytearray(b), bytearray(text, "latin-1") and _codecs.encode(text, "latin1"): how Python writes
/// bytes below protocol 3.
NodeId ObjectBuilder::make_bytes(NodeId arguments) {
  const Value parts = context_.value(arguments);
  const Value content = parts.at(0);
  if (parts.size() == 0) {
    return context_.out.values.add_text(Kind::kBytes, "", context_.place());
  }
  context_.spend(content.text().size());
  if (parts.size() == 1 && content.is(Kind::kBytes)) {
    return context_.out.values.add_text(Kind::kBytes, std::string(content.text()), context_.place());
  }
  const std::string_view encoding = parts.at(1).text();
  if (parts.size() != 2 || !content.is_string() || (encoding != "latin1" && encoding != "latin-1")) {
    return core::kNoNode;
  }
  const auto bytes = latin1_from_utf8(content.text());
  if (!bytes) {
    context_.malformed("bytes written as Latin-1 text", "a character above U+00FF");
  }
  return context_.out.values.add_text(Kind::kBytes, *bytes, context_.place());
}

/// copyreg._reconstructor(cls, base, state): an object of cls, as protocols 0 and 1 write it.
NodeId ObjectBuilder::make_reconstructed(NodeId arguments) {
  const Global* cls = context_.global_of(context_.value(arguments).at(0).id());
  return cls != nullptr ? context_.add_opaque(cls->module, cls->name, arguments) : core::kNoNode;
}

NodeId ObjectBuilder::set_state(NodeId object, NodeId state) {
  if (numpy_.is_open_array(object)) {
    return numpy_.finish_array(object, state);
  }
  if (numpy_.is_dtype(object)) {
    numpy_.set_dtype_state(object, state);
    return object;
  }
  const Value target = context_.value(object);
  if (target.is(Kind::kDict) || target.is(Kind::kTensor)) {
    context_.add_attributes(object, state);
    return object;
  }
  if (!target.is(Kind::kOpaque)) {
    context_.malformed("an object that can take a state", std::string(kind_name(target.kind())));
  }
  NodeId& old_state = context_.out.opaques[target.index()].state;
  if (old_state == core::kNoNode) {
    old_state = state;
  } else {
    const NodeId both = context_.out.values.add_container(Kind::kTuple, context_.place());
    context_.out.values.append(both, old_state);
    context_.out.values.append(both, state);
    old_state = both;
  }
  return object;
}

/// The container for items of a list or dict subclass: its state, made on first use.
NodeId ObjectBuilder::items_of_opaque(NodeId target, Kind kind) {
  OpaqueObject& object = context_.out.opaques[context_.out.values.index(target)];
  if (object.state == core::kNoNode) {
    object.state = context_.out.values.add_container(kind, context_.place());
  }
  if (context_.out.values.kind(object.state) != kind) {
    context_.malformed("items of one sort before an object's state", "both a state and items");
  }
  return object.state;
}

void ObjectBuilder::append_items(NodeId target, std::span<const NodeId> items) {
  if (context_.value(target).is(Kind::kOpaque)) {
    target = items_of_opaque(target, Kind::kList);
  }
  if (!context_.value(target).is(Kind::kList)) {
    context_.malformed("a list to append to", std::string(kind_name(context_.value(target).kind())));
  }
  for (const NodeId item : items) {
    context_.out.values.append(target, item);
  }
}

void ObjectBuilder::set_items(NodeId target, std::span<const NodeId> keys_and_values) {
  if (context_.value(target).is(Kind::kOpaque)) {
    target = items_of_opaque(target, Kind::kDict);
  }
  core::ValueTable& table = context_.out.values;
  if (table.kind(target) != Kind::kDict) {
    context_.malformed("a dict to set items of", std::string(kind_name(table.kind(target))));
  }
  for (std::size_t i = 0; i + 1 < keys_and_values.size(); i += 2) {
    try {
      if (const auto found = keys_.find_or_note(target, keys_and_values[i])) {
        table.set_item(target, 2 * std::size_t{*found} + 1, keys_and_values[i + 1]);
      } else {
        table.append_entry(target, keys_and_values[i], keys_and_values[i + 1]);
      }
    } catch (const KeyIndex::UnhashableKey& unhashable) {
      context_.malformed("a key that Python can hash", std::string(kind_name(table.kind(unhashable.key))));
    }
  }
}

void ObjectBuilder::add_to_set(NodeId target, std::span<const NodeId> items) {
  core::ValueTable& table = context_.out.values;
  if (table.kind(target) != Kind::kSet && table.kind(target) != Kind::kFrozenSet) {
    context_.malformed("a set to add to", std::string(kind_name(table.kind(target))));
  }
  for (const NodeId item : items) {
    try {
      if (!keys_.find_or_note(target, item)) {
        table.append(target, item);
      }
    } catch (const KeyIndex::UnhashableKey& unhashable) {
      context_.malformed("a set item that Python can hash", std::string(kind_name(table.kind(unhashable.key))));
    }
  }
}

}  // namespace rlverify::tensor
