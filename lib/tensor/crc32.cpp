// SPDX-License-Identifier: Apache-2.0
// The CRC of zip entries (reflected polynomial 0xEDB88320), eight bytes a step over eight tables: about ten times the
// byte-wise loop. It is computed for the pickle, whose every byte means something, and not for tensors: torch.load
// checks none, over all bytes of a run it would cost several times the reading, and a changed element is what the
// comparisons are for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/byte_source.h"
#include "tensor/byte_view.h"
#include "tensor/fail.h"
#include "tensor/zip_reader.h"

namespace rlverify::tensor {
namespace {

constexpr std::uint64_t kBlockBytes = 1ULL << 20;

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? (value >> 1U) ^ 0xEDB88320U : value >> 1U;
    }
    tables[0][i] = value;
  }
  for (std::size_t table = 1; table < 8; ++table) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[table - 1][i];
      tables[table][i] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t load32(std::span<const std::byte> bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

std::uint32_t update(std::uint32_t crc, std::span<const std::byte> bytes) {
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint32_t low = load32(bytes, at) ^ crc;
    const std::uint32_t high = load32(bytes, at + 4);
    crc = kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8U) & 0xFFU] ^ kTables[5][(low >> 16U) & 0xFFU] ^
          kTables[4][low >> 24U] ^ kTables[3][high & 0xFFU] ^ kTables[2][(high >> 8U) & 0xFFU] ^
          kTables[1][(high >> 16U) & 0xFFU] ^ kTables[0][high >> 24U];
  }
  for (; at < bytes.size(); ++at) {
    crc = (crc >> 8U) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(bytes[at])) & 0xFFU];
  }
  return crc;
}

}  // namespace

void check_crc(const core::ByteSource& source, const ZipEntry& entry) {
  if (entry.crc32 == 0) {
    return;
  }
  std::uint32_t crc = 0xFFFFFFFFU;
  for (std::uint64_t at = 0; at < entry.size; at += kBlockBytes) {
    crc = update(crc, ByteView(source, entry.data_offset + at, std::min(kBlockBytes, entry.size - at)).bytes());
  }
  crc ^= 0xFFFFFFFFU;
  if (crc != entry.crc32) {
    fail(core::ProblemKind::kMalformed, source.name(), entry.data_offset,
         fmt::format("\"{}\" with CRC {:08x}", entry.name, entry.crc32),
         fmt::format("CRC {:08x}: the file is damaged", crc));
  }
}

}  // namespace rlverify::tensor
