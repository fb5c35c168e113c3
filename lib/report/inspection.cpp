// SPDX-License-Identifier: Apache-2.0
// Lists of plain values are one row each (a dump holds lists of thousands of tokens); long strings are cut; so the
// listing grows with the structure of a file, not with its data.
#include "report/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/python_value.h"
#include "tensor/element_value.h"
#include "tensor/value_walk.h"

namespace rlverify::report {
namespace {

using core::Kind;
using core::Value;

constexpr std::size_t kShownItems = 8;
constexpr std::size_t kShownTextBytes = 120;

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "None";
    case Kind::kBoolean:
      return "bool";
    case Kind::kInteger:
    case Kind::kBigInteger:
      return "int";
    case Kind::kReal:
      return "float";
    case Kind::kComplex:
      return "complex";
    case Kind::kString:
      return "str";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kSet:
      return "set";
    case Kind::kFrozenSet:
      return "frozenset";
    case Kind::kEllipsis:
      return "ellipsis";
    case Kind::kTensor:
      return "tensor";
    case Kind::kType:
      return "name";
    case Kind::kOpaque:
      return "object";
  }
  return "value";
}

bool is_container(Kind kind) {
  return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kDict || kind == Kind::kSet ||
         kind == Kind::kFrozenSet;
}

/// The first bytes of a text, cut between code points.
std::string cut(std::string_view text) {
  if (text.size() <= kShownTextBytes) {
    return std::string(text);
  }
  std::size_t end = kShownTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end));
}

/// A scalar as Python prints it; long texts are cut and say so.
std::string scalar_text(Value value) {
  const std::string_view text = value.text();
  switch (value.kind()) {
    case Kind::kString:
      return text.size() <= kShownTextBytes
                 ? core::python_repr(text)
                 : fmt::format("{}... ({} bytes)", core::python_repr(cut(text)), text.size());
    case Kind::kBytes:
      return text.size() <= kShownTextBytes / 4 ? core::python_repr(value) : fmt::format("{} bytes", text.size());
    case Kind::kBigInteger:
      return text.size() <= kShownTextBytes
                 ? std::string(text)
                 : fmt::format("{}... ({} digits)", text.substr(0, kShownTextBytes), text.size());
    case Kind::kType:
      return std::string(text);
    default:
      return core::python_repr(value);
  }
}

/// Whether all items of a sequence or set are plain values.
bool is_flat(Value value) {
  if (value.is_dict() || !is_container(value.kind())) {
    return false;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Kind kind = value.at(i).kind();
    if (is_container(kind) || kind == Kind::kTensor || kind == Kind::kOpaque) {
      return false;
    }
  }
  return true;
}

std::string flat_text(Value value) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(value.size(), kShownItems); ++i) {
    items.push_back(scalar_text(value.at(i)));
  }
  const std::string more = value.size() > kShownItems ? ", ..." : "";
  return fmt::format("{} item{}{} {}{}", value.size(), value.size() == 1 ? "" : "s", items.empty() ? "" : ":",
                     fmt::join(items, ", "), more);
}

std::string complex_text(const tensor::ComplexElement& element) {
  const bool minus = std::signbit(element.imaginary) && !std::isnan(element.imaginary);
  return fmt::format("({}{}{}j)", core::python_repr(element.real), minus ? "" : "+",
                     core::python_repr(element.imaginary));
}

std::string element_text(const tensor::ElementValue& element) {
  if (const auto* boolean = std::get_if<bool>(&element)) {
    return *boolean ? "True" : "False";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&element)) {
    return fmt::format("{}", *integer);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&element)) {
    return fmt::format("{}", *large);
  }
  if (const auto* real = std::get_if<double>(&element)) {
    return core::python_repr(*real);
  }
  return complex_text(std::get<tensor::ComplexElement>(element));
}

std::vector<std::string> first_elements(const core::ByteSource& source, const tensor::TensorRef& tensor) {
  const std::uint64_t count = std::min(tensor.element_count, kShownElements);
  const std::vector<std::byte> bytes = tensor::read_element_range(source, tensor, 0, count);
  const std::size_t element_bytes = tensor::bytes_per_element(tensor.dtype);
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    texts.push_back(
        element_text(tensor::element_value(tensor.dtype, std::span(bytes).subspan(i * element_bytes, element_bytes))));
  }
  return texts;
}

/// Fills an Inspection step by step.
class Collector {
 public:
  Collector(const core::ByteSource& source, const tensor::PtFile& file, const InspectOptions& options)
      : source_(source), file_(file), options_(options) {}

  Inspection collect() {
    out_.file = source_.name();
    out_.file_bytes = source_.size();
    out_.container = file_.container == tensor::PtContainer::kZip ? "zip" : "legacy";
    out_.pickle_protocol = file_.pickle_protocol;
    out_.unsafe_globals = file_.unsafe_globals;
    tensor::ValueWalk walk(file_);
    while (const auto step = walk.next()) {
      visit(walk, *step);
    }
    out_.unfolded_values = walk.unfolded_values();
    if (!walk.stopped().empty()) {
      out_.stopped = walk.stopped();
    } else if (rows_left_out_ > 0) {
      out_.stopped = fmt::format("more than {} values to list", kShownRows);
    }
    out_.tensor_count = tensors_.size();
    out_.storage_count = tensors_of_storage_.size();
    for (const auto& [storage, count] : tensors_of_storage_) {
      out_.storage_bytes += file_.storages[storage].bytes;
    }
    for (InspectedRow& row : out_.rows) {
      if (row.tensor) {
        row.tensor->tensors_in_storage = tensors_of_storage_[row.tensor->reference.storage];
      }
    }
    return std::move(out_);
  }

 private:
  void visit(tensor::ValueWalk& walk, const tensor::ValueWalk::Step& step) {
    const Value value = step.value;
    const bool new_tensor = value.is(Kind::kTensor) && tensors_.insert(value.id()).second;
    if (new_tensor) {
      const tensor::TensorRef& tensor = file_.tensor(value);
      ++tensors_of_storage_[tensor.storage];
      out_.tensor_bytes += tensor.explodes() ? 0 : tensor.logical_bytes();
    }
    out_.object_count += value.is(Kind::kOpaque) && !step.met_before ? 1U : 0U;
    out_.shares_parts = out_.shares_parts || (step.met_before && !value.is(Kind::kTensor));
    const bool flat = !step.met_before && is_flat(value);
    if (options_.selects && !value.is(Kind::kTensor)) {
      if (flat) {
        walk.skip_content();
      }
      return;
    }
    if (out_.rows.size() >= kShownRows) {
      ++rows_left_out_;
      return;
    }
    InspectedRow row = make_row(walk, step, flat);
    if (!options_.selects || options_.selects(row.path)) {
      if (row.tensor && options_.values) {
        row.tensor->values = first_elements(source_, row.tensor->reference);
      }
      out_.rows.push_back(std::move(row));
    }
    if (flat) {
      walk.skip_content();
    }
  }

  InspectedRow make_row(tensor::ValueWalk& walk, const tensor::ValueWalk::Step& step, bool flat) {
    const Value value = step.value;
    InspectedRow row;
    row.path = walk.path();
    row.type = std::string(type_name(value.kind()));
    if (value.is(Kind::kTensor)) {
      const tensor::TensorRef& tensor = file_.tensor(value);
      row.tensor = InspectedTensor{tensor, file_.storages[tensor.storage].key, 1, std::nullopt};
    } else if (value.is(Kind::kOpaque)) {
      const tensor::OpaqueObject& object = file_.opaques[value.index()];
      row.content = object.module.empty() ? object.name : object.module + "." + object.name;
    } else if (flat) {
      row.content = flat_text(value);
    } else if (is_container(value.kind())) {
      row.content = fmt::format(
          "{} {}", value.size(),
          value.is_dict() ? (value.size() == 1 ? "entry" : "entries") : (value.size() == 1 ? "item" : "items"));
    } else {
      row.content = scalar_text(value);
    }
    if (step.met_before && !value.is(Kind::kTensor)) {
      row.is_repeated = true;
      row.contains_itself = step.inside_itself;
      row.same_as = walk.first_path(value.id());
    }
    return row;
  }

  const core::ByteSource& source_;
  const tensor::PtFile& file_;
  const InspectOptions& options_;
  Inspection out_;
  std::set<core::NodeId> tensors_;
  std::unordered_map<std::uint32_t, std::uint64_t> tensors_of_storage_;
  std::uint64_t rows_left_out_ = 0;
};

}  // namespace

Inspection inspect(const core::ByteSource& source, const tensor::PtFile& file, const InspectOptions& options) {
  return Collector(source, file, options).collect();
}

}  // namespace rlverify::report
