// SPDX-License-Identifier: Apache-2.0
// Two readers that find different end records see different archives, so nothing may lie between directory, end records
// and end of file.
#include "tensor/zip_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tensor/byte_view.h"
#include "tensor/fail.h"
#include "tensor/zip_fields.h"

namespace rlverify::tensor {
namespace {

using core::ByteSource;
using core::ProblemKind;

constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kLocator64Bytes = 20;
constexpr std::uint64_t kMaxCommentBytes = 65535;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // "see the zip64 record"

/// The zip64 end record that the locator before `end_offset` points at.
DirectoryRange read_end64(const ByteSource& source, std::uint64_t end_offset) {
  const std::string& file = source.name();
  if (end_offset < kLocator64Bytes + kEnd64Bytes) {
    fail(ProblemKind::kMalformed, file, end_offset, "a zip64 end record before the end record", "no room for one");
  }
  const std::uint64_t locator_offset = end_offset - kLocator64Bytes;
  const ByteView locator_view(source, locator_offset, kLocator64Bytes);
  const auto locator = locator_view.bytes();
  if (u32(locator, 0) != kLocator64Signature) {
    fail(ProblemKind::kMalformed, file, locator_offset, "the zip64 locator that the end record asks for",
         "other bytes");
  }
  const std::uint64_t record_offset = u64(locator, 8);
  if (record_offset > locator_offset - kEnd64Bytes) {
    fail(ProblemKind::kMalformed, file, locator_offset, "the offset of a zip64 end record before the locator",
         fmt::format("{}", record_offset));
  }
  const ByteView record_view(source, record_offset, kEnd64Bytes);
  const auto record = record_view.bytes();
  if (u32(record, 0) != kEnd64Signature || u64(record, 4) != locator_offset - record_offset - 12) {
    fail(ProblemKind::kMalformed, file, record_offset, "a zip64 end record that reaches to its locator", "other bytes");
  }
  if (u32(record, 16) != 0 || u32(record, 20) != 0 || u32(locator, 4) != 0 || u64(record, 24) != u64(record, 32)) {
    fail(ProblemKind::kMalformed, file, record_offset, "an archive in one piece", "a part of a spanned archive");
  }
  DirectoryRange range{u64(record, 48), u64(record, 40), u64(record, 32)};
  if (range.offset > record_offset || record_offset - range.offset != range.size) {
    fail(ProblemKind::kMalformed, file, record_offset, "a central directory that ends at the zip64 end record",
         fmt::format("offset {} and size {}", range.offset, range.size));
  }
  return range;
}

/// Offset of the end record. Only one whose comment ends the file counts; a signature inside a comment doesn't.
std::uint64_t find_end(const ByteSource& source) {
  if (source.size() < kEndBytes) {
    fail(ProblemKind::kMalformed, source.name(), 0, "a zip archive (at least 22 bytes)",
         fmt::format("{} bytes", source.size()));
  }
  const ByteView last(source, source.size() - kEndBytes, kEndBytes);
  if (u32(last.bytes(), 0) == kEndSignature && u16(last.bytes(), 20) == 0) {
    return source.size() - kEndBytes;  // no comment, as torch.save writes it
  }
  const std::uint64_t tail_bytes = std::min(source.size(), kEndBytes + kMaxCommentBytes);
  const ByteView tail_view(source, source.size() - tail_bytes, tail_bytes);
  const auto tail = tail_view.bytes();
  for (std::uint64_t at = tail_bytes - kEndBytes + 1; at-- > 0;) {
    if (u32(tail, at) == kEndSignature && at + kEndBytes + u16(tail, at + 20) == tail_bytes) {
      return source.size() - tail_bytes + at;
    }
  }
  fail(ProblemKind::kMalformed, source.name(), source.size(), "the end record of a zip archive",
       "none: the file is cut off or not a zip archive");
}

}  // namespace

DirectoryRange read_directory_range(const ByteSource& source) {
  const std::string& file = source.name();
  const std::uint64_t end_offset = find_end(source);
  const ByteView end_view(source, end_offset, kEndBytes);
  const auto end = end_view.bytes();
  if (u16(end, 8) == 0xFFFF || u16(end, 10) == 0xFFFF || u32(end, 12) == kIn64 || u32(end, 16) == kIn64) {
    return read_end64(source, end_offset);
  }
  if (u16(end, 4) != 0 || u16(end, 6) != 0 || u16(end, 8) != u16(end, 10)) {
    fail(ProblemKind::kMalformed, file, end_offset, "an archive in one piece", "a part of a spanned archive");
  }
  const DirectoryRange range{u32(end, 16), u32(end, 12), u16(end, 10)};
  // PyTorch always writes zip64 records, needed or not; then the directory ends at those.
  const bool has_locator = end_offset >= kLocator64Bytes + kEnd64Bytes &&
                           u32(ByteView(source, end_offset - kLocator64Bytes, 4).bytes(), 0) == kLocator64Signature;
  if (has_locator) {
    const DirectoryRange range64 = read_end64(source, end_offset);
    if (range64.offset != range.offset || range64.size != range.size || range64.entry_count != range.entry_count) {
      fail(ProblemKind::kMalformed, file, end_offset, "end records that agree", "a zip64 record with other numbers");
    }
    return range64;
  }
  if (range.offset > end_offset || end_offset - range.offset != range.size) {
    fail(ProblemKind::kMalformed, file, end_offset, "a central directory that ends at the end record",
         fmt::format("offset {} and size {}", range.offset, range.size));
  }
  return range;
}

}  // namespace rlverify::tensor
