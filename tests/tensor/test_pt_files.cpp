// SPDX-License-Identifier: Apache-2.0
// Whole files: those that tests/data/make_pt_files.py wrote (the layout of a current PyTorch, and hostile ones), and
// real ones where they are at hand.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/python_value.h"
#include "tensor/pt_builder.h"
#include "tensor/value_walk.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using core::Kind;
using tensor::DType;
using tensor::UnsafePolicy;

namespace {

/// A file of tests/data/pt, read through the file source.
struct FileOnDisk {
  explicit FileOnDisk(const std::string& path, UnsafePolicy policy = UnsafePolicy::kRefuse)
      : source(core::open_file(path)), file(tensor::read_pt(*source, policy)) {}
  std::unique_ptr<core::ByteSource> source;
  tensor::PtFile file;
};
std::string data_path(const std::string& name) {
  return std::string(RLVERIFY_TEST_DATA) + "/pt/" + name + ".pt";
}

std::string refusal_of(const std::string& path) {
  try {
    FileOnDisk read(path);
    return "";
  } catch (const core::ArtifactError& error) {
    return error.problem().text();
  }
}

template <class Number>
std::vector<Number> elements(const FileOnDisk& on_disk, core::Value value) {
  const std::vector<std::byte> bytes = tensor::read_elements(*on_disk.source, on_disk.file.tensor(value));
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(numbers.data()));
  return numbers;
}

/// Folder of real files by PyTorch, where the machine has it.
std::filesystem::path shared_files() {
  const char* shared = std::getenv("RLVERIFY_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(RLVERIFY_SOURCE_DIR) / ".." / "shared";
  return root / "corpus" / "torch-files";
}

}  // namespace

TEST_CASE("files laid out as a current PyTorch lays them out, in protocols 2 to 5") {
  for (const char* name : {"nested_p2", "nested_p3", "nested_p4", "nested_p5"}) {
    CAPTURE(name);
    const FileOnDisk read(data_path(name));
    const core::Value root = read.file.root();
    CHECK(read.file.pickle_protocol == name[8] - '0');
    CHECK(elements<float>(read, root.path({"model", "layers.0.weight"})) == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(elements<float>(read, root.path({"model", "layers.0.transposed"})) == std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(core::python_repr(root.get("numbers")) ==
          "[0, 255, 65536, -1, 2147483648, -9223372036854775808, 18446744073709551616, -1180591620717411303424, 1.5, "
          "True, None, (2+3j)]");
    CHECK(core::python_repr(root.get("one")) == "[7]");
    CHECK(root.get("texts").at(2).text() == "h\xc3\xa9 \xf0\x9f\x98\x80");
    CHECK(root.get("texts").at(3).is(Kind::kBytes));
    CHECK(root.get("texts").at(4).text() == "\x00\xff"s);
    CHECK(root.get("texts").at(5).text() == "xy");
    CHECK(root.path({"sets", "set"}).is(Kind::kSet));
    CHECK(root.path({"sets", "frozen"}).is(Kind::kFrozenSet));
    CHECK(root.get("types").at(0).text() == "torch.bfloat16");
    CHECK(core::python_repr(root.get("types").at(1)) == "(2, 3)");
    CHECK(root.get("types").at(2).text() == "cuda:0");
    REQUIRE(root.get("long").size() == 1200);
    CHECK(root.get("long").at(1199).integer() == 1199);
  }
}

TEST_CASE("tensors of the dtypes that only _rebuild_tensor_v3 has") {
  const FileOnDisk read(data_path("rebuild_v3"));
  const core::Value wide = read.file.root().get("u16");
  CHECK(read.file.tensor(wide).dtype == DType::kUint16);
  CHECK(elements<std::uint16_t>(read, wide) == std::vector<std::uint16_t>{2, 65535, 4});
  CHECK(read.file.tensor(read.file.root().get("f8")).dtype == DType::kFloat8E4m3fn);
}

TEST_CASE("a parameter, a conjugated view and the old container from disk") {
  const FileOnDisk parameter(data_path("parameter"));
  CHECK(parameter.file.tensor(parameter.file.root()).is_parameter);
  const FileOnDisk conjugate(data_path("conjugate"));
  CHECK(elements<float>(conjugate, conjugate.file.root()) == std::vector<float>{1, -2});
  const FileOnDisk legacy(data_path("legacy"));
  CHECK(elements<float>(legacy, legacy.file.root().get("w")) == std::vector<float>{1, 2, 4, 5});
}

TEST_CASE("a big-endian file and an unsafe one are refused with their reason") {
  CHECK_THAT(refusal_of(data_path("big_endian")),
             Contains("big_endian.pt: at byte 576: expected byte order \"little\", found \"big\""));
  CHECK_THAT(refusal_of(data_path("unsafe")), Contains("opcode GLOBAL naming posix.system"));
}

TEST_CASE("hostile files get their answer at once") {
  const auto start = std::chrono::steady_clock::now();
  const FileOnDisk unsafe(data_path("unsafe"), UnsafePolicy::kReport);
  CHECK(unsafe.file.unsafe_globals.size() == 1);
  CHECK(tensor::find_tensors(unsafe.file).tensors.size() == 1);
  const FileOnDisk strides(data_path("exploding_strides"));
  CHECK(strides.file.tensor(strides.file.root()).explodes());
  const FileOnDisk nesting(data_path("exploding_nesting"));
  CHECK(tensor::find_tensors(nesting.file).shared.size() == 59);
  const FileOnDisk itself(data_path("contains_itself"));
  CHECK(tensor::find_tensors(itself.file).shared.at(0).inside_itself);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
}

TEST_CASE("real files by PyTorch are read right or refused with a clear reason") {
  const std::filesystem::path folder = shared_files();
  if (!std::filesystem::is_directory(folder)) {
    WARN("skipped: the shared acceptance folder is not here");
    return;
  }
  const std::map<std::string, DType> single{{"bfloat16", DType::kBfloat16},
                                            {"float16", DType::kFloat16},
                                            {"float64", DType::kFloat64},
                                            {"int64", DType::kInt64},
                                            {"bool", DType::kBool}};
  for (const auto& [name, dtype] : single) {
    const FileOnDisk read((folder / (name + ".pt")).string());
    CHECK(read.file.tensor(read.file.root().get("tensor")).dtype == dtype);
  }
  const FileOnDisk special((folder / "special_values.pt").string());
  const auto values = elements<float>(special, special.file.root().get("tensor"));
  REQUIRE(values.size() == 5);
  CHECK((values[0] != values[0] && values[1] > 3e38F && values[2] < -3e38F && values[3] == 0.0F && values[4] == 1.0F));
  const FileOnDisk fortran((folder / "fortran_tensor_3d.pth").string());
  const core::Value cube = fortran.file.root().get("tensor_fortran");
  CHECK(fortran.file.tensor(cube).strides == std::vector<std::int64_t>{1, 2, 6});
  CHECK(elements<std::int64_t>(fortran, cube).size() == 24);
  const FileOnDisk checkpoint((folder / "checkpoint.pt").string());
  CHECK(checkpoint.file.root().get("epoch").integer() == 42);
  CHECK(tensor::find_tensors(checkpoint.file).tensors.size() == 5);
  const FileOnDisk legacy((folder / "simple_legacy.pt").string());
  CHECK(legacy.file.container == tensor::PtContainer::kLegacy);
  CHECK(legacy.file.tensor(legacy.file.root().get("weight")).shape == std::vector<std::uint64_t>{2, 3});
  const FileOnDisk shared((folder / "legacy_shared_storage.pt").string());
  CHECK(elements<float>(shared, shared.file.root().get("view2")).size() == 20);
  for (const char* name : {"tensor_3d.pt", "state_dict.pt", "buffers.pt", "candle_test.pt"}) {
    CHECK(refusal_of((folder / name).string()).empty());
  }
  CHECK_THAT(refusal_of((folder / "broken.pt").string()), Contains("a file of torch.save"));
  CHECK_THAT(refusal_of((folder / "jfk-codes.safetensors").string()), Contains("a file of torch.save"));
}
