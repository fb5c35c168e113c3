// SPDX-License-Identifier: Apache-2.0
// Where two tensors differ, element by element: for those who look for a pattern in the places. Equal blocks cost a
// memcmp.
#include <algorithm>
#include <cstring>

#include "tensor/difference_detail.h"
#include "tensor/difference_format.h"

namespace rlverify::tensor {
namespace {

/// Calls `visit` with the elements of a block whose bits differ, until it returns false.
template <typename Visit>
void visit_different(DType dtype, const BlockPair& block, const Visit& visit) {
  visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    const std::uint64_t components = is_complex(dtype) ? 2 : 1;
    for (std::uint64_t i = 0; i < block.count; ++i) {
      bool differs = false;
      for (std::uint64_t c = 0; c < components; ++c) {
        differs = differs || Format::load(block.reference.data(), i * components + c) !=
                                 Format::load(block.candidate.data(), i * components + c);
      }
      if (differs && !visit(block.first_element + i)) {
        return;
      }
    }
  });
}

}  // namespace

void for_each_different_batch(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                              const std::function<bool(std::span<const std::uint64_t>)>& visit) {
  constexpr std::size_t kBatch = 4096;
  std::vector<std::uint64_t> indices;
  indices.reserve(kBatch);
  bool wanted = true;
  const auto hand_over = [&] {
    wanted = wanted && (indices.empty() || visit(indices));
    indices.clear();
    return wanted;
  };
  for (std::uint64_t part = 0; wanted && part < part_count(*reference.ref); ++part) {
    for_each_block_pair(reference, candidate, part, buffers, [&](const BlockPair& block) {
      if (block.reference.empty() ||
          std::memcmp(block.reference.data(), block.candidate.data(), block.reference.size()) == 0) {
        return true;
      }
      visit_different(reference.ref->dtype, block, [&](std::uint64_t index) {
        indices.push_back(index);
        return indices.size() < kBatch || hand_over();
      });
      return wanted;
    });
  }
  hand_over();
}

void for_each_different_element(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers,
                                const std::function<bool(std::uint64_t)>& visit) {
  for_each_different_batch(reference, candidate, buffers, [&](std::span<const std::uint64_t> indices) {
    return std::all_of(indices.begin(), indices.end(), visit);
  });
}

}  // namespace rlverify::tensor
