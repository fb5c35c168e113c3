// SPDX-License-Identifier: Apache-2.0
// The entry's name is looked up only once something is wrong: keeping it for every storage would cost every good file.
#include "tensor/storage_check.h"

#include <string>
#include <utility>

#include "tensor/crc32.h"
#include "tensor/pt_reader.h"
#include "tensor/zip_reader.h"

namespace rlverify::tensor {
namespace {

std::string entry_name(const core::ByteSource& source, std::uint64_t data_offset) {
  const ZipDirectory directory = read_zip_directory(source);
  for (const ZipEntry& entry : directory.entries()) {
    if (entry.data_offset == data_offset && entry.size > 0) {
      return std::string(entry.name);
    }
  }
  return "a storage";
}

std::optional<core::Problem> check(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes,
                                   std::uint32_t stated) {
  const std::uint32_t found = crc_of(source, offset, bytes);
  return found == stated ? std::nullopt
                         : std::optional(crc_fault(source.name(), entry_name(source, offset), offset, stated, found));
}

}  // namespace

void StorageCheck::run(const core::ByteSource& source) const {
  std::call_once(once_, [&] { problem_ = check(source, offset_, bytes_, crc32_); });
  if (problem_) {
    throw core::ArtifactError(*problem_);
  }
}

void check_storages(const core::ByteSource& source, const PtFile& file) {
  const Storage* damaged = nullptr;
  std::optional<core::Problem> problem;
  for (const Storage& storage : file.storages) {
    if (storage.crc32 == 0 || (damaged != nullptr && storage.offset > damaged->offset)) {
      continue;
    }
    if (auto fault = check(source, storage.offset, storage.bytes, storage.crc32)) {
      damaged = &storage;
      problem = std::move(fault);
    }
  }
  if (problem) {
    throw core::ArtifactError(*problem);
  }
}

}  // namespace rlverify::tensor
