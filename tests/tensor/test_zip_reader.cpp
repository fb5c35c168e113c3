// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tensor/pt_builder.h"
#include "tensor/zip_reader.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using tensor::ZipDirectory;

namespace {

ZipDirectory directory_of(std::string_view bytes) {
  return tensor::read_zip_directory(core::MemorySource("a.zip", bytes));
}

std::string zip_refusal(std::string_view bytes) {
  try {
    static_cast<void>(directory_of(bytes));
    return "";
  } catch (const core::ArtifactError& error) {
    return "expected " + error.problem().expected + ", found " + error.problem().found;
  }
}

/// One entry "a/x" of which `change` alters something.
template <class Change>
std::string with(Change change) {
  ZipItem item{"a/x", "hello"};
  change(item);
  return zip({item, {"a/y", "12"}});
}

}  // namespace

TEST_CASE("stored entries are found by name, with the directory's size and CRC") {
  const std::string bytes = zip({{"a/y", "12"}, {"a/x", "hello"}});
  const ZipDirectory directory = directory_of(bytes);
  REQUIRE(directory.entries().size() == 2);
  const tensor::ZipEntry* entry = directory.find("a/x");
  REQUIRE(entry != nullptr);
  CHECK(entry->size == 5);
  CHECK(bytes.substr(entry->data_offset, 5) == "hello");
  CHECK(entry->crc32 == crc32("hello"));
  CHECK(directory.find("a/z") == nullptr);
}

TEST_CASE("an empty archive, an archive comment and padded local headers are fine") {
  CHECK(directory_of(zip({})).entries().empty());
  CHECK(directory_of(zip({{"a", "1"}}, "a comment")).entries().size() == 1);
  CHECK(zip_refusal(with([](ZipItem& item) { item.padding = 53; })).empty());
}

TEST_CASE("an end record inside the comment does not count") {
  const std::string bytes = zip({{"a", "1"}}, "PK\x05\x06 and more than twenty-two bytes of comment"s);
  CHECK(directory_of(bytes).entries().size() == 1);
}

TEST_CASE("zip64 sizes, offsets and end records are read") {
  const std::string bytes = zip({{"a/x", "hello", {}, 0, 8, -1, -1, -1, true}, {"a/y", "12"}}, "", true);
  const ZipDirectory directory = directory_of(bytes);
  REQUIRE(directory.entries().size() == 2);
  CHECK(bytes.substr(directory.find("a/x")->data_offset, 5) == "hello");
}

TEST_CASE("a zip64 entry without its extra field is refused") {
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.central_size = 0xFFFFFFFFLL; })), Contains("zip64 extra field"));
}

TEST_CASE("compressed and encrypted entries are refused") {
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.method = 8; })), Contains("\"a/x\" is compressed (method 8)"));
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.flags = 9; })), Contains("\"a/x\" is encrypted"));
}

TEST_CASE("the same name twice is refused") {
  CHECK_THAT(zip_refusal(zip({{"a/x", "1"}, {"a/x", "2"}})), Contains("\"a/x\" twice"));
}

TEST_CASE("names that leave the folder are refused") {
  for (const std::string& name : {"../x"s, "a/../x"s, "/x"s, "a\\x"s, "a/.."s, "a\0b"s}) {
    CHECK_THAT(zip_refusal(zip({{name, "1"}})), Contains("inside the archive's folder"));
  }
  CHECK(zip_refusal(zip({{"a/..x", "1"}, {"a/x..", "1"}})).empty());
}

TEST_CASE("a local header with another name or size is refused") {
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.local_name = "a/z"; })),
             Contains("the local header of \"a/x\""));
  CHECK_THAT(zip_refusal(with([](ZipItem& item) {
               item.flags = 0;
               item.central_size = 4;
             })),
             Contains("another method, flag or size"));
  CHECK(zip_refusal(with([](ZipItem& item) { item.flags = 0; })).empty());
}

TEST_CASE("an entry whose bytes reach into the directory is refused") {
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.central_size = 1000; })),
             Contains("before the central directory"));
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.header_offset = 5000; })),
             Contains("before the central directory"));
}

TEST_CASE("entries that overlap are refused") {
  // The second record points at the first entry's header under the same name in another case of the same bytes.
  CHECK_THAT(zip_refusal(with([](ZipItem& item) { item.central_size = 6; })), Contains("overlap"));
}

TEST_CASE("a file that is cut off or has bytes behind the end record is refused") {
  const std::string whole = zip({{"a/x", "hello"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(zip_refusal(whole.substr(0, size)).empty());
  }
  CHECK_THAT(zip_refusal(whole + "x"), Contains("none: the file is cut off"));
}

TEST_CASE("bytes before the archive shift every offset and are refused") {
  CHECK_THAT(zip_refusal("x" + zip({{"a/x", "hello"}})), Contains("ends at the end record"));
}

TEST_CASE("a directory with fewer or more records than promised is refused") {
  std::string bytes = zip({{"a/x", "hello"}, {"a/y", "12"}});
  for (const std::size_t at : {bytes.size() - 14, bytes.size() - 12}) {
    bytes[at] = 1;
  }
  CHECK_THAT(zip_refusal(bytes), Contains("after 1 entries"));
  for (const std::size_t at : {bytes.size() - 14, bytes.size() - 12}) {
    bytes[at] = 99;
  }
  CHECK_THAT(zip_refusal(bytes), Contains("too few"));
}

TEST_CASE("a CRC is checked, and 0 means that none was computed") {
  const auto check = [](std::int64_t crc) {
    const core::MemorySource source("a.zip", zip({{"a/x", "hello world", {}, 0, 8, -1, -1, crc}}));
    tensor::check_crc(source, tensor::read_zip_directory(source).entries()[0]);
  };
  CHECK_NOTHROW(check(-1));
  CHECK_NOTHROW(check(0));
  CHECK_THROWS_AS(check(12345), core::ArtifactError);
}
