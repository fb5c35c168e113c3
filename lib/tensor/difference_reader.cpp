// SPDX-License-Identifier: Apache-2.0
// Buffers begin at page borders: the kernel copies whole pages fastest, and vector loads never cross a line.
#include "tensor/difference_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include "core/signals.h"
#include "tensor/mapped_window.h"
#include "tensor/storage_check.h"

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

/// What a thread maps at a time of each side, in blocks. Every unmapping interrupts all cores that this process runs
/// on, so a window is as large as a part where all cores together stay below 128 MiB, and smaller with more cores.
std::uint64_t blocks_per_window() {
  constexpr std::uint64_t kBlocksOfAllCores = 64;
  static const std::uint64_t kBlocks = std::clamp<std::uint64_t>(
      kBlocksOfAllCores / std::max(1U, std::thread::hardware_concurrency()), 2, kBlocksPerPart);
  return kBlocks;
}

/// A stretch of elements of both tensors.
struct Window {
  const TensorBytes& reference;
  const TensorBytes& candidate;
  std::uint64_t first;
  std::uint64_t count;

  [[nodiscard]] DType dtype() const { return reference.ref->dtype; }
};

/// Elements as they lie in the file; nothing when they don't lie there one after the other.
std::optional<FileStretch> file_stretch(const TensorBytes& tensor, const Window& window) {
  const TensorRef& ref = *tensor.ref;
  if (tensor.source->descriptor() < 0 || !ref.is_contiguous() || ref.conjugate || ref.negative) {
    return std::nullopt;
  }
  const std::uint64_t bits = bits_per_element(ref.dtype);
  return FileStretch{tensor.source, ref.data_offset + window.first * bits / 8,
                     static_cast<std::size_t>((window.count * bits + 7) / 8)};
}

/// Adds the blocks of a window, compared in place; nothing when that can't be done, or couldn't be done to the end.
std::optional<Difference> add_mapped(Difference total, const Window& window) {
  const auto left = file_stretch(window.reference, window);
  const auto right = file_stretch(window.candidate, window);
  if (!left || !right) {
    return std::nullopt;
  }
  const std::uint64_t step = block_elements(window.dtype());
  const std::uint64_t bits = bits_per_element(window.dtype());
  const bool seen =
      look_at_mapped(*left, *right, [&](std::span<const std::byte> reference, std::span<const std::byte> candidate) {
        for (std::uint64_t at = 0; at < window.count; at += step) {
          const std::uint64_t count = std::min(step, window.count - at);
          const auto begin = static_cast<std::size_t>(at * bits / 8);
          const auto size = static_cast<std::size_t>((count * bits + 7) / 8);
          total.add(compare_block(window.dtype(), window.first + at, count, reference.subspan(begin, size),
                                  candidate.subspan(begin, size)));
        }
      });
  return seen ? std::optional(total) : std::nullopt;
}

/// The same with the bytes read into buffers.
Difference add_read(Difference total, const Window& window, BlockBuffers& buffers) {
  walk_blocks(window.dtype(), window.first, window.first + window.count, [&](Stretch block) {
    const auto reference = buffers.reference.read(window.reference, block.first, block.count);
    const auto candidate = buffers.candidate.read(window.candidate, block.first, block.count);
    total.add(compare_block(window.dtype(), block.first, block.count, reference, candidate));
    return true;
  });
  return total;
}

/// Throws when the tensor's storage is not what its file says.
void require_whole(const TensorBytes& tensor) {
  if (tensor.ref->check) {
    tensor.ref->check->run(*tensor.source);
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
  const std::uint64_t end = part_begin(*reference.ref, part + 1);
  const std::uint64_t step = blocks_per_window() * block_elements(reference.ref->dtype);
  Difference total;
  for (std::uint64_t first = part_begin(*reference.ref, part); first < end; first += step) {
    core::check_interrupted();
    const Window window{reference, candidate, first, std::min(step, end - first)};
    const auto mapped = add_mapped(total, window);
    total = mapped ? *mapped : add_read(total, window, buffers);
  }
  if (!total.equal()) {
    require_whole(reference);
    require_whole(candidate);
  }
  return total;
}

Difference compare_tensors(const TensorBytes& reference, const TensorBytes& candidate, BlockBuffers& buffers) {
  Difference total;
  for (std::uint64_t part = 0; part < part_count(*reference.ref); ++part) {
    total.add(compare_part(reference, candidate, part, buffers));
  }
  return total;
}

void for_each_block_pair(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                         BlockBuffers& buffers, const std::function<bool(const BlockPair&)>& visit) {
  walk_blocks(reference.ref->dtype, part_begin(*reference.ref, part), part_begin(*reference.ref, part + 1),
              [&](Stretch block) {
                const auto reference_bytes = buffers.reference.read(reference, block.first, block.count);
                const auto candidate_bytes = buffers.candidate.read(candidate, block.first, block.count);
                return visit({block.first, block.count, reference_bytes, candidate_bytes});
              });
}

void extend_ranges(const TensorBytes& reference, const TensorBytes& candidate, std::uint64_t part,
                   BlockBuffers& buffers, Difference& difference) {
  const DType dtype = reference.ref->dtype;
  for_each_block_pair(reference, candidate, part, buffers, [&](const BlockPair& block) {
    extend_range(dtype, block.count, block.reference, difference.reference_range);
    extend_range(dtype, block.count, block.candidate, difference.candidate_range);
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
  require_whole(tensor);
}

}  // namespace rlverify::tensor
