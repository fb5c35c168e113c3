// SPDX-License-Identifier: Apache-2.0
// One table of element types; every question is a look-up in it, so that a new type is one row.
#include "tensor/dtype.h"

#include <array>
#include <cstddef>

namespace rlverify::tensor {
namespace {

enum class Family : std::uint8_t { kBool, kInteger, kFloating, kComplex };

struct Row {
  DType dtype;
  std::uint8_t bits;
  Family family;
  std::string_view torch;          // empty where PyTorch has no such type
  std::string_view safetensors;    // empty where safetensors has no such type
  std::string_view storage_class;  // of typed storages, which only the older types have
};

constexpr std::array<Row, kDTypeCount> kRows{{
    {DType::kBool, 8, Family::kBool, "torch.bool", "BOOL", "BoolStorage"},
    {DType::kUint8, 8, Family::kInteger, "torch.uint8", "U8", "ByteStorage"},
    {DType::kInt8, 8, Family::kInteger, "torch.int8", "I8", "CharStorage"},
    {DType::kInt16, 16, Family::kInteger, "torch.int16", "I16", "ShortStorage"},
    {DType::kUint16, 16, Family::kInteger, "torch.uint16", "U16", ""},
    {DType::kInt32, 32, Family::kInteger, "torch.int32", "I32", "IntStorage"},
    {DType::kUint32, 32, Family::kInteger, "torch.uint32", "U32", ""},
    {DType::kInt64, 64, Family::kInteger, "torch.int64", "I64", "LongStorage"},
    {DType::kUint64, 64, Family::kInteger, "torch.uint64", "U64", ""},
    {DType::kFloat16, 16, Family::kFloating, "torch.float16", "F16", "HalfStorage"},
    {DType::kBfloat16, 16, Family::kFloating, "torch.bfloat16", "BF16", "BFloat16Storage"},
    {DType::kFloat32, 32, Family::kFloating, "torch.float32", "F32", "FloatStorage"},
    {DType::kFloat64, 64, Family::kFloating, "torch.float64", "F64", "DoubleStorage"},
    {DType::kFloat8E4m3fn, 8, Family::kFloating, "torch.float8_e4m3fn", "F8_E4M3", ""},
    {DType::kFloat8E5m2, 8, Family::kFloating, "torch.float8_e5m2", "F8_E5M2", ""},
    {DType::kFloat8E4m3fnuz, 8, Family::kFloating, "torch.float8_e4m3fnuz", "F8_E4M3FNUZ", ""},
    {DType::kFloat8E5m2fnuz, 8, Family::kFloating, "torch.float8_e5m2fnuz", "F8_E5M2FNUZ", ""},
    {DType::kFloat8E8m0fnu, 8, Family::kFloating, "torch.float8_e8m0fnu", "F8_E8M0", ""},
    {DType::kComplex32, 32, Family::kComplex, "torch.complex32", "", "ComplexHalfStorage"},
    {DType::kComplex64, 64, Family::kComplex, "torch.complex64", "C64", "ComplexFloatStorage"},
    {DType::kComplex128, 128, Family::kComplex, "torch.complex128", "", "ComplexDoubleStorage"},
    {DType::kFloat4E2m1, 4, Family::kFloating, "", "F4", ""},
    {DType::kFloat6E2m3, 6, Family::kFloating, "", "F6_E2M3", ""},
    {DType::kFloat6E3m2, 6, Family::kFloating, "", "F6_E3M2", ""},
    {DType::kQint8, 8, Family::kInteger, "torch.qint8", "", "QInt8Storage"},
    {DType::kQuint8, 8, Family::kInteger, "torch.quint8", "", "QUInt8Storage"},
    {DType::kQint32, 32, Family::kInteger, "torch.qint32", "", "QInt32Storage"},
}};

constexpr bool rows_are_in_enum_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].dtype) != i) {
      return false;
    }
  }
  return true;
}
static_assert(rows_are_in_enum_order());

const Row& row(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

/// The names that PyTorch has beside the one it prints.
struct Alias {
  std::string_view name;
  DType dtype;
};
constexpr std::array kTorchAliases{
    Alias{"torch.half", DType::kFloat16},       Alias{"torch.float", DType::kFloat32},
    Alias{"torch.double", DType::kFloat64},     Alias{"torch.short", DType::kInt16},
    Alias{"torch.int", DType::kInt32},          Alias{"torch.long", DType::kInt64},
    Alias{"torch.chalf", DType::kComplex32},    Alias{"torch.cfloat", DType::kComplex64},
    Alias{"torch.cdouble", DType::kComplex128},
};

}  // namespace

unsigned bits_per_element(DType dtype) {
  return row(dtype).bits;
}
unsigned bytes_per_element(DType dtype) {
  return row(dtype).bits % 8 == 0 ? row(dtype).bits / 8U : 0U;
}
bool is_floating(DType dtype) {
  return row(dtype).family == Family::kFloating;
}
bool is_complex(DType dtype) {
  return row(dtype).family == Family::kComplex;
}
bool is_integer(DType dtype) {
  return row(dtype).family == Family::kInteger;
}

std::string_view torch_name(DType dtype) {
  return row(dtype).torch.empty() ? row(dtype).safetensors : row(dtype).torch;
}
std::string_view safetensors_name(DType dtype) {
  return row(dtype).safetensors;
}

std::optional<DType> dtype_from_torch_name(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  const std::string_view bare = name.substr(0, kPrefix.size()) == kPrefix ? name.substr(kPrefix.size()) : name;
  for (const Row& candidate : kRows) {
    if (!candidate.torch.empty() && candidate.torch.substr(kPrefix.size()) == bare) {
      return candidate.dtype;
    }
  }
  for (const Alias& alias : kTorchAliases) {
    if (alias.name.substr(kPrefix.size()) == bare) {
      return alias.dtype;
    }
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_safetensors_name(std::string_view name) {
  if (name.empty()) {
    return std::nullopt;
  }
  for (const Row& candidate : kRows) {
    if (candidate.safetensors == name) {
      return candidate.dtype;
    }
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_storage_class(std::string_view name) {
  // Untyped storages count bytes; their tensors bring a dtype of their own (_rebuild_tensor_v3).
  if (name == "UntypedStorage" || name == "_UntypedStorage") {
    return DType::kUint8;
  }
  if (name.empty()) {
    return std::nullopt;
  }
  for (const Row& candidate : kRows) {
    if (candidate.storage_class == name) {
      return candidate.dtype;
    }
  }
  return std::nullopt;
}

}  // namespace rlverify::tensor
