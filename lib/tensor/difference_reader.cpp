// SPDX-License-Identifier: Apache-2.0
// Buffers begin at page borders: the kernel copies whole pages fastest, and vector loads never cross a line.
#include "tensor/difference_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/signals.h"
#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {

constexpr std::size_t kPageBytes = 4096;

struct Stretch {
  std::uint64_t first;
  std::uint64_t count;
};

/// Visits the blocks of elements [begin, end) until `visit` says stop (false).
template <typename Visit>
void walk_blocks(DType dtype, std::uint64_t begin, std::uint64_t end, const Visit& visit) {
  const std::uint64_t step = block_elements(dtype);
  for (std::uint64_t first = begin; first < end; first += step) {
    core::check_interrupted();
    if (!visit(Stretch{first, std::min(step, end - first)})) {
      return;
    }
  }
}

std::uint64_t part_begin(const TensorRef& tensor, std::uint64_t part) {
  return std::min(tensor.element_count, part * part_elements(tensor.dtype));
}

}  // namespace

void BlockBuffer::Free::operator()(std::byte* bytes) const {
  std::free(bytes);
}

std::span<const std::byte> BlockBuffer::read(const TensorBytes& tensor, std::uint64_t first_element,
                                             std::uint64_t count) {
  const TensorRef& ref = *tensor.ref;
  if (!ref.is_contiguous() || ref.conjugate || ref.negative) {
    gathered_ = read_element_range(*tensor.source, ref, first_element, count);
    return gathered_;
  }
  const std::uint64_t bits = bits_per_element(ref.dtype);
  const std::uint64_t offset = ref.data_offset + first_element * bits / 8;
  const auto bytes = static_cast<std::size_t>((count * bits + 7) / 8);
  if (const auto memory = tensor.source->memory(); !memory.empty()) {
    return memory.subspan(static_cast<std::size_t>(offset), bytes);
  }
  if (!bytes_) {
    bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, kBlockBytes)));
    if (!bytes_) {
      throw std::bad_alloc();
    }
  }
  const std::span<std::byte> block(bytes_.get(), bytes);
  tensor.source->read(offset, block);
  return block;
}

std::uint64_t part_count(const TensorRef& tensor) {
  const std::uint64_t elements = part_elements(tensor.dtype);
  return tensor.element_count / elements + (tensor.element_count % elements != 0 ? 1 : 0);
}

Difference compare_part(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                        BlockBuffers& buffers) {
  const DType dtype = reference.ref->dtype;
  Difference total;
  walk_blocks(dtype, part_begin(*reference.ref, part), part_begin(*reference.ref, part + 1), [&](Stretch block) {
    const auto reference_bytes = buffers.reference.read(reference, block.first, block.count);
    const auto candidate_bytes = buffers.candidate.read(candidate, block.first, block.count);
    total.add(compare_block(dtype, block.first, block.count, reference_bytes, candidate_bytes));
    return true;
  });
  return total;
}

Difference compare_tensors(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers) {
  Difference total;
  for (std::uint64_t part = 0; part < part_count(*reference.ref); ++part) {
    total.add(compare_part(reference, candidate, part, buffers));
  }
  return total;
}

void extend_ranges(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                   BlockBuffers& buffers, Difference& difference) {
  const DType dtype = reference.ref->dtype;
  walk_blocks(dtype, part_begin(*reference.ref, part), part_begin(*reference.ref, part + 1), [&](Stretch block) {
    extend_range(dtype, block.count, buffers.reference.read(reference, block.first, block.count),
                 difference.reference_range);
    extend_range(dtype, block.count, buffers.candidate.read(candidate, block.first, block.count),
                 difference.candidate_range);
    return true;
  });
}

bool same_elements(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t first_element,
                   std::uint64_t count, BlockBuffers& buffers) {
  bool same = true;
  const std::uint64_t begin = std::min(first_element, reference.ref->element_count);
  walk_blocks(reference.ref->dtype, begin, begin + std::min(count, reference.ref->element_count - begin),
              [&](Stretch block) {
                const auto reference_bytes = buffers.reference.read(reference, block.first, block.count);
                const auto candidate_bytes = buffers.candidate.read(candidate, block.first, block.count);
                same = reference_bytes.empty() ||
                       std::memcmp(reference_bytes.data(), candidate_bytes.data(), reference_bytes.size()) == 0;
                return same;
              });
  return same;
}

void for_each_block(const TensorBytes& tensor, BlockBuffer& buffer,
                    const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) {
  walk_blocks(tensor.ref->dtype, 0, tensor.ref->element_count, [&](Stretch block) {
    visit(block.first, buffer.read(tensor, block.first, block.count));
    return true;
  });
}

}  // namespace rlverify::tensor
