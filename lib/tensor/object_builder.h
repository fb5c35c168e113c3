// SPDX-License-Identifier: Apache-2.0
// Carries out what a pickle asks for: names, calls, states and items. "Calling" means one of a fixed set of
// constructions done here, or noting an opaque object.
#pragma once

#include <span>
#include <string_view>

#include "tensor/key_index.h"
#include "tensor/numpy_objects.h"
#include "tensor/pickle_context.h"

namespace rlverify::tensor {

class ObjectBuilder {
 public:
  explicit ObjectBuilder(PickleContext& context) : context_(context), numpy_(context), keys_(context.out.values) {}

  /// A class or function by name. Unsafe ones are refused or noted, as the policy says.
  [[nodiscard]] core::NodeId global(std::string_view module, std::string_view name, std::string_view opcode);
  /// callable(*arguments), also for cls.__new__(cls, *arguments).
  [[nodiscard]] core::NodeId reduce(core::NodeId callable, core::NodeId arguments);
  /// cls.__new__(cls, *arguments, **keywords).
  [[nodiscard]] core::NodeId new_object(core::NodeId callable, core::NodeId arguments, core::NodeId keywords);
  /// Gives `object` its state; returns the node that stands for it from now on.
  [[nodiscard]] core::NodeId set_state(core::NodeId object, core::NodeId state);
  /// Whether set_state may put another node in the place of `object`.
  [[nodiscard]] bool may_be_replaced(core::NodeId object) const { return numpy_.is_open_array(object); }

  void append_items(core::NodeId target, std::span<const core::NodeId> items);
  void set_items(core::NodeId target, std::span<const core::NodeId> keys_and_values);
  void add_to_set(core::NodeId target, std::span<const core::NodeId> items);

 private:
  core::NodeId opaque_call(const Global* global, core::NodeId callable, core::NodeId arguments);
  core::NodeId known_call(const Global& global, core::NodeId arguments);
  core::NodeId make_set(core::Kind kind, core::NodeId arguments);
  core::NodeId make_ordered_dict(core::NodeId arguments);
  core::NodeId make_complex(core::NodeId arguments);
  core::NodeId make_bytes(core::NodeId arguments);
  core::NodeId make_reconstructed(core::NodeId arguments);
  core::NodeId items_of_opaque(core::NodeId target, core::Kind kind);

  PickleContext& context_;
  NumpyObjects numpy_;
  KeyIndex keys_;
};

}  // namespace rlverify::tensor
