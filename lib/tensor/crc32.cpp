// SPDX-License-Identifier: Apache-2.0
// libdeflate does the arithmetic, with carry-less multiplication where the processor has it: a storage's CRC then costs
// about what reading it costs.
#include "tensor/crc32.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <cstddef>
#include <span>

namespace rlverify::tensor {
namespace {

constexpr std::size_t kBlockBytes = 256U << 10U;  // stays in the second-level cache between reading and multiplying

}  // namespace

std::uint32_t crc_of(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes) {
  const auto memory = source.memory();
  if (offset <= memory.size() && bytes <= memory.size() - offset) {
    return libdeflate_crc32(0, memory.data() + offset, static_cast<std::size_t>(bytes));
  }
  std::uint32_t crc = 0;
  core::BlockReader blocks(source, offset, bytes, kBlockBytes);
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    crc = libdeflate_crc32(crc, block.data(), block.size());
  }
  return crc;
}

core::Problem crc_fault(const std::string& file, std::string_view entry, std::uint64_t offset, std::uint32_t stated,
                        std::uint32_t found) {
  core::Problem problem;
  problem.file = file;
  problem.offset = offset;
  problem.expected = fmt::format("\"{}\" with CRC {:08x}", entry, stated);
  problem.found = fmt::format("CRC {:08x}: the file is damaged", found);
  return problem;
}

}  // namespace rlverify::tensor
