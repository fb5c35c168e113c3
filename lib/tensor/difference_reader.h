// SPDX-License-Identifier: Apache-2.0
// Brings two tensors to tensor/difference.h block by block, from wherever they lie. Buffers belong to the caller and
// are used again, so comparing allocates nothing per block and holds two blocks per thread, whatever the size of the
// tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/byte_source.h"
#include "tensor/difference.h"
#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

/// A tensor and where its bytes come from.
struct TensorBytes {
  const core::ByteSource* source = nullptr;
  const TensorRef* ref = nullptr;
};

/// Room for one block of one side.
class BlockBuffer {
 public:
  /// `count` logical elements from `first_element` on (whole bytes: block_elements() at a time). Valid until the next
  /// call. Throws ArtifactError when they can't be read.
  [[nodiscard]] std::span<const std::byte> read(const TensorBytes& tensor, std::uint64_t first_element,
                                                std::uint64_t count);

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  std::vector<std::byte> gathered_;
};

/// The two buffers of one thread.
struct BlockBuffers {
  BlockBuffer reference;
  BlockBuffer candidate;
};

/// Number of parts of a tensor; an empty one has none.
[[nodiscard]] std::uint64_t part_count(const TensorRef& tensor);

/// Compares part `part` of two tensors of one dtype and shape. Parts may be compared in any order and by any thread;
/// joined in ascending order (Difference::add) they give the tensor's difference. Where they differ, both storages are
/// held against the CRC that their file states, and one that isn't whole is an ArtifactError, no difference. Equal
/// bytes need no such look: whatever happened to them, they are equal.
[[nodiscard]] Difference compare_part(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                                      BlockBuffers& buffers);

/// The parts of a tensor one after the other.
[[nodiscard]] Difference compare_tensors(const TensorBytes& reference, const TensorBytes& candidate,
                                         BlockBuffers& buffers);

/// Calls `visit` with the blocks of part `part` of two tensors of one dtype and shape, until it returns false.
void for_each_block_pair(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                         BlockBuffers& buffers, const std::function<bool(const BlockPair&)>& visit);

/// Completes both ranges of a difference over all of part `part`: for tensors that differ in some blocks only.
void extend_ranges(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                   BlockBuffers& buffers, Difference& difference);

/// Whether two tensors of one dtype and shape have the same bytes in the `count` elements from `first_element` on (as
/// far as the tensor goes); stops at the first block that differs. `first_element` is a multiple of block_elements().
[[nodiscard]] bool same_elements(const TensorBytes& reference, const TensorBytes& candidate,
                                 std::uint64_t first_element, std::uint64_t count, BlockBuffers& buffers);

/// Calls `visit` with each block of elements in C order. Throws ArtifactError after the last when the storage doesn't
/// have the CRC that its file states.
void for_each_block(const TensorBytes& tensor, BlockBuffer& buffer,
                    const std::function<void(std::uint64_t first_element, std::span<const std::byte> elements)>& visit);

}  // namespace rlverify::tensor
