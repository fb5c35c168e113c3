// SPDX-License-Identifier: Apache-2.0
// The zip container of torch.save, read by its central directory. Strict where two readers could see different files:
// the end record must end the file, the directory must end where the end records begin, every local header must name
// the same entry, and no two entries may overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/byte_source.h"

namespace rlverify::tensor {

/// A stored (not compressed) entry. Size and CRC are those of the central directory: torch.save leaves them 0 in local
/// headers (flag bit 3).
struct ZipEntry {
  std::string_view name;          ///< lies in the ZipDirectory
  std::uint64_t data_offset = 0;  ///< of its first byte in the source
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;
};

/// The entries of an archive, in an order of their names of its own.
class ZipDirectory {
 public:
  /// `bytes` is the central directory, which holds the names.
  ZipDirectory(std::vector<std::byte> bytes, std::vector<ZipEntry> sorted_entries)
      : bytes_(std::move(bytes)), entries_(std::move(sorted_entries)) {}
  ZipDirectory(const ZipDirectory&) = delete;
  ZipDirectory& operator=(const ZipDirectory&) = delete;
  ZipDirectory(ZipDirectory&&) = default;  // names stay where they are
  ZipDirectory& operator=(ZipDirectory&&) = default;
  ~ZipDirectory() = default;
  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
  /// The entry of that name, or null.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;

 private:
  std::vector<std::byte> bytes_;
  std::vector<ZipEntry> entries_;
  mutable std::size_t next_ = 0;  // behind the entry that was found last: keys are mostly asked for in order
};

/// Whether the source begins like a zip archive (local header or empty archive).
[[nodiscard]] bool looks_like_zip(const core::ByteSource& source);
/// Reads and checks the directory and every local header; no entry's data is read. Throws ArtifactError for an archive
/// that is damaged, ambiguous, compressed, encrypted or spanned, and for duplicate names and names that leave the
/// archive's folder.
[[nodiscard]] ZipDirectory read_zip_directory(const core::ByteSource& source);
/// Throws ArtifactError when the entry's bytes don't have the CRC of the directory. A CRC of 0 counts as "not
/// computed": PyTorch writes that after torch.serialization.set_crc32_options(False).
void check_crc(const core::ByteSource& source, const ZipEntry& entry);

}  // namespace rlverify::tensor
