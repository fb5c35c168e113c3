// SPDX-License-Identifier: Apache-2.0
// Whether the bytes of a storage are those that torch.save wrote: the archive states a CRC-32 for each. torch.load
// checks none, so a file that rotted on disk or was cut short in a copy loads, and its numbers look like a divergence.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "core/byte_source.h"
#include "core/errors.h"
#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

struct PtFile;

/// One storage's check, shared by all tensors that look into it. Read at most once, whoever asks and how often.
class StorageCheck {
 public:
  explicit StorageCheck(const Storage& storage)
      : offset_(storage.offset), bytes_(storage.bytes), crc32_(storage.crc32) {}
  /// Throws ArtifactError, which names entry, CRC stated and CRC found, when `source` holds other bytes than the CRC is
  /// of. Safe from several threads: the others wait for the first.
  void run(const core::ByteSource& source) const;

 private:
  std::uint64_t offset_;
  std::uint64_t bytes_;
  std::uint32_t crc32_;
  mutable std::once_flag once_;
  mutable std::optional<core::Problem> problem_;
};

/// Checks every storage of a file; throws ArtifactError for the first, in file order, whose bytes aren't those that its
/// CRC is of. Storages without a CRC (see Storage::crc32) count as whole.
void check_storages(const core::ByteSource& source, const PtFile& file);

}  // namespace rlverify::tensor
