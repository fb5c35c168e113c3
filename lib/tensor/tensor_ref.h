// SPDX-License-Identifier: Apache-2.0
// A tensor is a reference: where its elements lie in a source, never the elements themselves. Readers check offset,
// strides and shape against the storage, and the storage against the file, before a reference exists, so reading
// through one can't leave its storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "tensor/dtype.h"

namespace rlverify::tensor {

/// A run of bytes that one or more tensors look into. Real byte order is little-endian; readers refuse big-endian
/// files.
struct Storage {
  std::string key;           ///< its name in the file
  std::uint64_t offset = 0;  ///< of its first byte in the source
  std::uint64_t bytes = 0;
  DType dtype = DType::kUint8;
  /// Of its bytes, as the archive states it. 0: none stated (containers before PyTorch 1.6, and files written after
  /// torch.serialization.set_crc32_options(False)).
  std::uint32_t crc32 = 0;
};

class StorageCheck;  // tensor/storage_check.h

struct TensorRef {
  DType dtype = DType::kFloat32;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements; as the file has them
  std::uint32_t storage = 0;          ///< position in the owner's list of storages
  std::uint64_t storage_offset = 0;   ///< first element, in elements of `dtype`
  std::uint64_t data_offset = 0;      ///< first element, in bytes from the start of the source
  std::uint64_t storage_bytes = 0;    ///< of the whole storage
  std::uint64_t element_count = 1;    ///< product of shape (overflow checked)
  bool is_parameter = false;
  bool conjugate = false;  ///< complex views whose values are conjugated or negated lazily
  bool negative = false;
  /// Whether its storage is what the file says; null where the file says nothing, or whoever holds the reference checks
  /// the file as a whole (check_storages).
  std::shared_ptr<const StorageCheck> check;

  [[nodiscard]] std::uint64_t logical_bytes() const { return (element_count * bits_per_element(dtype) + 7) / 8; }
  /// Whether the elements lie in C order without gaps (so that they can be read straight from the source).
  [[nodiscard]] bool is_contiguous() const;
  /// DESIGN: a tensor whose logical bytes exceed 64 times its storage's is told, not walked.
  [[nodiscard]] bool explodes() const { return logical_bytes() > 64 * storage_bytes; }
};

/// Reads the logical elements in C order: contiguous, little-endian, strides and lazy conjugation or negation applied.
/// Throws ArtifactError (kLimit) for a tensor that explodes().
[[nodiscard]] std::vector<std::byte> read_elements(const core::ByteSource& source, const TensorRef& tensor);
/// `count` of them from logical element `first_element` on (first_element + count <= element_count). Works for tensors
/// that explode, too: it holds `count` elements only.
[[nodiscard]] std::vector<std::byte> read_element_range(const core::ByteSource& source, const TensorRef& tensor,
                                                        std::uint64_t first_element, std::uint64_t count);
/// The same as read_elements in blocks of about `block_bytes` (whole elements), without holding the tensor; a block is
/// valid during the call only.
void for_each_block(const core::ByteSource& source, const TensorRef& tensor, std::size_t block_bytes,
                    const std::function<void(std::uint64_t first_element, std::span<const std::byte> elements)>& visit);

}  // namespace rlverify::tensor
