// SPDX-License-Identifier: Apache-2.0
#include "libtorch_writer.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>

namespace rlverify::tensor::test {
namespace {

std::string content(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  return {static_cast<const char*>(flat.data_ptr()), flat.nbytes()};
}

std::string dtype_name(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kBool:
      return "bool";
    case at::kByte:
      return "uint8";
    case at::kChar:
      return "int8";
    case at::kShort:
      return "int16";
    case at::kInt:
      return "int32";
    case at::kLong:
      return "int64";
    case at::kHalf:
      return "float16";
    case at::kBFloat16:
      return "bfloat16";
    case at::kFloat:
      return "float32";
    case at::kDouble:
      return "float64";
    case at::kComplexFloat:
      return "complex64";
    case at::kComplexDouble:
      return "complex128";
    default:
      return "other";
  }
}

}  // namespace

WrittenFile write_with_libtorch() {
  const at::Tensor base = at::arange(60, at::kFloat).view({5, 12});
  std::vector<std::pair<std::string, at::Tensor>> tensors{{"slice", base.slice(0, 1, 3)},
                                                          {"transposed", base.t()},
                                                          {"expanded", base.slice(1, 0, 1).expand({5, 4})},
                                                          {"zero_d", at::tensor(2.5)},
                                                          {"empty", at::empty({0, 3})}};
  for (const at::ScalarType type : {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf,
                                    at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat, at::kComplexDouble}) {
    tensors.emplace_back(std::string("type_") + c10::toString(type), at::arange(7).to(type));
  }
  WrittenFile written;
  c10::Dict<std::string, at::Tensor> dict;
  for (const auto& [key, tensor] : tensors) {
    dict.insert(key, tensor);
    written.tensors.push_back(
        {key, dtype_name(tensor), std::vector<long>(tensor.sizes().begin(), tensor.sizes().end()), content(tensor)});
  }
  c10::impl::GenericDict root(c10::StringType::get(), c10::AnyType::get());
  root.insert("tensors", dict);
  root.insert("one", c10::List<at::Tensor>({at::ones({2})}));
  root.insert("many", c10::List<int64_t>({1, 2, 300, 70000, -5, 5000000000}));
  root.insert("one_int", c10::List<int64_t>({7}));
  root.insert("floats", c10::List<double>({0.5, -1e300}));
  root.insert("flags", c10::List<bool>({true, false}));
  root.insert("strings", c10::List<std::string>({"a", "b\xc3\xa9"}));
  root.insert("tuple", c10::ivalue::Tuple::create({c10::IValue(1), c10::IValue("x"), c10::IValue()}));
  const std::vector<char> bytes = torch::jit::pickle_save(root);
  written.file.assign(bytes.begin(), bytes.end());
  return written;
}

}  // namespace rlverify::tensor::test
