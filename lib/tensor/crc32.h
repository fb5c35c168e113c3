// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of zip entries, fed piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/byte_source.h"

namespace rlverify::tensor {

class Crc32 {
 public:
  void update(std::span<const std::byte> bytes);
  /// Of all bytes so far, as a zip directory states it.
  [[nodiscard]] std::uint32_t value() const { return state_ ^ 0xFFFFFFFFU; }

 private:
  std::uint32_t state_ = 0xFFFFFFFFU;
};

/// The same register carried over `bytes` by tables alone: what Crc32 does on a processor without carry-less
/// multiplication, and what the tests hold the fast way against.
[[nodiscard]] std::uint32_t crc32_by_tables(std::uint32_t state, std::span<const std::byte> bytes);

/// Of the bytes [offset, offset + bytes) of `source`, read block by block. Throws ArtifactError where they aren't
/// there.
[[nodiscard]] std::uint32_t crc_of(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes);

}  // namespace rlverify::tensor
