// SPDX-License-Identifier: Apache-2.0
// PKWARE's APPNOTE 6.3.9, sections 4.3 (records) and 4.5.3 (zip64 extra field), as far as PyTorch uses it: stored
// entries, zip64 where needed.
#include "tensor/zip_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "tensor/byte_view.h"
#include "tensor/crc32.h"
#include "tensor/fail.h"
#include "tensor/zip_end.h"
#include "tensor/zip_fields.h"

namespace rlverify::tensor {
namespace {

using core::ByteSource;
using core::ProblemKind;

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kCentralBytes = 46;
constexpr std::uint64_t kMaxDirectoryBytes = 256ULL << 20;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;   // "see the zip64 record"
constexpr unsigned kEncryptedFlags = 0x2041;  // bits 0, 6 and 13: encrypted, strongly encrypted, masked headers

/// An order of names that nearly always decides without comparing the long common prefix: by size, then the last eight
/// bytes, then all.
bool name_less(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) {
    return left.size() < right.size();
  }
  const std::size_t tail = std::min<std::size_t>(left.size(), 8);
  std::uint64_t left_tail = 0;
  std::uint64_t right_tail = 0;
  std::memcpy(&left_tail, left.data() + left.size() - tail, tail);
  std::memcpy(&right_tail, right.data() + right.size() - tail, tail);
  // The first of the eight bytes counts most, so that data/10 is followed by data/11.
  return left_tail != right_tail ? __builtin_bswap64(left_tail) < __builtin_bswap64(right_tail) : left < right;
}

/// A central directory record, before its local header was looked at.
struct CentralRecord {
  std::string_view name;
  std::uint64_t size = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t header_offset = 0;
};

/// Fills the fields that the 32-bit record left to the zip64 extra field (in the order size, compressed size, offset).
void apply_extra64(const std::string& file, std::uint64_t place, std::span<const std::byte> extra,
                   CentralRecord& record) {
  std::array<std::uint64_t*, 3> fields{&record.size, &record.compressed_size, &record.header_offset};
  const bool wanted =
      std::any_of(fields.begin(), fields.end(), [](const std::uint64_t* field) { return *field == kIn64; });
  if (!wanted) {
    return;
  }
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const std::size_t length = u16(extra, at + 2);
    if (at + 4 + length > extra.size()) {
      break;
    }
    if (u16(extra, at) == 1) {
      std::size_t value_at = at + 4;
      for (std::uint64_t* field : fields) {
        if (*field != kIn64) {
          continue;
        }
        if (value_at + 8 > at + 4 + length) {
          fail(ProblemKind::kMalformed, file, place, "a zip64 extra field with all sizes", "a shorter one");
        }
        *field = u64(extra, value_at);
        value_at += 8;
      }
      return;
    }
    at += 4 + length;
  }
  fail(ProblemKind::kMalformed, file, place, "a zip64 extra field", "none");
}

/// Names are used as keys only and never reach the file system, but an archive with such names is no work of
/// torch.save.
void check_name(const std::string& file, std::uint64_t place, std::string_view name) {
  const bool escapes = name.empty() || name.front() == '/' || name == ".." || name.substr(0, 3) == "../" ||
                       name.find("/../") != std::string_view::npos ||
                       (name.size() >= 3 && name.substr(name.size() - 3) == "/..");
  if (escapes || name.find('\\') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    fail(ProblemKind::kMalformed, file, place, "an entry name inside the archive's folder",
         fmt::format("\"{}\"", name));
  }
}

/// Checks the local header against its central record and returns where the data begins.
std::uint64_t check_local_header(const ByteSource& source, const CentralRecord& record,
                                 std::uint64_t directory_offset) {
  const std::string& file = source.name();
  const std::uint64_t header_end = kLocalBytes + record.name.size();
  if (record.header_offset > directory_offset || directory_offset - record.header_offset < header_end) {
    fail(ProblemKind::kMalformed, file, record.header_offset,
         fmt::format("the local header of \"{}\" before the central directory", record.name), "an offset beyond it");
  }
  const ByteView header_view(source, record.header_offset, header_end);
  const auto header = header_view.bytes();
  const auto name_bytes = header.subspan(kLocalBytes);
  const bool same_name = u16(header, 26) == record.name.size() &&
                         std::memcmp(name_bytes.data(), record.name.data(), record.name.size()) == 0;
  if (u32(header, 0) != kLocalSignature || !same_name) {
    fail(ProblemKind::kMalformed, file, record.header_offset, fmt::format("the local header of \"{}\"", record.name),
         "other bytes");
  }
  const bool sizes_follow = (u16(header, 6) & 8U) != 0;
  const std::uint32_t local_size = u32(header, 22);
  if ((u16(header, 6) & kEncryptedFlags) != 0 || u16(header, 8) != 0 ||
      (!sizes_follow && local_size != kIn64 && local_size != record.size)) {
    fail(ProblemKind::kMalformed, file, record.header_offset,
         fmt::format("a local header that fits the directory's entry \"{}\"", record.name),
         "another method, flag or size");
  }
  const std::uint64_t data_offset = record.header_offset + header_end + u16(header, 28);
  if (data_offset > directory_offset || directory_offset - data_offset < record.size) {
    fail(ProblemKind::kMalformed, file, record.header_offset,
         fmt::format("the {} bytes of \"{}\" before the central directory at {}", record.size, record.name,
                     directory_offset),
         fmt::format("data that begins at {}", data_offset));
  }
  return data_offset;
}

/// Parses the record at `at` of the directory, appends its entry and where its header lies, and returns where the next
/// record begins.
std::size_t read_record(const ByteSource& source, const DirectoryRange& range, std::span<const std::byte> directory,
                        std::size_t at, std::vector<ZipEntry>& entries, std::vector<std::uint64_t>& header_offsets) {
  const std::string& file = source.name();
  const std::uint64_t place = range.offset + at;
  if (directory.size() - at < kCentralBytes || u32(directory, at) != kCentralSignature) {
    fail(ProblemKind::kMalformed, file, place, "a record of the central directory", "other bytes");
  }
  const std::size_t name_bytes = u16(directory, at + 28);
  const std::size_t extra_bytes = u16(directory, at + 30);
  const std::size_t record_bytes = kCentralBytes + name_bytes + extra_bytes + u16(directory, at + 32);
  if (directory.size() - at < record_bytes) {
    fail(ProblemKind::kMalformed, file, place, "a whole record of the central directory", "one that is cut off");
  }
  CentralRecord record{{}, u32(directory, at + 24), u32(directory, at + 20), u32(directory, at + 42)};
  record.name = std::string_view(reinterpret_cast<const char*>(directory.data()) + at + kCentralBytes, name_bytes);
  check_name(file, place, record.name);
  apply_extra64(file, place, directory.subspan(at + kCentralBytes + name_bytes, extra_bytes), record);
  if ((u16(directory, at + 8) & kEncryptedFlags) != 0) {
    fail(ProblemKind::kMalformed, file, place, "entries that aren't encrypted",
         fmt::format("\"{}\" is encrypted", record.name));
  }
  if (u16(directory, at + 10) != 0 || record.size != record.compressed_size) {
    fail(ProblemKind::kMalformed, file, place, "entries that are stored, as torch.save writes them",
         fmt::format("\"{}\" is compressed (method {})", record.name, u16(directory, at + 10)));
  }
  const std::uint64_t data_offset = check_local_header(source, record, range.offset);
  entries.push_back({record.name, data_offset, record.size, u32(directory, at + 16)});
  header_offsets.push_back(record.header_offset);
  return at + record_bytes;
}

[[noreturn]] void fail_overlap(const std::string& file, const ZipEntry& before, const ZipEntry& after,
                               std::uint64_t after_offset) {
  fail(ProblemKind::kMalformed, file, after_offset,
       fmt::format("\"{}\" after the end of \"{}\"", after.name, before.name), "entries that overlap");
}

/// Entries that share bytes would let one file be two.
void check_overlaps(const std::string& file, const std::vector<ZipEntry>& entries,
                    const std::vector<std::uint64_t>& header_offsets) {
  if (std::is_sorted(header_offsets.begin(), header_offsets.end())) {
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (header_offsets[i] < entries[i - 1].data_offset + entries[i - 1].size) {
        fail_overlap(file, entries[i - 1], entries[i], header_offsets[i]);
      }
    }
    return;
  }
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return header_offsets[left] < header_offsets[right]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const ZipEntry& before = entries[order[i - 1]];
    if (header_offsets[order[i]] < before.data_offset + before.size) {
      fail_overlap(file, before, entries[order[i]], header_offsets[order[i]]);
    }
  }
}

}  // namespace

const ZipEntry* ZipDirectory::find(std::string_view name) const {
  if (next_ < entries_.size() && entries_[next_].name == name) {
    return &entries_[next_++];
  }
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const ZipEntry& entry, std::string_view wanted) { return name_less(entry.name, wanted); });
  if (found == entries_.end() || found->name != name) {
    return nullptr;
  }
  next_ = static_cast<std::size_t>(found - entries_.begin()) + 1;
  return &*found;
}

bool looks_like_zip(const ByteSource& source) {
  if (source.size() < 4) {
    return false;
  }
  std::array<std::byte, 4> head{};
  source.read(0, head);
  const std::uint32_t signature = u32(head, 0);
  return signature == kLocalSignature || signature == kEndSignature;
}

ZipDirectory read_zip_directory(const ByteSource& source) {
  const std::string& file = source.name();
  const DirectoryRange range = read_directory_range(source);
  if (range.size > kMaxDirectoryBytes) {
    fail(ProblemKind::kLimit, file, range.offset,
         fmt::format("a central directory of at most {} bytes", kMaxDirectoryBytes),
         fmt::format("{} bytes", range.size));
  }
  if (range.entry_count > range.size / kCentralBytes) {
    fail(ProblemKind::kMalformed, file, range.offset,
         fmt::format("{} entries in the central directory", range.entry_count),
         fmt::format("{} bytes, too few for them", range.size));
  }
  std::vector<std::byte> directory(range.size);
  source.read(range.offset, directory);
  std::vector<ZipEntry> entries;
  std::vector<std::uint64_t> header_offsets;
  entries.reserve(range.entry_count);
  header_offsets.reserve(range.entry_count);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < range.entry_count; ++i) {
    at = read_record(source, range, directory, at, entries, header_offsets);
  }
  if (at != directory.size()) {
    fail(ProblemKind::kMalformed, file, range.offset + at,
         fmt::format("the end of the central directory after {} entries", range.entry_count), "more bytes");
  }
  check_overlaps(file, entries, header_offsets);
  const auto by_name = [](const ZipEntry& left, const ZipEntry& right) { return name_less(left.name, right.name); };
  if (!std::is_sorted(entries.begin(), entries.end(), by_name)) {
    std::sort(entries.begin(), entries.end(), by_name);
  }
  const auto twin = std::adjacent_find(entries.begin(), entries.end(), [](const ZipEntry& left, const ZipEntry& right) {
    return left.name == right.name;
  });
  if (twin != entries.end()) {
    fail(ProblemKind::kMalformed, file, range.offset, "entry names that differ",
         fmt::format("\"{}\" twice", twin->name));
  }
  return {std::move(directory), std::move(entries)};
}

void check_crc(const core::ByteSource& source, const ZipEntry& entry) {
  if (entry.crc32 == 0) {
    return;
  }
  const std::uint32_t found = crc_of(source, entry.data_offset, entry.size);
  if (found != entry.crc32) {
    throw core::ArtifactError(crc_fault(source.name(), entry.name, entry.data_offset, entry.crc32, found));
  }
}

}  // namespace rlverify::tensor
