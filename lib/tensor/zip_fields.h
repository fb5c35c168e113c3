// SPDX-License-Identifier: Apache-2.0
// Fields of zip records. They lie unaligned and little-endian, as this program's hosts have them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rlverify::tensor {

static_assert(std::endian::native == std::endian::little, "zip fields and tensor elements are read as they lie");

template <class Number>
Number load_field(std::span<const std::byte> bytes, std::size_t at) {
  Number value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}
/// The unsigned number of 2, 4 or 8 bytes at `at`, which the caller has checked to be there.
inline std::uint32_t u16(std::span<const std::byte> bytes, std::size_t at) {
  return load_field<std::uint16_t>(bytes, at);
}
inline std::uint32_t u32(std::span<const std::byte> bytes, std::size_t at) {
  return load_field<std::uint32_t>(bytes, at);
}
inline std::uint64_t u64(std::span<const std::byte> bytes, std::size_t at) {
  return load_field<std::uint64_t>(bytes, at);
}

}  // namespace rlverify::tensor
