// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of a stretch of a file, as zip directories state it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/byte_source.h"
#include "core/errors.h"

namespace rlverify::tensor {

/// Of the bytes [offset, offset + bytes) of `source`, read block by block. Throws ArtifactError where they aren't
/// there.
[[nodiscard]] std::uint32_t crc_of(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes);

/// What is said of an entry of `file`, its data at `offset`, whose bytes have another CRC than the archive states.
[[nodiscard]] core::Problem crc_fault(const std::string& file, std::string_view entry, std::uint64_t offset,
                                      std::uint32_t stated, std::uint32_t found);

}  // namespace rlverify::tensor
