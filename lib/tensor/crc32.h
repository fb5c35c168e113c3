// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of a stretch of a file, as zip directories state it.
#pragma once

#include <cstdint>

#include "core/byte_source.h"

namespace rlverify::tensor {

/// Of the bytes [offset, offset + bytes) of `source`, read block by block. Throws ArtifactError where they aren't
/// there.
[[nodiscard]] std::uint32_t crc_of(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes);

}  // namespace rlverify::tensor
