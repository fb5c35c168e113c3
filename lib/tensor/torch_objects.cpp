// SPDX-License-Identifier: Apache-2.0
// A tensor is accepted only after its farthest element was found inside its storage, in 128-bit arithmetic, so no
// reference ever points outside the file.
#include "tensor/torch_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;
using core::Value;

constexpr std::size_t kMaxDimensions = 64;                      // PyTorch's own limit
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 56;  // so that bits still fit 64 bits

std::uint64_t non_negative(const PickleContext& context, Value value, const char* what) {
  if (!value.is_integer() || value.integer() < 0) {
    context.malformed(fmt::format("{} (an int, 0 or more)", what),
                      value.is_integer() ? fmt::format("{}", value.integer()) : std::string(kind_name(value.kind())));
  }
  return static_cast<std::uint64_t>(value.integer());
}

Value arguments_at(const PickleContext& context, NodeId arguments, std::size_t index, const char* what) {
  const auto items = context.out.values.items(arguments);
  if (index >= items.size()) {
    context.malformed(fmt::format("an argument {} ({})", index, what), "fewer arguments");
  }
  return context.value(items[index]);
}

/// Shape (unsigned) or strides (signed) of a tensor.
template <class Number>
std::vector<Number> dimensions(const PickleContext& context, Value sequence, const char* what) {
  if (!sequence.is_sequence() || sequence.size() > kMaxDimensions) {
    context.malformed(fmt::format("the tensor's {} (a tuple of at most {} ints)", what, kMaxDimensions),
                      std::string(kind_name(sequence.kind())));
  }
  const auto items = context.out.values.items(sequence.id());
  std::vector<Number> numbers(items.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<Number>(non_negative(context, context.value(items[i]), what));
  }
  return numbers;
}

/// Fills element_count and checks the view against the elements that its storage has.
void check_view(const PickleContext& context, TensorRef& tensor, std::uint64_t storage_elements) {
  // A dimension of 0 makes the tensor empty, however large the others are.
  const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0U) != tensor.shape.end();
  tensor.element_count = empty ? 0 : 1;
  for (const std::uint64_t size : tensor.shape) {
    if (!empty && size > kMaxElements / tensor.element_count) {
      fail(core::ProblemKind::kLimit, context.file, context.offset,
           fmt::format("a tensor of at most {} elements", kMaxElements),
           fmt::format("shape [{}]", fmt::join(tensor.shape, ", ")));
    }
    tensor.element_count *= size;
  }
  __extension__ using Wide = unsigned __int128;
  Wide last = tensor.storage_offset;
  for (std::size_t i = 0; i < tensor.shape.size() && !empty; ++i) {
    last += static_cast<Wide>(tensor.shape[i] - 1) * static_cast<std::uint64_t>(tensor.strides[i]);
  }
  const bool fits = empty ? tensor.storage_offset <= storage_elements : last < storage_elements;
  if (!fits) {
    context.malformed(fmt::format("a tensor inside the {} elements of its storage", storage_elements),
                      fmt::format("offset {}, shape [{}], strides [{}]", tensor.storage_offset,
                                  fmt::join(tensor.shape, ", "), fmt::join(tensor.strides, ", ")));
  }
}

NodeId add_tensor(PickleContext& context, TensorRef tensor) {
  context.spend(16 + 16 * tensor.shape.size());  // a memoised argument tuple could be rebuilt without end
  const auto index = static_cast<std::uint32_t>(context.out.tensors.size());
  context.out.tensors.push_back(std::move(tensor));
  return context.out.values.add_index(Kind::kTensor, index, context.place());
}

bool flag(Value metadata, std::string_view name) {
  return metadata.get(name).is_true();
}

StorageRequest::View read_view(const PickleContext& context, Value view) {
  if (!view.is(Kind::kTuple) || view.size() != 3 || !view.at(0).is_string()) {
    context.malformed("a storage view (key, offset, size)", std::string(kind_name(view.kind())));
  }
  return {std::string(view.at(0).text()), non_negative(context, view.at(1), "view offset"),
          non_negative(context, view.at(2), "view size")};
}

}  // namespace

NodeId load_persistent(PickleContext& context, NodeId persistent_id) {
  const core::ValueTable& table = context.out.values;
  const bool is_tuple = table.kind(persistent_id) == Kind::kTuple;
  const auto id = is_tuple ? table.items(persistent_id) : std::span<const NodeId>{};
  const std::string_view type = id.empty() ? std::string_view{} : table.text(id[0]);
  if (id.size() == 4 && type == "module") {
    return id[1];  // PyTorch before 1.6 kept a module's class with its source text
  }
  if ((id.size() != 5 && id.size() != 6) || type != "storage" || table.kind(id[2]) != Kind::kString) {
    context.malformed("a persistent id ('storage', class, key, location, size)",
                      std::string(kind_name(table.kind(persistent_id))));
  }
  const Global* storage_class = context.global_of(id[1]);
  if (storage_class == nullptr || !storage_class->storage_dtype) {
    context.malformed("a storage class of PyTorch", storage_class != nullptr
                                                        ? storage_class->full_name()
                                                        : std::string(kind_name(table.kind(id[1]))));
  }
  StorageRequest request{std::string(table.text(id[2])), *storage_class->storage_dtype,
                         non_negative(context, context.value(id[4]), "number of elements"), std::nullopt,
                         context.offset};
  if (id.size() == 6 && table.kind(id[5]) != Kind::kNull) {
    request.view = read_view(context, context.value(id[5]));
  }
  const std::uint32_t index = context.storages.provide(request);
  if (index >= context.node_of_storage.size()) {
    context.node_of_storage.resize(index + 1, core::kNoNode);
    context.storage_has_tensor.resize(index + 1, false);
  }
  NodeId& node = context.node_of_storage[index];
  if (node == core::kNoNode) {
    node = context.add_opaque(storage_class->module, storage_class->name, core::kNoNode);
    context.storage_of_opaque.resize(context.out.opaques.size(), kNoStorage);
    context.storage_of_opaque.back() = index;
  }
  return node;
}

NodeId rebuild_tensor(PickleContext& context, GlobalKind kind, NodeId arguments) {
  const Value storage_value = arguments_at(context, arguments, 0, "storage");
  const std::uint32_t storage_index = context.storage_of(storage_value);
  if (storage_index == kNoStorage) {
    context.malformed("a tensor's storage", std::string(kind_name(storage_value.kind())));
  }
  const Storage& storage = context.out.storages[storage_index];
  TensorRef tensor;
  tensor.storage = storage_index;
  tensor.storage_bytes = storage.bytes;
  tensor.dtype = storage.dtype;
  std::size_t metadata_at = 6;
  if (kind == GlobalKind::kRebuildTensorV3) {
    const Value dtype_value = arguments_at(context, arguments, 6, "dtype");
    const auto dtype = dtype_value.is(Kind::kType) ? dtype_from_torch_name(dtype_value.text()) : std::nullopt;
    if (!dtype) {
      context.malformed("a torch.dtype", dtype_value.is(Kind::kType) ? std::string(dtype_value.text())
                                                                     : std::string(kind_name(dtype_value.kind())));
    }
    tensor.dtype = *dtype;
    metadata_at = 7;
  }
  tensor.storage_offset =
      non_negative(context, arguments_at(context, arguments, 1, "storage offset"), "storage offset");
  tensor.shape = dimensions<std::uint64_t>(context, arguments_at(context, arguments, 2, "shape"), "shape");
  tensor.strides = dimensions<std::int64_t>(context, arguments_at(context, arguments, 3, "strides"), "strides");
  if (tensor.shape.size() != tensor.strides.size()) {
    context.malformed(fmt::format("{} strides", tensor.shape.size()), fmt::format("{}", tensor.strides.size()));
  }
  check_view(context, tensor, storage.bytes / bytes_per_element(tensor.dtype));
  const Value metadata = context.value(arguments).at(metadata_at);
  tensor.conjugate = flag(metadata, "conj");
  tensor.negative = flag(metadata, "neg");
  context.storage_has_tensor[storage_index] = true;
  return add_tensor(context, std::move(tensor));
}

NodeId rebuild_parameter(PickleContext& context, GlobalKind kind, NodeId arguments) {
  const Value data = arguments_at(context, arguments, 0, "data");
  if (!data.is(Kind::kTensor)) {
    context.malformed("the tensor of a parameter", std::string(kind_name(data.kind())));
  }
  TensorRef parameter = context.out.tensors[data.index()];
  parameter.is_parameter = true;
  const NodeId node = add_tensor(context, std::move(parameter));
  if (kind == GlobalKind::kRebuildParameterWithState) {
    context.add_attributes(node, arguments_at(context, arguments, 3, "state").id());
  }
  return node;
}

NodeId rebuild_from_type(PickleContext& context, NodeId arguments) {
  const Value function = arguments_at(context, arguments, 0, "function");
  const Value inner = arguments_at(context, arguments, 2, "arguments");
  const Value state = arguments_at(context, arguments, 3, "state");
  const Global* global = context.global_of(function.id());
  if (global == nullptr || !inner.is(Kind::kTuple)) {
    return core::kNoNode;
  }
  NodeId node = core::kNoNode;
  switch (global->kind) {
    case GlobalKind::kRebuildTensor:
    case GlobalKind::kRebuildTensorV2:
    case GlobalKind::kRebuildTensorV3:
      node = rebuild_tensor(context, global->kind, inner.id());
      break;
    case GlobalKind::kRebuildParameter:
    case GlobalKind::kRebuildParameterWithState:
      node = rebuild_parameter(context, global->kind, inner.id());
      break;
    default:
      return core::kNoNode;
  }
  if (state.present() && state.size() > 0) {
    context.add_attributes(node, state.id());
  }
  return node;
}

NodeId make_size(PickleContext& context, NodeId arguments) {
  const Value sequence = context.value(arguments).at(0);
  return sequence.is(Kind::kTuple) ? sequence.id() : core::kNoNode;
}

NodeId make_device(PickleContext& context, NodeId arguments) {
  const Value type = context.value(arguments).at(0);
  const Value index = context.value(arguments).at(1);
  if (!type.is_string() || (index.present() && !index.is_integer())) {
    return core::kNoNode;
  }
  context.spend(type.text().size());
  const std::string text =
      index.present() ? fmt::format("{}:{}", type.text(), index.integer()) : std::string(type.text());
  return context.out.values.add_text(Kind::kString, text, context.place());
}

void give_lone_storages_tensors(PickleContext& context) {
  for (std::uint32_t i = 0; i < context.node_of_storage.size(); ++i) {
    if (context.node_of_storage[i] == core::kNoNode || context.storage_has_tensor[i]) {
      continue;
    }
    const Storage& storage = context.out.storages[i];
    TensorRef tensor;
    tensor.dtype = storage.dtype;
    tensor.storage = i;
    tensor.storage_bytes = storage.bytes;
    tensor.element_count = storage.bytes / bytes_per_element(storage.dtype);
    tensor.shape = {tensor.element_count};
    tensor.strides = {1};
    const NodeId node = add_tensor(context, std::move(tensor));
    context.out.opaques[context.out.values.index(context.node_of_storage[i])].state = node;
  }
}

}  // namespace rlverify::tensor
