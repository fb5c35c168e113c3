// SPDX-License-Identifier: Apache-2.0
// The records at the end of a zip archive, which say where its central directory is.
#pragma once

#include <cstdint>

#include "core/byte_source.h"

namespace rlverify::tensor {

/// Where the central directory lies and how many entries it promises.
struct DirectoryRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entry_count = 0;
};

/// Reads the end record, and the zip64 one where there is one. Throws ArtifactError where the file doesn't end with
/// them, where they disagree, or where the directory doesn't end where they begin.
[[nodiscard]] DirectoryRange read_directory_range(const core::ByteSource& source);

}  // namespace rlverify::tensor
