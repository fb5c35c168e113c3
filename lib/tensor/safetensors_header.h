// SPDX-License-Identifier: Apache-2.0
// The JSON of a safetensors header as it is written, before ranges are checked (internal to the safetensors reader).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/byte_source.h"
#include "tensor/safetensors_reader.h"

namespace rlverify::tensor {

/// One entry: the tensor, its `data_offsets`, and where its name stands.
struct HeaderEntry {
  SafetensorsEntry tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t name_offset = 0;  ///< of the name in the JSON (which is at most 100,000,000 bytes)
};

struct Header {
  std::vector<HeaderEntry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// Bytes of the length field before the JSON.
inline constexpr std::uint64_t kLengthFieldBytes = 8;

/// Parses the `json_bytes` after the length field. Each entry's dtype, shape and element count are set and agree with
/// its offsets; where the ranges lie is not looked at.
[[nodiscard]] Header parse_header(const core::ByteSource& source, std::uint64_t json_bytes);

}  // namespace rlverify::tensor
