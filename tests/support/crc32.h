// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of zip entries, bit by bit as its definition goes: what tests write and what the program's is held
// against.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlverify::test {

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
    }
  }
  return ~crc;
}

}  // namespace rlverify::test
