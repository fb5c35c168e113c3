// SPDX-License-Identifier: Apache-2.0
// Round trip with the real thing: python3-torch writes files of every dtype, view and structure in both containers and
// all protocols (tests/data/make_torch_files.py), and says what a reader must find in them.
#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/python_value.h"
#include "tensor/pt_reader.h"
#include "tensor/value_walk.h"

using namespace rlverify;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone after the test.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "rlverify-torch-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    text += kDigits[static_cast<unsigned>(byte) >> 4U];
    text += kDigits[static_cast<unsigned>(byte) & 15U];
  }
  return text.empty() ? "-" : text;
}

std::string shape_text(const tensor::TensorRef& tensor) {
  return tensor.shape.empty() ? "-" : fmt::format("{}", fmt::join(tensor.shape, ","));
}

/// Compares a file with the description beside it; returns the number of things compared.
std::size_t compare(const fs::path& file) {
  const auto source = core::open_file(file.string());
  const tensor::PtFile read = tensor::read_pt(*source);
  const auto found = tensor::find_tensors(read);
  std::ifstream lines(fs::path(file).replace_extension(".txt"));
  std::size_t compared = 0;
  std::size_t next_tensor = 0;
  for (std::string line; std::getline(lines, line); ++compared) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "tensor") {
      REQUIRE(next_tensor < found.tensors.size());
      const tensor::TensorAt& at = found.tensors[next_tensor++];
      const tensor::TensorRef& reference = read.tensor(at.value);
      // Space may be part of no path here, but the root's path is empty and leaves two spaces.
      const std::string actual = fmt::format("tensor {} {} {} {}", at.path, tensor::torch_name(reference.dtype),
                                             shape_text(reference), hex(tensor::read_elements(*source, reference)));
      if (actual != line) {
        FAIL_CHECK(fmt::format("expected {:.200}, found {:.200}", line, actual));
      }
    } else {
      std::string key;
      words >> key;
      const std::string actual = fmt::format("value {} {}", key, core::python_repr(read.root().get(key)));
      if (actual != line) {
        FAIL_CHECK(fmt::format("expected {:.400}, found {:.400}", line, actual));
      }
    }
  }
  CHECK(next_tensor == found.tensors.size());
  CHECK(found.stopped.empty());
  return compared;
}

}  // namespace

TEST_CASE("files of the real PyTorch are read back equal") {
  const TemporaryFolder folder;
  const std::string command = fmt::format("/usr/bin/python3 '{}/make_torch_files.py' '{}' 2>'{}/errors'",
                                          RLVERIFY_TEST_DATA, folder.path.string(), folder.path.string());
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) {
    WARN("skipped: /usr/bin/python3 has no torch and numpy here");
    return;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path)) {
    if (entry.path().extension() == ".pt") {
      CAPTURE(entry.path().filename().string());
      CHECK(compare(entry.path()) > 0);
      ++files;
    }
  }
  CHECK(files == 27);
}
