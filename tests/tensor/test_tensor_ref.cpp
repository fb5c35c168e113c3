// SPDX-License-Identifier: Apache-2.0
// Reading through references, from memory and from a file that isn't held in memory: both must give the elements that
// plain index arithmetic gives.
#include <catch2/catch.hpp>
#include <numeric>

#include "core/errors.h"
#include "tensor/tensor_ref.h"

using namespace rlverify;
using namespace rlverify::tensor;

namespace {

/// Bytes that say they are not in memory, as a large file.
class RemoteSource final : public core::ByteSource {
 public:
  explicit RemoteSource(std::vector<std::byte> bytes)
      : core::ByteSource("remote", bytes.size()), bytes_(std::move(bytes)) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    REQUIRE(offset + out.size() <= bytes_.size());
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> counting_bytes(std::size_t elements) {
  std::vector<std::uint16_t> numbers(elements);
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  std::vector<std::byte> bytes(2 * elements + 3, std::byte{0xEE});  // 3 bytes before the data: nothing is aligned
  std::copy_n(reinterpret_cast<const std::byte*>(numbers.data()), 2 * elements, bytes.begin() + 3);
  return bytes;
}

TensorRef reference(std::vector<std::uint64_t> shape, std::vector<std::int64_t> strides, std::uint64_t offset = 0) {
  TensorRef tensor;
  tensor.dtype = DType::kInt16;
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  tensor.storage_offset = offset;
  tensor.data_offset = 3 + 2 * offset;
  tensor.storage_bytes = 2000;
  tensor.element_count = 1;
  for (const std::uint64_t size : tensor.shape) {
    tensor.element_count *= size;
  }
  return tensor;
}

/// The element numbers by nested loops.
std::vector<std::uint16_t> expected(const TensorRef& tensor) {
  std::vector<std::uint16_t> numbers;
  for (std::uint64_t i = 0; i < tensor.element_count; ++i) {
    std::uint64_t rest = i;
    std::uint64_t at = tensor.storage_offset;
    for (std::size_t d = tensor.shape.size(); d-- > 0;) {
      at += rest % tensor.shape[d] * static_cast<std::uint64_t>(tensor.strides[d]);
      rest /= tensor.shape[d];
    }
    numbers.push_back(static_cast<std::uint16_t>(at));
  }
  return numbers;
}

std::vector<std::uint16_t> numbers_of(std::span<const std::byte> bytes) {
  std::vector<std::uint16_t> numbers(bytes.size() / 2);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(numbers.data()));
  return numbers;
}

}  // namespace

TEST_CASE("elements of all sorts of views, whole, in ranges and in blocks") {
  const std::vector<TensorRef> tensors{
      reference({1000}, {1}),
      reference({10, 100}, {100, 1}),
      reference({100, 10}, {1, 100}),
      reference({10, 5}, {100, 2}, 7),
      reference({3, 4, 5}, {1, 3, 12}),
      reference({4, 3, 5}, {0, 5, 1}),
      reference({}, {}, 999),
      reference({0, 7}, {7, 1}),
      reference({1, 9, 1}, {77, 1, 99}),
      reference({2, 3, 4}, {500, 4, 1}),
      reference({5, 1, 6}, {6, 123, 1}),
      reference({20}, {0}, 3),
  };
  const core::MemorySource memory("memory", counting_bytes(1000));
  const RemoteSource remote(counting_bytes(1000));
  for (const TensorRef& tensor : tensors) {
    const auto wanted = expected(tensor);
    for (const core::ByteSource* source :
         {static_cast<const core::ByteSource*>(&memory), static_cast<const core::ByteSource*>(&remote)}) {
      CHECK(numbers_of(read_elements(*source, tensor)) == wanted);
      for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{16}, std::size_t{50}, std::size_t{4096}}) {
        std::vector<std::uint16_t> collected;
        for_each_block(*source, tensor, block_bytes, [&](std::uint64_t first, std::span<const std::byte> block) {
          CHECK(first == collected.size());
          const auto numbers = numbers_of(block);
          collected.insert(collected.end(), numbers.begin(), numbers.end());
        });
        CHECK(collected == wanted);
      }
      for (std::uint64_t first = 0; first < tensor.element_count; first += 7) {
        const std::uint64_t count = std::min<std::uint64_t>(5, tensor.element_count - first);
        const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(first);
        CHECK(numbers_of(read_element_range(*source, tensor, first, count)) ==
              std::vector<std::uint16_t>(begin, begin + static_cast<std::ptrdiff_t>(count)));
      }
    }
  }
}

TEST_CASE("what is contiguous") {
  CHECK(reference({2, 3}, {3, 1}).is_contiguous());
  CHECK(reference({2, 1, 3}, {3, 99, 1}).is_contiguous());
  CHECK(reference({}, {}).is_contiguous());
  CHECK(reference({0, 5}, {1, 1}).is_contiguous());
  CHECK_FALSE(reference({2, 3}, {1, 2}).is_contiguous());
  CHECK_FALSE(reference({3}, {2}).is_contiguous());
}

TEST_CASE("64 times its storage is the limit of what is walked") {
  TensorRef tensor = reference({64}, {0});
  tensor.storage_bytes = 2;
  CHECK_FALSE(tensor.explodes());
  tensor = reference({65}, {0});
  tensor.storage_bytes = 2;
  CHECK(tensor.explodes());
  const core::MemorySource memory("memory", counting_bytes(1000));
  CHECK_THROWS_AS(read_elements(memory, tensor), core::ArtifactError);
  CHECK_THROWS_AS(for_each_block(memory, tensor, 64, [](std::uint64_t, std::span<const std::byte>) {}),
                  core::ArtifactError);
}
