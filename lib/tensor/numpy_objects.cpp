// SPDX-License-Identifier: Apache-2.0
// NumPy pickles an array as an empty one plus a state, so the node that the pickle has already memoised is replaced
// when the state arrives.
#include "tensor/numpy_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <variant>

#include "tensor/element_value.h"

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::NodeId;
using core::Value;

struct Code {
  std::string_view text;
  DType dtype;
};
constexpr std::array kCodes{
    Code{"b1", DType::kBool},    Code{"?", DType::kBool},       Code{"u1", DType::kUint8},
    Code{"i1", DType::kInt8},    Code{"u2", DType::kUint16},    Code{"i2", DType::kInt16},
    Code{"u4", DType::kUint32},  Code{"i4", DType::kInt32},     Code{"u8", DType::kUint64},
    Code{"i8", DType::kInt64},   Code{"f2", DType::kFloat16},   Code{"f4", DType::kFloat32},
    Code{"f8", DType::kFloat64}, Code{"c8", DType::kComplex64}, Code{"c16", DType::kComplex128},
};

bool is_order_sign(char sign) {
  return sign == '<' || sign == '>' || sign == '=' || sign == '|';
}

}  // namespace

NodeId NumpyObjects::make_dtype(NodeId arguments) {
  const Value text = context_.value(arguments).at(0);
  if (!text.is_string() || text.text().size() > 64) {
    return context_.add_opaque("numpy", "dtype", arguments);
  }
  std::string code(text.text());
  const bool has_order = !code.empty() && is_order_sign(code.front());
  NumpyDtype dtype;
  dtype.big_endian = has_order && code.front() == '>';
  const std::string_view bare = std::string_view(code).substr(has_order ? 1 : 0);
  const auto found = std::find_if(kCodes.begin(), kCodes.end(), [&](const Code& known) { return known.text == bare; });
  if (found != kCodes.end()) {
    dtype.element = found->dtype;
  }
  context_.spend(16 + code.size());
  const NodeId node =
      context_.out.values.add_text(Kind::kType, fmt::format("numpy.dtype('{}')", code), context_.place());
  dtypes_.emplace(node, dtype);
  return node;
}

void NumpyObjects::set_dtype_state(NodeId dtype, NodeId state) {
  const Value order = context_.value(state).at(1);
  dtypes_[dtype].big_endian = order.is_string() && order.text() == ">";
}

const NumpyObjects::NumpyDtype* NumpyObjects::plain_dtype(NodeId id) const {
  const auto found = dtypes_.find(id);
  return found != dtypes_.end() && found->second.element ? &found->second : nullptr;
}

NodeId NumpyObjects::add_number(const NumpyDtype& dtype, std::string_view bytes) {
  std::array<std::byte, 16> element{};
  std::transform(bytes.begin(), bytes.end(), element.begin(),
                 [](char character) { return static_cast<std::byte>(character); });
  const auto used = std::span(element).first(bytes.size());
  if (dtype.big_endian) {
    const std::size_t component = is_complex(*dtype.element) ? used.size() / 2 : used.size();
    for (std::size_t at = 0; at < used.size(); at += component) {
      std::reverse(used.begin() + static_cast<std::ptrdiff_t>(at),
                   used.begin() + static_cast<std::ptrdiff_t>(at + component));
    }
  }
  core::ValueTable& table = context_.out.values;
  const std::uint32_t place = context_.place();
  const ElementValue value = element_value(*dtype.element, used);
  if (const auto* boolean = std::get_if<bool>(&value)) {
    return table.add_boolean(*boolean, place);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return table.add_integer(*integer, place);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&value)) {
    const bool fits = *large <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return fits ? table.add_integer(static_cast<std::int64_t>(*large), place)
                : table.add_big_integer(fmt::format("{}", *large), place);
  }
  if (const auto* complex = std::get_if<ComplexElement>(&value)) {
    return table.add_complex(complex->real, complex->imaginary, place);
  }
  return table.add_real(std::get<double>(value), place);
}

NodeId NumpyObjects::make_scalar(const Global& global, NodeId arguments) {
  const Value parts = context_.value(arguments);
  const NumpyDtype* dtype = plain_dtype(parts.at(0).id());
  if (dtype == nullptr || !parts.at(1).is(Kind::kBytes)) {
    return context_.add_opaque(global.module, global.name, arguments);
  }
  const std::string bytes(parts.at(1).text());
  if (bytes.size() != bytes_per_element(*dtype->element)) {
    context_.malformed(fmt::format("a numpy scalar of {} bytes", bytes_per_element(*dtype->element)),
                       fmt::format("{} bytes", bytes.size()));
  }
  return add_number(*dtype, bytes);
}

NodeId NumpyObjects::begin_array(NodeId arguments) {
  const NodeId node = context_.add_opaque("numpy", "ndarray", arguments);
  open_arrays_.insert(node);
  return node;
}

NodeId NumpyObjects::make_list(NodeId shape, NodeId dtype_id, NodeId data) {
  const Value shape_value = context_.value(shape);
  const Value data_value = context_.value(data);
  const NumpyDtype* dtype = plain_dtype(dtype_id);
  if (dtype == nullptr || !data_value.is(Kind::kBytes) || !shape_value.is_sequence() || shape_value.size() != 1 ||
      !shape_value.at(0).is_integer()) {
    return core::kNoNode;
  }
  const std::size_t element_bytes = bytes_per_element(*dtype->element);
  const std::size_t count = data_value.text().size() / element_bytes;
  if (shape_value.at(0).integer() < 0 || static_cast<std::uint64_t>(shape_value.at(0).integer()) != count ||
      count * element_bytes != data_value.text().size()) {
    context_.malformed(
        fmt::format("{} elements of {} bytes in a numpy array", shape_value.at(0).integer(), element_bytes),
        fmt::format("{} bytes", data_value.text().size()));
  }
  context_.spend(4 * count);
  const std::string bytes(data_value.text());  // the table's text moves while numbers are added
  const NodeId list = context_.out.values.add_container(Kind::kList, context_.place());
  for (std::size_t i = 0; i < count; ++i) {
    context_.out.values.append(list,
                               add_number(*dtype, std::string_view(bytes).substr(i * element_bytes, element_bytes)));
  }
  return list;
}

NodeId NumpyObjects::array_from_buffer(const Global& global, NodeId arguments) {
  const Value parts = context_.value(arguments);
  const NodeId list =
      parts.size() >= 3 ? make_list(parts.at(2).id(), parts.at(1).id(), parts.at(0).id()) : core::kNoNode;
  return list != core::kNoNode ? list : context_.add_opaque(global.module, global.name, arguments);
}

NodeId NumpyObjects::finish_array(NodeId array, NodeId state) {
  open_arrays_.erase(array);
  const Value parts = context_.value(state);
  const NodeId list =
      parts.size() == 5 ? make_list(parts.at(1).id(), parts.at(2).id(), parts.at(4).id()) : core::kNoNode;
  // Where a container already holds the array itself, its numbers are still found as its state.
  context_.out.opaques[context_.out.values.index(array)].state = list != core::kNoNode ? list : state;
  return list != core::kNoNode ? list : array;
}

}  // namespace rlverify::tensor
