// SPDX-License-Identifier: Apache-2.0
// torch.as_tensor's reading of lists: one regular block of numbers, the widest type wins (bool, then int64, then
// float32).
#include "run/number_vector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "core/errors.h"
#include "core/python_value.h"
#include "tensor/element.h"

namespace rlverify::run {
namespace {

using core::Kind;
using tensor::DType;

/// Python numbers of a list, flattened; shape regularity is checked on the way.
class Flattener {
 public:
  Flattener(const std::string& file, const std::string& field) : file_(file), field_(field) {}

  void walk(core::Value value, std::size_t depth) {
    if (value.is_sequence()) {
      if (depth >= 8) {
        fail_field(file_, field_, "numbers", "lists nested deeper than 8");
      }
      if (shape_.size() == depth && !leaf_seen_) {
        shape_.push_back(value.size());
      }
      if (depth >= shape_.size() || shape_[depth] != value.size()) {
        fail_field(file_, field_, "lists of one length", "lists of different lengths");
      }
      for (std::size_t i = 0; i < value.size(); ++i) {
        walk(value.at(i), depth + 1);
      }
      return;
    }
    leaf_seen_ = true;
    if (depth != shape_.size()) {
      fail_field(file_, field_, "lists of one length", "a number beside a list");
    }
    leaf(value);
  }

  [[nodiscard]] NumberVector result() const {
    NumberVector vector;
    vector.element_count = numbers_.size();
    vector.dtype = numbers_.empty() || any_real_ ? DType::kFloat32 : any_integer_ ? DType::kInt64 : DType::kBool;
    for (const core::Value number : numbers_) {
      append(vector, number);
    }
    return vector;
  }

 private:
  void leaf(core::Value value) {
    switch (value.kind()) {
      case Kind::kReal:
        any_real_ = true;
        break;
      case Kind::kInteger:
        any_integer_ = true;
        break;
      case Kind::kBoolean:
        break;
      case Kind::kNull:
        fail_field(file_, fmt::format("{}[{}]", field_, numbers_.size()), "a number",
                   "null (an engine writes null for a non-finite value)");
      default:
        fail_field(file_, fmt::format("{}[{}]", field_, numbers_.size()), "a number", core::python_repr(value));
    }
    numbers_.push_back(value);
  }

  static void append(NumberVector& vector, core::Value number) {
    const auto push = [&vector](auto element) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&element);
      vector.converted.insert(vector.converted.end(), bytes, bytes + sizeof(element));
    };
    if (vector.dtype == DType::kFloat32) {
      push(static_cast<float>(number.is(Kind::kReal) ? number.real() : static_cast<double>(number.integer())));
    } else if (vector.dtype == DType::kInt64) {
      push(number.integer());
    } else {
      push(static_cast<std::uint8_t>(number.boolean()));
    }
  }

  const std::string& file_;
  const std::string& field_;
  std::vector<std::size_t> shape_;
  std::vector<core::Value> numbers_;
  bool leaf_seen_ = false;
  bool any_real_ = false;
  bool any_integer_ = false;
};

}  // namespace

void fail_field(const std::string& file, const std::string& field, const std::string& expected,
                const std::string& found) {
  core::Problem problem;
  problem.file = file;
  problem.expected = field + ": " + expected;
  problem.found = found;
  throw core::ArtifactError(std::move(problem));
}

NumberVector number_vector(const tensor::PtFile& file, core::Value value, const std::string& file_name,
                           const std::string& field) {
  if (value.is(Kind::kTensor)) {
    const tensor::TensorRef& tensor = file.tensor(value);
    if (tensor.explodes()) {
      fail_field(file_name, field, "a tensor of at most 64 times its storage",
                 fmt::format("{} elements over {} bytes", tensor.element_count, tensor.storage_bytes));
    }
    if (tensor.conjugate || tensor.negative) {
      fail_field(file_name, field, "a plain tensor", "a lazily conjugated or negated view");
    }
    return {tensor.dtype, tensor.element_count, &tensor, {}};
  }
  const bool scalar = value.is(Kind::kReal) || value.is(Kind::kInteger) || value.is(Kind::kBoolean);
  if (!value.is_sequence() && !scalar) {
    fail_field(file_name, field, "a tensor or a list of numbers", describe(file, value));
  }
  Flattener flattener(file_name, field);
  flattener.walk(value, 0);
  return flattener.result();
}

ElementBytes load(const core::ByteSource& source, const NumberVector& vector) {
  ElementBytes bytes;
  if (vector.tensor == nullptr) {
    bytes.view = vector.converted;
    return bytes;
  }
  const std::span<const std::byte> memory = source.memory();
  if (!memory.empty() && vector.tensor->is_contiguous()) {
    bytes.view = memory.subspan(vector.tensor->data_offset, vector.tensor->logical_bytes());
    return bytes;
  }
  bytes.owned = tensor::read_elements(source, *vector.tensor);
  bytes.view = bytes.owned;
  return bytes;
}

std::int64_t whole_number(const core::ByteSource& source, const tensor::PtFile& file, core::Value value,
                          std::int64_t minimum, const std::string& field) {
  std::optional<std::int64_t> number;
  if (value.is_integer()) {
    number = value.integer();
  } else if (value.is(Kind::kTensor)) {
    const tensor::TensorRef& tensor = file.tensor(value);
    if (tensor.shape.empty() && tensor::is_integer(tensor.dtype)) {
      const std::vector<std::byte> bytes = tensor::read_elements(source, tensor);
      number = tensor::integer_element(tensor.dtype, bytes.data());
    }
  }
  if (!number || *number < minimum) {
    fail_field(source.name(), field, fmt::format("an integer of at least {}", minimum), describe(file, value));
  }
  return *number;
}

std::string describe(const tensor::PtFile& file, core::Value value) {
  if (!value.present()) {
    return "nothing";
  }
  switch (value.kind()) {
    case Kind::kList:
      return fmt::format("a list of {}", value.size());
    case Kind::kTuple:
      return fmt::format("a tuple of {}", value.size());
    case Kind::kDict:
      return fmt::format("a dict of {}", value.size());
    case Kind::kSet:
    case Kind::kFrozenSet:
      return fmt::format("a set of {}", value.size());
    case Kind::kTensor:
      return fmt::format("a tensor [{}] {}", fmt::join(file.tensor(value).shape, ", "),
                         tensor::torch_name(file.tensor(value).dtype));
    case Kind::kOpaque:
      return "an object of " + file.opaques[value.index()].module + "." + file.opaques[value.index()].name;
    case Kind::kString:
    case Kind::kBytes:
      return "the string " + core::python_repr(value.text().substr(0, 80));
    case Kind::kType:
      return "the type " + std::string(value.text().substr(0, 80));
    default:
      return core::python_repr(value);
  }
}

}  // namespace rlverify::run
