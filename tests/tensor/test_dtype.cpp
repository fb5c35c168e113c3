// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tensor/dtype.h"

using namespace rlverify::tensor;

TEST_CASE("every dtype is found again by each of its names") {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    CHECK_FALSE(torch_name(dtype).empty());
    if (torch_name(dtype).substr(0, 6) == "torch.") {
      CHECK(dtype_from_torch_name(torch_name(dtype)) == dtype);
      CHECK(dtype_from_torch_name(torch_name(dtype).substr(6)) == dtype);
    }
    if (!safetensors_name(dtype).empty()) {
      CHECK(dtype_from_safetensors_name(safetensors_name(dtype)) == dtype);
    }
  }
}

TEST_CASE("sizes and families") {
  CHECK(bytes_per_element(DType::kBfloat16) == 2);
  CHECK(bits_per_element(DType::kFloat6E2m3) == 6);
  CHECK(bytes_per_element(DType::kFloat4E2m1) == 0);
  CHECK(bytes_per_element(DType::kComplex128) == 16);
  CHECK(is_floating(DType::kFloat8E8m0fnu));
  CHECK_FALSE(is_floating(DType::kComplex64));
  CHECK(is_complex(DType::kComplex32));
  CHECK(is_integer(DType::kQuint8));
  CHECK_FALSE(is_integer(DType::kBool));
}

TEST_CASE("storage classes and PyTorch's short names") {
  CHECK(dtype_from_storage_class("BFloat16Storage") == DType::kBfloat16);
  CHECK(dtype_from_storage_class("UntypedStorage") == DType::kUint8);
  CHECK(dtype_from_storage_class("CharStorage") == DType::kInt8);
  CHECK_FALSE(dtype_from_storage_class("").has_value());
  CHECK_FALSE(dtype_from_storage_class("Storage").has_value());
  CHECK(dtype_from_torch_name("torch.half") == DType::kFloat16);
  CHECK(dtype_from_torch_name("long") == DType::kInt64);
  CHECK_FALSE(dtype_from_torch_name("torch.F4").has_value());
  CHECK_FALSE(dtype_from_torch_name("").has_value());
  CHECK_FALSE(dtype_from_safetensors_name("").has_value());
}
