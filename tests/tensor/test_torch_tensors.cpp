// SPDX-License-Identifier: Apache-2.0
// Tensors as references: what a rebuild call means, and every way in which it may not fit its storage.
#include <catch2/catch.hpp>

#include "tensor/pt_builder.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using core::Kind;
using tensor::DType;
using tensor::TensorRef;

namespace {

const std::string kSix = raw<float>({0, 1, 2, 3, 4, 5});
std::string six() {
  return storage("FloatStorage", "0", 6);
}

Loaded load_six(std::string_view body) {
  return load(pt_zip(body, {{"0", kSix}}));
}
std::string six_refusal(std::string_view body) {
  return refusal(pt_zip(body, {{"0", kSix}}));
}

}  // namespace

TEST_CASE("a contiguous tensor") {
  const Loaded loaded = load_six(tensor_v2(six(), 0, {2, 3}, {3, 1}));
  const TensorRef& tensor = loaded.file.tensor(loaded.root());
  CHECK(tensor.dtype == DType::kFloat32);
  CHECK(tensor.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(tensor.element_count == 6);
  CHECK(tensor.storage_bytes == 24);
  CHECK(tensor.is_contiguous());
  CHECK_FALSE(tensor.is_parameter);
  CHECK(loaded.elements<float>(loaded.root()) == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("views: offset, transposed, broadcast, 0-d, empty") {
  const Loaded offset = load_six(tensor_v2(six(), 2, {3}, {1}));
  CHECK(offset.elements<float>(offset.root()) == std::vector<float>{2, 3, 4});
  const Loaded transposed = load_six(tensor_v2(six(), 0, {3, 2}, {1, 3}));
  CHECK_FALSE(transposed.file.tensor(transposed.root()).is_contiguous());
  CHECK(transposed.elements<float>(transposed.root()) == std::vector<float>{0, 3, 1, 4, 2, 5});
  const Loaded broadcast = load_six(tensor_v2(six(), 1, {2, 2}, {0, 1}));
  CHECK(broadcast.elements<float>(broadcast.root()) == std::vector<float>{1, 2, 1, 2});
  const Loaded scalar = load_six(tensor_v2(six(), 5, {}, {}));
  CHECK(scalar.elements<float>(scalar.root()) == std::vector<float>{5});
  const Loaded empty = load_six(tensor_v2(six(), 6, {0, 3}, {3, 1}));
  CHECK(empty.elements<float>(empty.root()).empty());
}

TEST_CASE("a shape with a 0 may have other dimensions of any size") {
  const Loaded loaded = load_six(tensor_v2(six(), 0, {1000000000000, 0, 1000000000000}, {1, 1, 1}));
  CHECK(loaded.file.tensor(loaded.root()).element_count == 0);
}

TEST_CASE("two tensors on one storage share it") {
  const Loaded loaded = load_six("](" + tensor_v2(six(), 0, {3}, {1}) + tensor_v2(six(), 3, {3}, {1}) + "e");
  CHECK(loaded.file.storages.size() == 1);
  CHECK(loaded.file.tensor(loaded.root().at(0)).storage == loaded.file.tensor(loaded.root().at(1)).storage);
}

TEST_CASE("_rebuild_tensor, _rebuild_tensor_v3 and untyped storages") {
  const Loaded first = load_six(global("torch._utils", "_rebuild_tensor") + "(" + six() + "K\x01" + integers({2}) +
                                integers({1}) + "tR");
  CHECK(first.elements<float>(first.root()) == std::vector<float>{1, 2});
  const std::string untyped =
      "(" + text("storage") + global("torch.storage", "UntypedStorage") + text("0") + text("cpu") + integer(24) + "tQ";
  const std::string v3 = global("torch._utils", "_rebuild_tensor_v3") + "(" + untyped + "K\x02" + integers({2, 2}) +
                         integers({2, 1}) + "\x89" + global("collections", "OrderedDict") + ")R" +
                         global("torch", "uint16") + "tR";
  const Loaded third = load_six(v3);
  CHECK(third.file.tensor(third.root()).dtype == DType::kUint16);
  CHECK(third.file.tensor(third.root()).data_offset == third.file.storages[0].offset + 4);
}

TEST_CASE("parameters, with and without state, and tensors with attributes") {
  const std::string tensor = tensor_v2(six(), 0, {6}, {1});
  const Loaded plain = load_six(global("torch._utils", "_rebuild_parameter") + tensor + "\x88" +
                                global("collections", "OrderedDict") + ")R\x87R");
  CHECK(plain.file.tensor(plain.root()).is_parameter);
  const Loaded stateful = load_six(global("torch._utils", "_rebuild_parameter_with_state") + "(" + tensor + "\x88" +
                                   global("collections", "OrderedDict") + ")R}" + text("tag") + "K\x01stR");
  CHECK(stateful.file.tensor(stateful.root()).is_parameter);
  CHECK(stateful.file.attributes.size() == 1);
  const std::string arguments = "(" + six() + "K\x00"s + integers({6}) + integers({1}) + "\x89}t";
  const Loaded typed =
      load_six(global("torch._tensor", "_rebuild_from_type_v2") + "(" + global("torch._utils", "_rebuild_tensor_v2") +
               global("torch", "Tensor") + arguments + "}" + text("tag") + "K\x01stR");
  CHECK(typed.root().is(Kind::kTensor));
  CHECK(typed.file.attributes.size() == 1);
}

TEST_CASE("lazily conjugated and negated views are resolved") {
  const std::string bytes = raw<float>({1, 2, 3, -4});
  const auto load_with = [&](const std::string& metadata) {
    return load(pt_zip(tensor_v2(storage("ComplexFloatStorage", "0", 2), 0, {2}, {1}, metadata), {{"0", bytes}}));
  };
  const Loaded conjugate = load_with("}" + text("conj") + "\x88s");
  CHECK(conjugate.file.tensor(conjugate.root()).conjugate);
  CHECK(conjugate.elements<float>(conjugate.root()) == std::vector<float>{1, -2, 3, 4});
  const Loaded negative = load_with("}" + text("neg") + "\x88s");
  CHECK(negative.elements<float>(negative.root()) == std::vector<float>{-1, -2, -3, 4});
}

TEST_CASE("a storage saved for itself is a one-dimensional tensor in an object") {
  const Loaded loaded = load_six(six());
  REQUIRE(loaded.root().is(Kind::kOpaque));
  const core::Value state(loaded.file.values, loaded.file.opaques[loaded.root().index()].state);
  REQUIRE(state.is(Kind::kTensor));
  CHECK(loaded.elements<float>(state) == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("tensors that leave their storage are refused") {
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {7}, {1})), Contains("a tensor inside the 6 elements of its storage"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 1, {6}, {1})), Contains("inside the 6 elements"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {2, 3}, {4, 1})), Contains("inside the 6 elements"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 6, {}, {})), Contains("inside the 6 elements"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 7, {0}, {1})), Contains("inside the 6 elements"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {2, 2}, {9223372036854775807, 9223372036854775807})),
             Contains("inside the 6 elements"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 9223372036854775807, {2}, {1})), Contains("inside the 6 elements"));
}

TEST_CASE("sizes that are no sizes are refused") {
  CHECK_THAT(six_refusal(tensor_v2(six(), -1, {1}, {1})), Contains("storage offset (an int, 0 or more), found -1"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {-1}, {1})), Contains("shape (an int, 0 or more), found -1"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {1}, {-1})), Contains("strides (an int, 0 or more), found -1"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {1, 1}, {1})), Contains("2 strides, found 1"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1))),
             Contains("at most 64 ints"));
  CHECK_THAT(six_refusal(tensor_v2(six(), 0, {1LL << 40, 1LL << 40}, {0, 0})),
             Contains("limit: expected a tensor of at most"));
  CHECK_THAT(six_refusal(global("torch._utils", "_rebuild_tensor_v2") + "(" + six() + "tR"), Contains("an argument 1"));
  CHECK_THAT(six_refusal(tensor_v2("K\x01", 0, {1}, {1})), Contains("a tensor's storage, found an int"));
}

TEST_CASE("storages that don't fit the archive are refused") {
  CHECK_THAT(six_refusal(tensor_v2(storage("FloatStorage", "9", 6), 0, {6}, {1})),
             Contains("an entry \"top/data/9\", found none"));
  CHECK_THAT(six_refusal(tensor_v2(storage("FloatStorage", "0", 7), 0, {6}, {1})),
             Contains("with 7 elements of torch.float32, found 24 bytes"));
  CHECK_THAT(six_refusal(tensor_v2(storage("FloatStorage", "0", 5), 0, {5}, {1})), Contains("with 5 elements"));
  CHECK_THAT(six_refusal("](" + six() + storage("IntStorage", "0", 6) + "e"), Contains("torch.int32"));
  CHECK_THAT(six_refusal(storage("QUInt4x2Storage", "0", 6)),
             Contains("a storage class of PyTorch, found torch.QUInt4x2Storage"));
  CHECK_THAT(six_refusal(storage("FloatStorage", "0", 6, "(" + text("v") + "K\x00K\x01t"s)),
             Contains("a storage of its own"));
  CHECK_THAT(six_refusal("K\x01Q"), Contains("a persistent id"));
  CHECK(six_refusal(storage("FloatStorage", "0", 6, "N")).empty());
}

TEST_CASE("exploding strides are told, not walked") {
  const Loaded loaded = load_six(tensor_v2(six(), 0, {1000000, 1000000}, {0, 0}));
  const TensorRef& tensor = loaded.file.tensor(loaded.root());
  CHECK(tensor.explodes());
  CHECK(tensor.element_count == 1000000000000ULL);
  CHECK_THROWS_AS(tensor::read_elements(*loaded.source, tensor), core::ArtifactError);
  CHECK(tensor::read_element_range(*loaded.source, tensor, 999999999990ULL, 10).size() == 40);
}

TEST_CASE("big-endian files, unknown formats and archives without a pickle are refused") {
  const auto with = [](const std::string& name, const std::string& content) {
    return refusal(zip({{"t/data.pkl", pickle("N")}, {"t/" + name, content}}));
  };
  CHECK(with("byteorder", "little").empty());
  CHECK_THAT(with("byteorder", "big"), Contains("byte order \"little\", found \"big\""));
  CHECK(with("version", "10\n").empty());
  CHECK_THAT(with("version", "11\n"), Contains("container format 10 or older"));
  CHECK_THAT(with("version", "x"), Contains("container format"));
  CHECK_THAT(refusal(zip({{"t/other", "1"}})), Contains("with a data.pkl in its folder"));
  CHECK_THAT(refusal(zip({{"data.pkl", pickle("N")}})), Contains("with a data.pkl in its folder"));
  CHECK_THAT(refusal(zip({{"a/data.pkl", pickle("N")}, {"b/data.pkl", pickle("N")}})), Contains("one data.pkl"));
  CHECK_THAT(refusal(zip({{"t/data.pkl", pickle("N"), {}, 0, 8, -1, -1, 1}})), Contains("the file is damaged"));
  CHECK_THAT(refusal(""), Contains("an empty file"));
  CHECK_THAT(refusal("abc"), Contains("a file of torch.save"));
}
