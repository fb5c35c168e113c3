// SPDX-License-Identifier: Apache-2.0
// model.safetensors.index.json: which shard holds which tensor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"

namespace rlverify::tensor {

struct IndexEntry {
  std::string tensor;
  std::uint32_t file = 0;  ///< position in ModelIndex::files
};

struct ModelIndex {
  std::vector<std::string> files;   ///< as the index spells them, sorted, each once
  std::vector<IndexEntry> entries;  ///< by tensor name (bytes)
};

/// Reads the `weight_map` event by event; other members are skipped. Throws ArtifactError for text that is no such JSON
/// and for a tensor name that comes twice (named).
[[nodiscard]] ModelIndex read_model_index(const core::ByteSource& source);

/// Why a file name from an index may not be opened ("it is absolute", "it leaves the directory", ...); empty when it
/// names something below the index's directory.
[[nodiscard]] std::string unsafe_path_reason(std::string_view file);

}  // namespace rlverify::tensor
