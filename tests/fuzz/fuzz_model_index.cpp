// SPDX-License-Identifier: Apache-2.0
// The index of a sharded model on any bytes: what it accepts is sorted and without doubles, every tensor has a file,
// and no name that may be opened leaves the directory.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/errors.h"
#include "tensor/model_index.h"

namespace {

using namespace rlverify;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// The same question by another way: the normal form of the path must stay below its directory.
bool leaves_directory(const std::string& file) {
  const std::filesystem::path path(file);
  const std::filesystem::path normal = path.lexically_normal();
  return path.is_absolute() || (!normal.empty() && *normal.begin() == "..");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const core::MemorySource source("fuzz", std::string_view(reinterpret_cast<const char*>(data), size));
  tensor::ModelIndex index;
  try {
    index = tensor::read_model_index(source);
  } catch (const core::ArtifactError&) {
    return 0;
  }
  require(std::is_sorted(index.files.begin(), index.files.end()));
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    require(index.entries[i].file < index.files.size());
    require(i == 0 || index.entries[i - 1].tensor < index.entries[i].tensor);
  }
  for (const std::string& file : index.files) {
    require(!tensor::unsafe_path_reason(file).empty() || !leaves_directory(file));
  }
  return 0;
}
