// SPDX-License-Identifier: Apache-2.0
// An Inspection as a JSON document.
#include <fmt/format.h>

#include "report/inspection.h"

namespace rlverify::report {
namespace {

using core::NodeId;

NodeId unsafe_array(Document& document, const std::vector<tensor::UnsafeGlobal>& globals) {
  const NodeId array = document.array();
  for (const tensor::UnsafeGlobal& unsafe : globals) {
    document.append(array, document.object({{"global", document.string(unsafe.global)},
                                            {"opcode", document.string(unsafe.opcode)},
                                            {"offset", document.unsigned_integer(unsafe.offset)}}));
  }
  return array;
}

NodeId tensor_object(Document& document, const InspectedTensor& inspected) {
  const tensor::TensorRef& tensor = inspected.reference;
  const NodeId shape = document.array();
  for (const std::uint64_t size : tensor.shape) {
    document.append(shape, document.unsigned_integer(size));
  }
  const NodeId strides = document.array();
  for (const std::int64_t stride : tensor.strides) {
    document.append(strides, document.integer(stride));
  }
  const NodeId object =
      document.object({{"dtype", document.string(tensor::torch_name(tensor.dtype))},
                       {"shape", shape},
                       {"strides", strides},
                       {"elements", document.unsigned_integer(tensor.element_count)},
                       {"bytes", document.unsigned_integer(tensor.logical_bytes())},
                       {"data_offset", document.unsigned_integer(tensor.data_offset)},
                       {"storage", document.string(inspected.storage_key)},
                       {"storage_bytes", document.unsigned_integer(tensor.storage_bytes)},
                       {"storage_offset", document.unsigned_integer(tensor.storage_offset)},
                       {"tensors_in_storage", document.unsigned_integer(inspected.tensors_in_storage)},
                       {"parameter", document.boolean(tensor.is_parameter)},
                       {"conjugated", document.boolean(tensor.conjugate)},
                       {"negated", document.boolean(tensor.negative)},
                       {"explodes", document.boolean(tensor.explodes())}});
  if (inspected.values) {
    document.put(object, "values", document.strings(*inspected.values));
  }
  return object;
}

NodeId row_object(Document& document, const InspectedRow& row) {
  const NodeId object = document.object({{"path", document.string(row.path)}, {"type", document.string(row.type)}});
  if (row.tensor) {
    document.put(object, "tensor", tensor_object(document, *row.tensor));
  } else {
    document.put(object, "content", document.string(row.content));
  }
  if (row.is_repeated) {
    document.put(object, "same_as", document.string(row.same_as));
    document.put(object, "contains_itself", document.boolean(row.contains_itself));
  }
  return object;
}

}  // namespace

Document inspection_document(const Inspection& inspection) {
  Document document;
  const NodeId rows = document.array();
  for (const InspectedRow& row : inspection.rows) {
    document.append(rows, row_object(document, row));
  }
  document.set_root(
      document.object({{"schema_version", document.string("rlverify.inspection.v1")},
                       {"file", document.string(inspection.file)},
                       {"file_bytes", document.unsigned_integer(inspection.file_bytes)},
                       {"container", document.string(inspection.container)},
                       {"pickle_protocol", document.integer(inspection.pickle_protocol)},
                       {"safe", document.boolean(inspection.unsafe_globals.empty())},
                       {"unsafe_globals", unsafe_array(document, inspection.unsafe_globals)},
                       {"tensor_count", document.unsigned_integer(inspection.tensor_count)},
                       {"tensor_bytes", document.unsigned_integer(inspection.tensor_bytes)},
                       {"storage_count", document.unsigned_integer(inspection.storage_count)},
                       {"storage_bytes", document.unsigned_integer(inspection.storage_bytes)},
                       {"object_count", document.unsigned_integer(inspection.object_count)},
                       {"shares_parts", document.boolean(inspection.shares_parts)},
                       {"unfolded_values", document.real(inspection.unfolded_values)},
                       {"stopped", inspection.stopped.empty() ? document.null() : document.string(inspection.stopped)},
                       {"values", rows}}));
  return document;
}

}  // namespace rlverify::report
