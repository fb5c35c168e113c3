// SPDX-License-Identifier: Apache-2.0
// What several tests of lib/core need: a temporary folder and a source that isn't memory.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "core/byte_source.h"
#include "core/errors.h"

namespace rlverify::core::test {

/// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rlverify-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary folder");
    }
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(file(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file(name);
  }
  [[nodiscard]] std::size_t file_count() const {
    const std::filesystem::directory_iterator first(path_);
    return static_cast<std::size_t>(std::distance(first, std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Bytes that are only to be had through read(), as a large file's are: block readers copy them.
class CopyingSource final : public ByteSource {
 public:
  CopyingSource(std::string name, std::string_view bytes)
      : ByteSource(std::move(name), bytes.size()), memory_("", bytes) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override { memory_.read(offset, out); }

 private:
  MemorySource memory_;
};

/// The problem of the ArtifactError that `action` must throw.
template <typename Action>
Problem problem_of(const Action& action) {
  try {
    action();
  } catch (const ArtifactError& error) {
    return error.problem();
  }
  FAIL("no ArtifactError was thrown");
  return {};
}

}  // namespace rlverify::core::test
