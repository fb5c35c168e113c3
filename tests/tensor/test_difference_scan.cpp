// SPDX-License-Identifier: Apache-2.0
// The pass over equal blocks finds a single element wherever it lies: before the first whole vector, within the
// vectors, at the ends of what is read in one go, and after the last.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "tensor/difference.h"
#include "tensor/dtype.h"

using namespace rlverify;
using tensor::DType;

namespace {

struct Row {
  DType dtype;
  std::uint64_t one;
  std::uint64_t nan;
};

/// Elements of one value that begin `shift` bytes after a cache line.
class Block {
 public:
  Block(const Row& row, std::size_t shift, std::size_t count)
      : size_(tensor::bytes_per_element(row.dtype)), count_(count), bytes_(64 + shift + count * size_) {
    const auto past = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64;
    begin_ = (64 - past) % 64 + shift;
    for (std::size_t i = 0; i < count; ++i) {
      set(i, row.one);
    }
  }
  void set(std::size_t element, std::uint64_t value) { std::memcpy(at(element), &value, size_); }
  void flip(std::size_t element, std::size_t byte) { at(element)[byte] ^= std::byte{1}; }
  [[nodiscard]] std::span<const std::byte> view() const { return {bytes_.data() + begin_, count_ * size_}; }

 private:
  std::byte* at(std::size_t element) { return bytes_.data() + begin_ + element * size_; }
  std::size_t size_;
  std::size_t count_;
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
};

/// Places near every multiple of 256 bytes that the pass may stop at, and some between.
std::set<std::size_t> places(std::size_t count, std::size_t size) {
  std::set<std::size_t> out{0, 1, count - 2, count - 1};
  for (std::size_t byte = 0; byte < count * size; byte += 256) {
    for (const std::size_t near : {byte, byte + 40, byte + 255}) {
      out.insert(std::min(near / size, count - 1));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("one non-finite or different element is found at every place of a block", "[difference][scan]") {
  const Row row = GENERATE(Row{DType::kBfloat16, 0x3F80, 0x7FC0}, Row{DType::kFloat32, 0x3F800000, 0xFF800000},
                           Row{DType::kFloat64, 0x3FF0000000000000, 0x7FF0000000000001},
                           Row{DType::kFloat8E4m3fn, 0x38, 0xFF}, Row{DType::kFloat8E4m3fnuz, 0x40, 0x80});
  const std::size_t shift = GENERATE(0U, 8U, 56U);
  const std::size_t size = tensor::bytes_per_element(row.dtype);
  // Less than is read in one go, more, and a multiple.
  const std::size_t bytes = GENERATE(48U, 4096U, 3U * 4096U + 1000U);
  const std::size_t count = bytes / size;
  Block reference(row, shift, count);
  Block candidate(row, shift + 8, count);
  for (const std::size_t place : places(count, size)) {
    INFO(tensor::torch_name(row.dtype) << ", shift " << shift << ", " << bytes << " bytes, element " << place);
    reference.set(place, row.nan);
    candidate.set(place, row.nan);
    const auto equal = tensor::compare_block(row.dtype, 0, count, reference.view(), candidate.view());
    REQUIRE(equal.equal());
    REQUIRE(equal.reference_non_finite == 1);
    REQUIRE(equal.candidate_non_finite == 1);
    REQUIRE(equal.finite_pairs == count - 1);
    reference.set(place, row.one);
    candidate.set(place, row.one);
    candidate.flip(place, place % size);
    const auto different = tensor::compare_block(row.dtype, 0, count, reference.view(), candidate.view());
    REQUIRE(different.different_elements == 1);
    REQUIRE(different.first->element_index == place);
    candidate.flip(place, place % size);
  }
  CHECK(tensor::compare_block(row.dtype, 0, count, reference.view(), candidate.view()).reference_non_finite == 0);
  CHECK(tensor::compare_block(row.dtype, 0, 0, {}, {}).equal());
}
