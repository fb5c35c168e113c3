// SPDX-License-Identifier: Apache-2.0
// Files and memory as byte sources, and what is refused: other things than regular files, ranges outside, files that
// shrink.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using Catch::Matchers::Contains;

namespace {

std::string read_text(const ByteSource& source, std::uint64_t offset, std::size_t size) {
  std::string text(size, '\0');
  source.read(offset, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> blocks_of(BlockReader reader) {
  std::vector<std::string> blocks;
  for (auto block = reader.next(); !block.empty(); block = reader.next()) {
    blocks.push_back(text_of(block));
  }
  return blocks;
}

}  // namespace

TEST_CASE("memory source reads ranges and refuses those outside") {
  const MemorySource source("name", std::string_view("abcdef"));
  CHECK(source.name() == "name");
  CHECK(source.size() == 6);
  CHECK(text_of(source.memory()) == "abcdef");
  CHECK(read_text(source, 2, 3) == "cde");
  CHECK(read_text(source, 6, 0).empty());
  for (const auto& range : std::vector<std::pair<std::uint64_t, std::size_t>>{{4, 3}, {7, 0}, {~0ULL, 2}}) {
    const std::uint64_t offset = range.first;
    const std::size_t size = range.second;
    const Problem problem = problem_of([&] { static_cast<void>(read_text(source, offset, size)); });
    CHECK(problem.kind == ProblemKind::kUnreadable);
    CHECK(problem.offset == offset);
    CHECK(problem.found == "the end of the file at byte 6");
  }
}

TEST_CASE("small files are read whole, large ones on demand, with the same bytes") {
  const TemporaryFolder folder;
  const std::string path = folder.write("data", "0123456789");
  const auto whole = open_file(path, "shown", 10);
  const auto on_demand = open_file(path, "shown", 9);
  CHECK(whole->memory().size() == 10);
  CHECK(on_demand->memory().empty());
  for (const auto* source : {whole.get(), on_demand.get()}) {
    CHECK(source->name() == "shown");
    CHECK(source->size() == 10);
    CHECK(read_text(*source, 0, 10) == "0123456789");
    CHECK(read_text(*source, 7, 3) == "789");
    CHECK(problem_of([&] { static_cast<void>(read_text(*source, 8, 3)); }).file == "shown");
  }
  CHECK(open_file(path)->name() == path);
}

TEST_CASE("an empty file is a source of no bytes") {
  const TemporaryFolder folder;
  const auto source = open_file(folder.write("empty", ""));
  CHECK(source->size() == 0);
  CHECK(blocks_of(BlockReader(*source, 0, 0)).empty());
}

TEST_CASE("links are followed, what is no regular file is refused without waiting") {
  const TemporaryFolder folder;
  folder.write("data", "x");
  std::filesystem::create_symlink("data", folder.file("link"));
  CHECK(open_file(folder.file("link"))->size() == 1);

  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(problem_of([&] { static_cast<void>(open_file(folder.file("pipe"))); }).found == "a pipe");
  CHECK(problem_of([&] { static_cast<void>(open_file("/dev/null")); }).found == "a device");
  const Problem directory = problem_of([&] { static_cast<void>(open_file(folder.file("."))); });
  CHECK(directory.found == "a directory");
  CHECK(directory.expected == "a regular file");
  CHECK(directory.kind == ProblemKind::kUnreadable);
}

TEST_CASE("a missing file and a name with a NUL byte give the reason") {
  const TemporaryFolder folder;
  const Problem missing = problem_of([&] { static_cast<void>(open_file(folder.file("none"), "none")); });
  CHECK(missing.text() == "none: expected a readable file, found No such file or directory");
  std::string path = folder.write("data", "x");
  path += std::string("\0.json", 6);
  CHECK_THAT(problem_of([&] { static_cast<void>(open_file(path)); }).found, Contains("NUL"));
}

TEST_CASE("a file that shrinks while it is read is an error that says so") {
  const TemporaryFolder folder;
  const std::string path = folder.write("data", std::string(100, 'x'));
  const auto source = open_file(path, "data", 0);
  CHECK(read_text(*source, 50, 50) == std::string(50, 'x'));
  std::filesystem::resize_file(path, 60);
  CHECK(read_text(*source, 50, 10) == std::string(10, 'x'));
  const Problem problem = problem_of([&] { static_cast<void>(read_text(*source, 50, 50)); });
  CHECK(problem.kind == ProblemKind::kUnreadable);
  CHECK(problem.offset == 60);
  CHECK_THAT(problem.expected, Contains("100 bytes"));
  CHECK_THAT(problem.found, Contains("it shrank"));
}

TEST_CASE("block reader hands out a range in order, from memory and by copying alike") {
  const MemorySource memory("m", std::string_view("abcdefghij"));
  const CopyingSource copying("c", "abcdefghij");
  for (const ByteSource* source : {static_cast<const ByteSource*>(&memory), static_cast<const ByteSource*>(&copying)}) {
    CHECK(blocks_of(BlockReader(*source, 1, 8, 3)) == std::vector<std::string>{"bcd", "efg", "hi"});
    CHECK(blocks_of(BlockReader(*source, 0, 10)) == std::vector<std::string>{"abcdefghij"});
    CHECK(blocks_of(BlockReader(*source, 0, 2, 0)) == std::vector<std::string>{"a", "b"});
    CHECK(blocks_of(BlockReader(*source, 10, 0, 4)).empty());
    CHECK(problem_of([&] { BlockReader(*source, 5, 6, 4); }).offset == 5);
    CHECK(problem_of([&] { BlockReader(*source, 11, 0, 4); }).offset == 11);
  }
}
