// SPDX-License-Identifier: Apache-2.0
// Reads the header of a safetensors file: eight bytes of length, JSON, then the data. The JSON goes event by event
// straight into tensor references, so that 80,000 tensors open in a moment and no table of values is ever built. What
// the format promises is checked before a reference exists: ranges that cover the data without hole, overlap or rest,
// sizes that agree with dtype and shape, names that come once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/byte_source.h"
#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

/// The format's own cap on the JSON.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  TensorRef ref;
};

struct SafetensorsFile {
  std::uint64_t header_bytes = 0;                             ///< length field and JSON together: where the data begins
  std::vector<SafetensorsEntry> tensors;                      ///< in header order
  std::vector<std::pair<std::string, std::string>> metadata;  ///< `__metadata__`, in file order
};

/// Reads and checks the header. Throws ArtifactError: text that is no such JSON (with byte offset in the file), a
/// tensor name that comes twice (named), an unknown dtype, sizes that overflow or disagree, holes, overlaps, a file
/// that is shorter or longer than its header needs (both byte counts and the first affected tensor).
[[nodiscard]] SafetensorsFile read_safetensors(const core::ByteSource& source);

}  // namespace rlverify::tensor
