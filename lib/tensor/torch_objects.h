// SPDX-License-Identifier: Apache-2.0
// The constructions of torch.save: storages by persistent id, tensors as views into them, parameters, sizes and
// devices.
#pragma once

#include "tensor/pickle_context.h"

namespace rlverify::tensor {

/// The storage (or class, for the 'module' ids of old files) that a persistent id names.
[[nodiscard]] core::NodeId load_persistent(PickleContext& context, core::NodeId persistent_id);
/// torch._utils._rebuild_tensor, _v2 or _v3 with its arguments: checked against its storage.
[[nodiscard]] core::NodeId rebuild_tensor(PickleContext& context, GlobalKind kind, core::NodeId arguments);
/// torch._utils._rebuild_parameter and _rebuild_parameter_with_state.
[[nodiscard]] core::NodeId rebuild_parameter(PickleContext& context, GlobalKind kind, core::NodeId arguments);
/// torch._tensor._rebuild_from_type_v2(function, type, arguments, state): a tensor of a subclass or with attributes;
/// kNoNode where its function is no tensor rebuild.
[[nodiscard]] core::NodeId rebuild_from_type(PickleContext& context, core::NodeId arguments);
/// torch.Size(sequence) as a tuple; torch.device(type[, index]) as the string "cuda:0". kNoNode for other arguments.
[[nodiscard]] core::NodeId make_size(PickleContext& context, core::NodeId arguments);
[[nodiscard]] core::NodeId make_device(PickleContext& context, core::NodeId arguments);
/// A storage that was saved for itself gets a one-dimensional tensor over all of it as its state; call once at the end.
void give_lone_storages_tensors(PickleContext& context);

}  // namespace rlverify::tensor
