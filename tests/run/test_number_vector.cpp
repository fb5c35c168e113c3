// SPDX-License-Identifier: Apache-2.0
// Vectors of numbers in pickled payloads: tensors of any layout, and lists as torch.as_tensor reads them.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "core/test_support.h"
#include "run/number_vector.h"
#include "run/pt_test_support.h"

namespace rlverify::run {
namespace {

using core::test::problem_of;
using rlverify::test::PtTensor;
using rlverify::test::PtValue;
using tensor::DType;
using test::ReadBack;

template <typename T>
std::vector<T> elements(const ReadBack& read) {
  const NumberVector vector = number_vector(read.file, read.file.root(), "test.pt", "field");
  const ElementBytes bytes = load(*read.source, vector);
  REQUIRE(bytes.view.size() == vector.element_count * sizeof(T));
  std::vector<T> values(vector.element_count);
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.view.data(), bytes.view.size());
  }
  return values;
}

DType dtype_of(const PtValue& payload) {
  const ReadBack read(payload);
  return number_vector(read.file, read.file.root(), "test.pt", "field").dtype;
}

std::string refusal(const PtValue& payload) {
  const ReadBack read(payload);
  return problem_of([&read] { static_cast<void>(number_vector(read.file, read.file.root(), "test.pt", "field")); })
      .text();
}

std::int64_t whole(const PtValue& payload, std::int64_t minimum = 0) {
  const ReadBack read(payload);
  return whole_number(*read.source, read.file, read.file.root(), minimum, "field");
}

}  // namespace

TEST_CASE("A contiguous tensor is viewed in place, a strided one is gathered") {
  CHECK(elements<float>(ReadBack(rlverify::test::float_tensor({-1.5F, 0.0F}))) == std::vector<float>{-1.5F, 0.0F});
  PtTensor view = rlverify::test::float_tensor({0, 1, 2, 3, 4, 5});
  view.shape = {2, 2};
  view.strides = {1, 2};
  view.storage_offset = 1;
  CHECK(elements<float>(ReadBack(view)) == std::vector<float>{1, 3, 2, 4});
  view.shape = {3};
  view.strides = {0};
  CHECK(elements<float>(ReadBack(view)) == std::vector<float>{1, 1, 1});
  CHECK(elements<float>(ReadBack(rlverify::test::float_tensor({}))).empty());
}

TEST_CASE("A list is read as torch.as_tensor reads it: the widest type wins") {
  CHECK(elements<float>(ReadBack(PtValue::List{-0.5, -0.25})) == std::vector<float>{-0.5F, -0.25F});
  CHECK(elements<float>(ReadBack(PtValue::List{1, 0.1, true})) == std::vector<float>{1.0F, 0.1F, 1.0F});
  CHECK(elements<std::int64_t>(ReadBack(PtValue::List{1, true, 0})) == std::vector<std::int64_t>{1, 1, 0});
  CHECK(elements<std::uint8_t>(ReadBack(PtValue::List{true, false})) == std::vector<std::uint8_t>{1, 0});
  CHECK(elements<float>(ReadBack(PtValue::List{PtValue::List{1.0, 2.0}, PtValue::List{3.0, 4.0}})) ==
        std::vector<float>{1, 2, 3, 4});
  CHECK(elements<std::int64_t>(ReadBack(PtValue::Tuple{{1, 2}})) == std::vector<std::int64_t>{1, 2});
  CHECK(dtype_of(PtValue::List{}) == DType::kFloat32);
  CHECK(elements<std::int64_t>(ReadBack(PtValue(7))) == std::vector<std::int64_t>{7});
}

TEST_CASE("What is no vector of numbers is named") {
  CHECK(refusal(PtValue::List{-0.5, PtValue(), -0.2}).find("field[1]") != std::string::npos);
  CHECK(refusal(PtValue::List{-0.5, PtValue(), -0.2}).find("null") != std::string::npos);
  CHECK(refusal(PtValue::List{-0.5, "NaN"}).find("'NaN'") != std::string::npos);
  CHECK(refusal(PtValue::List{PtValue::List{1}, PtValue::List{1, 2}}).find("different lengths") != std::string::npos);
  CHECK(refusal(PtValue::List{1, PtValue::List{1}}).find("list") != std::string::npos);
  CHECK(refusal(PtValue::List{PtValue::List{1}, 1}).find("beside a list") != std::string::npos);
  CHECK(refusal("text").find("the string 'text'") != std::string::npos);
  CHECK(refusal(PtValue()).find("None") != std::string::npos);
  CHECK(refusal(PtValue::Dict{}).find("a dict of 0") != std::string::npos);
  PtValue deep = 1;
  for (int i = 0; i < 12; ++i) {
    deep = PtValue::List{deep};
  }
  CHECK(refusal(deep).find("deeper") != std::string::npos);
}

TEST_CASE("A tensor that unfolds far beyond its storage is refused") {
  PtTensor exploding = rlverify::test::float_tensor({1.0F});
  exploding.shape = {1'000'000'000'000};
  exploding.strides = {0};
  CHECK(refusal(exploding).find("64 times its storage") != std::string::npos);
}

TEST_CASE("Whole numbers: ints and 0-d integer tensors, no booleans") {
  CHECK(whole(3) == 3);
  CHECK(whole(rlverify::test::scalar_tensor(5)) == 5);
  CHECK_THROWS_AS(whole(true), core::ArtifactError);
  CHECK_THROWS_AS(whole(3.0), core::ArtifactError);
  CHECK_THROWS_AS(whole("3"), core::ArtifactError);
  CHECK_THROWS_AS(whole(-1), core::ArtifactError);
  CHECK_THROWS_AS(whole(0, 1), core::ArtifactError);
  CHECK_THROWS_AS(whole(rlverify::test::long_tensor({5})), core::ArtifactError);
  CHECK_THROWS_AS(whole(rlverify::test::scalar_tensor(-5)), core::ArtifactError);
}

}  // namespace rlverify::run
