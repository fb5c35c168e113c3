// SPDX-License-Identifier: Apache-2.0
// The safetensors header: what it promises is read, and every promise that a file breaks is named.
#include <catch2/catch.hpp>
#include <chrono>

#include "core/test_support.h"
#include "tensor/safetensors_builder.h"
#include "tensor/safetensors_reader.h"

using namespace rlverify;
using core::test::CopyingSource;
using core::test::problem_of;
using tensor::DType;
using tensor::read_safetensors;
using namespace tensor::test;

namespace {

core::Problem fault_of(const std::string& bytes) {
  const core::MemorySource memory("f", bytes);
  const CopyingSource copying("f", bytes);
  const core::Problem problem = problem_of([&] { (void)read_safetensors(copying); });
  CHECK(problem.text() == problem_of([&] { (void)read_safetensors(memory); }).text());
  return problem;
}

core::Problem header_fault(std::string_view json, std::string_view data = "") {
  return fault_of(safetensors_file(json, data));
}

bool mentions(const core::Problem& problem, std::string_view text) {
  INFO(problem.text());
  return problem.text().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a safetensors file gives names, dtypes, shapes and places in header order", "[safetensors]") {
  const std::string bytes = safetensors({{"b", "F32", {1, 2}, raw<float>({1, -2})},
                                         {"a", "BF16", {2}, "\x80\x3f\x00\x40"s},
                                         {"scalar", "U8", {}, "x"},
                                         {"empty", "F16", {0, 7}, ""}},
                                        R"({"format":"pt","note":""})");
  const core::MemorySource source("f", bytes);
  const auto file = read_safetensors(source);
  REQUIRE(file.tensors.size() == 4);
  CHECK(file.tensors[0].name == "b");
  CHECK(file.tensors[0].ref.dtype == DType::kFloat32);
  CHECK(file.tensors[0].ref.shape == std::vector<std::uint64_t>{1, 2});
  CHECK(file.tensors[0].ref.strides == std::vector<std::int64_t>{2, 1});
  CHECK(file.tensors[0].ref.data_offset == file.header_bytes);
  CHECK(file.tensors[1].ref.data_offset == file.header_bytes + 8);
  CHECK(file.tensors[2].ref.element_count == 1);
  CHECK(file.tensors[3].ref.element_count == 0);
  CHECK(file.tensors[3].ref.is_contiguous());
  CHECK(file.metadata == std::vector<std::pair<std::string, std::string>>{{"format", "pt"}, {"note", ""}});
  CHECK(tensor::read_elements(source, file.tensors[1].ref).size() == 4);
  CHECK(tensor::read_elements(source, file.tensors[1].ref)[1] == std::byte{0x3f});
}

TEST_CASE("every dtype of the format is read, sub-byte ones included", "[safetensors]") {
  const std::vector<std::pair<std::string, std::size_t>> sizes = {
      // bytes of eight elements
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
      {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64}};
  std::vector<NamedBytes> tensors;
  for (const auto& [dtype, bytes] : sizes) {
    tensors.push_back({"t." + dtype, dtype, {2, 4}, std::string(bytes, 'x')});
  }
  const core::MemorySource source("f", safetensors(tensors));
  const auto file = read_safetensors(source);
  REQUIRE(file.tensors.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(tensor::safetensors_name(file.tensors[i].ref.dtype) == sizes[i].first);
    CHECK(file.tensors[i].ref.logical_bytes() == sizes[i].second);
  }
}

TEST_CASE("data may lie in another order than the header", "[safetensors]") {
  const core::MemorySource source("f", safetensors_file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},)"
                                                        R"("e":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},)"
                                                        R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                                                        "bAA"));
  const auto file = read_safetensors(source);
  CHECK(file.tensors[0].name == "a");
  CHECK(tensor::read_elements(source, file.tensors[0].ref) == std::vector<std::byte>(2, std::byte{'A'}));
}

TEST_CASE("a name that comes twice is told by name, whatever its offsets", "[safetensors][B03]") {
  const core::Problem twice = header_fault(
      R"({"layers.0.w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"layers.0.w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      "ab");
  CHECK(mentions(twice, "duplicate tensor name \"layers.0.w\", first at byte 9"));
  CHECK(twice.offset == 8 + 62);
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                              R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                              "a"),
                 "duplicate tensor name"));
}

TEST_CASE("a file that is shorter than its header needs names both lengths and the first affected tensor",
          "[safetensors][B02]") {
  const std::string whole = safetensors({{"a", "U8", {32}, std::string(32, 'a')},
                                         {"b", "U8", {64}, std::string(64, 'b')},
                                         {"c", "U8", {8}, std::string(8, 'c')}});
  const core::Problem cut = fault_of(whole.substr(0, whole.size() - 64));
  CHECK(mentions(cut, fmt::format("{} bytes", whole.size())));
  CHECK(mentions(cut, fmt::format("{} bytes; the first affected tensor is \"b\"", whole.size() - 64)));
  CHECK(mentions(fault_of(whole.substr(0, whole.size() - 1)), "the first affected tensor is \"c\""));
  const core::Problem longer = fault_of(whole + "x");
  CHECK(mentions(longer, fmt::format("the end of the file, whose header needs {} bytes", whole.size())));
  CHECK(longer.offset == whole.size());
}

TEST_CASE("holes and overlaps are refused", "[safetensors]") {
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "ab"), "a hole"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                              R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                              "abc"),
                 "\"b\" at 1, which leaves an overlap"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                              R"("b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
                              "ab"),
                 "an overlap"));
}

TEST_CASE("sizes must agree and be countable", "[safetensors]") {
  CHECK(mentions(header_fault(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}})", "abcdefg"),
                 "8 bytes for tensor \"a\" (2 elements of F32)"));
  CHECK(
      mentions(header_fault(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "ab"), "data_offsets 1 to 0"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
                 "overflows 64 bits"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]}})"),
                 "overflows 64 bits"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", "ab"), "12 bits"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0]}})"),
                 "a size from 0 to 2^63 - 1"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})"), "found -1"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", "a"), "found 1.0"));
  // A zero anywhere makes the tensor empty, however large the rest.
  const core::MemorySource empty(
      "f", safetensors_file(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})", ""));
  CHECK(read_safetensors(empty).tensors[0].ref.element_count == 0);
}

TEST_CASE("headers of another form are refused with the place", "[safetensors]") {
  CHECK(mentions(fault_of(""), "a file of 0 bytes"));
  CHECK(mentions(fault_of("1234567"), "a file of 7 bytes"));
  CHECK(mentions(fault_of(le(0, 8)), "an empty one"));
  CHECK(mentions(fault_of(le(100'000'001, 8) + "{"), "at most 100000000 bytes"));
  CHECK(mentions(fault_of(le(10, 8) + "{}"), "at least 18 bytes"));
  CHECK(mentions(fault_of(le(~0ULL, 8) + "{}"), "at most 100000000 bytes"));
  CHECK(mentions(header_fault(" {}"), "begins with '{'"));
  CHECK(mentions(header_fault("{]"), "at byte 9"));
  CHECK(mentions(header_fault(R"({"a":1})"), "an object with dtype, shape and data_offsets for tensor \"a\""));
  CHECK(mentions(header_fault(R"({"a":[1]})"), "tensor \"a\""));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"F3","shape":[],"data_offsets":[0,0]}})"), "found \"F3\""));
  CHECK(mentions(header_fault(R"({"a":{"dtype":null,"shape":[],"data_offsets":[0,0]}})"), "a dtype name"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1,2]}})"), "a third"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0]}})"), "two byte offsets"));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","shape":[]}})"), "\"data_offsets\" of tensor \"a\""));
  CHECK(mentions(header_fault(R"({"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", "a"),
                 "one \"dtype\" of tensor \"a\""));
  CHECK(mentions(header_fault(R"({"__metadata__":{"a":1}})"), "a string in \"__metadata__\""));
  CHECK(mentions(header_fault(R"({"__metadata__":{},"__metadata__":{}})"), "one \"__metadata__\""));
}

TEST_CASE("keys that the format doesn't know are skipped, whatever they hold", "[safetensors]") {
  const core::MemorySource source(
      "f",
      safetensors_file(
          R"({"a":{"x":{"dtype":[{"shape":1}]},"dtype":"U8","y":[1,[2]],"shape":[1],"z":null,"data_offsets":[0,1]}})",
          "a"));
  CHECK(read_safetensors(source).tensors.at(0).ref.element_count == 1);
}

TEST_CASE("a header of 80,000 tensors is read in a moment", "[safetensors]") {
  std::string json = "{";
  for (int i = 0; i < 80'000; ++i) {
    json += fmt::format(R"({}"model.layers.{}.w":{{"dtype":"BF16","shape":[1],"data_offsets":[{},{}]}})",
                        i == 0 ? "" : ",", i, 2 * i, 2 * i + 2);
  }
  const core::MemorySource source("f", safetensors_file(json + "}", std::string(160'000, 'x')));
  const auto start = std::chrono::steady_clock::now();
  CHECK(read_safetensors(source).tensors.size() == 80'000);
  // 0.1 s on a free core; the bound is far above what a busy machine needs and far below the 18 s of a table of values.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
