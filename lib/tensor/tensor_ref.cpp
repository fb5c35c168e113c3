// SPDX-License-Identifier: Apache-2.0
// Reading through a tensor reference. Contiguous tensors are read (or, from memory, handed out) as they lie. Others are
// gathered block by block: the bytes that a block spans are read at once when they are few, else each run of
// neighbouring elements by itself, so memory never depends on the strides.
#include "tensor/tensor_ref.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {

constexpr std::uint64_t kGatherSpanBytes = 16ULL << 20;

/// One dimension of the walk: neighbouring dimensions that lie as one in memory are merged.
struct Dimension {
  std::uint64_t size;
  std::uint64_t stride;  // in elements; readers refuse negative ones
};

std::vector<Dimension> merged_dimensions(const TensorRef& tensor) {
  std::vector<Dimension> merged;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 1) {
      continue;
    }
    const Dimension next{tensor.shape[i], static_cast<std::uint64_t>(tensor.strides[i])};
    if (!merged.empty() && merged.back().stride == next.stride * next.size) {
      merged.back() = {merged.back().size * next.size, next.stride};
    } else {
      merged.push_back(next);
    }
  }
  return merged;
}

/// Walks runs of elements that lie side by side, in logical order.
class RunWalker {
 public:
  RunWalker(const TensorRef& tensor, std::uint64_t first_element)
      : dimensions_(merged_dimensions(tensor)), position_(dimensions_.size()) {
    if (!dimensions_.empty() && dimensions_.back().stride == 1) {
      run_size_ = dimensions_.back().size;
      dimensions_.pop_back();
      position_.pop_back();
    }
    within_ = first_element % run_size_;
    std::uint64_t rest = first_element / run_size_;
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
      position_[i] = rest % dimensions_[i].size;
      rest /= dimensions_[i].size;
      offset_ += position_[i] * dimensions_[i].stride;
    }
  }

  /// First element (relative to the tensor's first) and length of the rest of this run.
  [[nodiscard]] std::uint64_t offset() const { return offset_ + within_; }
  [[nodiscard]] std::uint64_t left() const { return run_size_ - within_; }

  void advance(std::uint64_t elements) {
    within_ += elements;
    if (within_ < run_size_) {
      return;
    }
    within_ = 0;
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
      offset_ += dimensions_[i].stride;
      if (++position_[i] < dimensions_[i].size) {
        return;
      }
      offset_ -= dimensions_[i].stride * dimensions_[i].size;
      position_[i] = 0;
    }
  }

 private:
  std::vector<Dimension> dimensions_;
  std::vector<std::uint64_t> position_;
  std::uint64_t run_size_ = 1;
  std::uint64_t within_ = 0;
  std::uint64_t offset_ = 0;
};

/// The elements that `count` steps of `walker` touch: [first, last].
std::array<std::uint64_t, 2> touched_range(RunWalker walker, std::uint64_t count) {
  std::array<std::uint64_t, 2> range{walker.offset(), walker.offset()};
  while (count > 0) {
    const std::uint64_t run = std::min(walker.left(), count);
    range[0] = std::min(range[0], walker.offset());
    range[1] = std::max(range[1], walker.offset() + run - 1);
    walker.advance(run);
    count -= run;
  }
  return range;
}

void gather(const core::ByteSource& source, const TensorRef& tensor, std::uint64_t first_element,
            std::span<std::byte> out) {
  const std::uint64_t element_bytes = bytes_per_element(tensor.dtype);
  std::uint64_t left = out.size() / element_bytes;
  RunWalker walker(tensor, first_element);
  const auto touched = touched_range(walker, left);
  const std::uint64_t span_bytes = (touched[1] - touched[0] + 1) * element_bytes;
  std::vector<std::byte> span;
  if (source.memory().empty() && span_bytes <= std::max<std::uint64_t>(kGatherSpanBytes, 4 * out.size())) {
    span.resize(span_bytes);
    source.read(tensor.data_offset + touched[0] * element_bytes, span);
  }
  std::size_t written = 0;
  while (left > 0) {
    const std::uint64_t run = std::min(walker.left(), left);
    const auto target = out.subspan(written, run * element_bytes);
    if (span.empty()) {
      source.read(tensor.data_offset + walker.offset() * element_bytes, target);
    } else {
      std::memcpy(target.data(), span.data() + (walker.offset() - touched[0]) * element_bytes, target.size());
    }
    written += target.size();
    walker.advance(run);
    left -= run;
  }
}

void flip_sign(std::span<std::byte> component) {
  component.back() ^= std::byte{0x80};
}  // little-endian: the sign is in the last byte

/// Applies what complex views leave to the reader: conj() flips the imaginary parts' signs, neg() all signs.
void resolve_lazy_bits(const TensorRef& tensor, std::span<std::byte> elements) {
  if (!tensor.conjugate && !tensor.negative) {
    return;
  }
  const std::size_t component_bytes =
      is_complex(tensor.dtype) ? bytes_per_element(tensor.dtype) / 2 : bytes_per_element(tensor.dtype);
  bool imaginary = false;
  for (std::size_t at = 0; at < elements.size(); at += component_bytes) {
    const bool flip = tensor.negative != (tensor.conjugate && imaginary);
    if (flip) {
      flip_sign(elements.subspan(at, component_bytes));
    }
    imaginary = is_complex(tensor.dtype) && !imaginary;
  }
}

}  // namespace

bool TensorRef::is_contiguous() const {
  std::uint64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && static_cast<std::uint64_t>(strides[i]) != expected) {
      return element_count == 0;
    }
    expected *= shape[i];
  }
  return true;
}

std::vector<std::byte> read_element_range(const core::ByteSource& source, const TensorRef& tensor,
                                          std::uint64_t first_element, std::uint64_t count) {
  const std::uint64_t bits = bits_per_element(tensor.dtype);
  if (tensor.is_contiguous()) {
    // Sub-byte elements are packed; a range of them begins and ends at whole bytes.
    const std::uint64_t begin = first_element * bits / 8;
    std::vector<std::byte> bytes(((first_element + count) * bits + 7) / 8 - begin);
    if (!bytes.empty()) {
      source.read(tensor.data_offset + begin, bytes);
    }
    resolve_lazy_bits(tensor, bytes);
    return bytes;
  }
  std::vector<std::byte> bytes(count * bits / 8);
  if (!bytes.empty()) {
    gather(source, tensor, first_element, bytes);
  }
  resolve_lazy_bits(tensor, bytes);
  return bytes;
}

namespace {

void refuse_exploding(const core::ByteSource& source, const TensorRef& tensor) {
  if (tensor.explodes()) {
    fail(core::ProblemKind::kLimit, source.name(), tensor.data_offset,
         fmt::format("a tensor of at most 64 times the {} bytes of its storage", tensor.storage_bytes),
         fmt::format("one whose strides unfold to {} bytes", tensor.logical_bytes()));
  }
}

}  // namespace

std::vector<std::byte> read_elements(const core::ByteSource& source, const TensorRef& tensor) {
  refuse_exploding(source, tensor);
  return read_element_range(source, tensor, 0, tensor.element_count);
}

void for_each_block(
    const core::ByteSource& source, const TensorRef& tensor, std::size_t block_bytes,
    const std::function<void(std::uint64_t first_element, std::span<const std::byte> elements)>& visit) {
  refuse_exploding(source, tensor);
  const std::uint64_t bits = bits_per_element(tensor.dtype);
  // A multiple of eight elements is a whole number of bytes for every type.
  const std::uint64_t block_elements = std::max<std::uint64_t>(block_bytes * 8ULL / bits / 8 * 8, 8);
  const auto memory = source.memory();
  const bool in_place = !memory.empty() && tensor.is_contiguous() && !tensor.conjugate && !tensor.negative;
  for (std::uint64_t first = 0; first < tensor.element_count; first += block_elements) {
    const std::uint64_t count = std::min(block_elements, tensor.element_count - first);
    if (in_place) {
      visit(first, memory.subspan(tensor.data_offset + first * bits / 8, (count * bits + 7) / 8));
    } else {
      visit(first, read_element_range(source, tensor, first, count));
    }
  }
}

}  // namespace rlverify::tensor
