// SPDX-License-Identifier: Apache-2.0
// The CRC of entries against a known value and a plain loop, and storages that rotted after they were written.
#include <catch2/catch.hpp>
#include <random>

#include "core/test_support.h"
#include "support/pt_writer.h"
#include "tensor/crc32.h"
#include "tensor/difference_reader.h"
#include "tensor/model.h"
#include "tensor/pt_builder.h"
#include "tensor/pt_reader.h"
#include "tensor/storage_check.h"

using namespace rlverify;
using core::test::problem_of;
using rlverify::test::float_tensor;
using rlverify::test::PtStyle;
using rlverify::test::PtValue;
using rlverify::test::raw_bytes;

namespace {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 generator(1);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(generator() & 0xFFU);
  }
  return bytes;
}

PtStyle with_crc() {
  PtStyle style;
  style.with_crc = true;
  return style;
}

const std::vector<float> kFirst = {1, 2, 3, 4};
const std::vector<float> kSecond = {5, 6, 7, 8};

std::string two_tensors(const PtStyle& style = with_crc()) {
  return write_pt(PtValue::Dict{{"a", float_tensor(kFirst)}, {"b", float_tensor(kSecond)}}, "archive", style);
}

/// The file with one bit of the tensor's last byte turned.
std::string rotten(std::string file, const std::vector<float>& values) {
  const std::string bytes = raw_bytes(values);
  const std::size_t at = file.find(bytes);
  REQUIRE(at != std::string::npos);
  file[at + bytes.size() - 1] ^= 1;
  return file;
}

void check_file(const std::string& bytes) {
  const core::MemorySource source("x.pt", bytes);
  tensor::check_storages(source, tensor::read_pt(source));
}

}  // namespace

TEST_CASE("the CRC is the one that everybody computes") {
  CHECK(tensor::crc_of(core::MemorySource("m", "123456789"), 0, 9) == 0xCBF43926U);
  CHECK(tensor::crc_of(core::MemorySource("m", "123456789"), 4, 0) == 0);
}

TEST_CASE("a CRC of a source is that of its bytes, however they are had") {
  const std::vector<std::byte> bytes = random_bytes(600'000);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::size_t count : {std::size_t{1}, std::size_t{262'144}, std::size_t{262'145}, std::size_t{599'000}}) {
    const std::uint32_t expected = tensor::test::crc32(std::string_view(text).substr(3, count));
    CHECK(tensor::crc_of(core::MemorySource("m", text), 3, count) == expected);
    CHECK(tensor::crc_of(core::test::CopyingSource("c", text), 3, count) == expected);
  }
}

TEST_CASE("a storage that rotted is named with both CRCs") {
  CHECK_NOTHROW(check_file(two_tensors()));
  const core::Problem problem = problem_of([] { check_file(rotten(two_tensors(), kSecond)); });
  CHECK(problem.file == "x.pt");
  CHECK(problem.offset == two_tensors().find(raw_bytes(kSecond)));
  CHECK(problem.expected.find("\"archive/data/1\" with CRC ") == 0);
  CHECK(problem.found.find("CRC ") == 0);
  CHECK(problem.found.find(": the file is damaged") != std::string::npos);
}

TEST_CASE("a storage without a CRC is taken as it is") {
  CHECK_NOTHROW(check_file(rotten(two_tensors({}), kFirst)));
}

TEST_CASE("a difference that is rot is an error of the file, and every part says it") {
  const core::test::TemporaryFolder folder;
  const tensor::Model good = tensor::open_model(folder.write("good.pt", two_tensors()));
  const tensor::Model bad = tensor::open_model(folder.write("bad.pt", rotten(two_tensors(), kFirst)));
  tensor::BlockBuffers buffers;
  const auto compare = [&buffers](const tensor::Model& left, const tensor::Model& right, const std::string& name) {
    const tensor::ModelTensor& a = *left.find(name);
    const tensor::ModelTensor& b = *right.find(name);
    return tensor::compare_part({left.source(a.file).get(), &a.ref}, {right.source(b.file).get(), &b.ref}, 0, buffers);
  };
  for (int turn = 0; turn < 2; ++turn) {
    CHECK_THROWS_AS(compare(good, bad, "a"), core::ArtifactError);
    CHECK_THROWS_AS(compare(bad, good, "a"), core::ArtifactError);
  }
  CHECK(compare(good, bad, "b").equal());
  CHECK(compare(bad, bad, "a").equal());  // equal bytes are equal, whatever became of them
}

TEST_CASE("reading all of a rotted storage is refused at its end") {
  const core::test::TemporaryFolder folder;
  const tensor::Model bad = tensor::open_model(folder.write("bad.pt", rotten(two_tensors(), kFirst)));
  const auto read = [&bad](const std::string& name) {
    const tensor::ModelTensor& tensor = *bad.find(name);
    const auto source = bad.source(tensor.file);
    tensor::BlockBuffer buffer;
    tensor::for_each_block({source.get(), &tensor.ref}, buffer, [](std::uint64_t, std::span<const std::byte>) {});
  };
  CHECK_THROWS_AS(read("a"), core::ArtifactError);
  CHECK_NOTHROW(read("b"));
}
