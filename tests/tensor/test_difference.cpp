// SPDX-License-Identifier: Apache-2.0
// Differences of tensors: classes, places and sums against values worked out by hand, and against a plain second way of
// counting.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/test_support.h"
#include "tensor/difference.h"
#include "tensor/difference_reader.h"
#include "tensor/element.h"
#include "tensor/safetensors_builder.h"
#include "tensor/safetensors_reader.h"

using namespace rlverify;
using tensor::Difference;
using tensor::DifferenceClass;
using tensor::DType;
using namespace tensor::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <typename Number>
Difference compare(DType dtype, const std::vector<Number>& reference, const std::vector<Number>& candidate) {
  const std::string a = raw(reference);
  const std::string b = raw(candidate);
  return tensor::compare_block(dtype, 0, a.size() * 8 / tensor::bits_per_element(dtype), bytes_of(a), bytes_of(b));
}

DifferenceClass class_of(float reference, float candidate) {
  const Difference difference = compare<float>(DType::kFloat32, {1, reference}, {1, candidate});
  REQUIRE(difference.first);
  CHECK(difference.first->element_index == 1);
  CHECK(difference.class_counts[static_cast<std::size_t>(difference.first->difference_class)] == 1);
  return difference.first->difference_class;
}

float from_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

}  // namespace

TEST_CASE("each pair of unequal elements has one class", "[difference]") {
  CHECK(class_of(0.0F, -0.0F) == DifferenceClass::kSignOfZero);
  CHECK(class_of(from_bits(0x7FC00000U), from_bits(0x7FC00001U)) == DifferenceClass::kNanPayload);
  CHECK(class_of(from_bits(0x7FC00000U), kInf) == DifferenceClass::kNanAgainstNumber);
  CHECK(class_of(1.0F, from_bits(0xFFC00000U)) == DifferenceClass::kNanAgainstNumber);
  CHECK(class_of(kInf, -kInf) == DifferenceClass::kInfinity);
  CHECK(class_of(std::numeric_limits<float>::max(), kInf) == DifferenceClass::kInfinity);
  CHECK(class_of(0.0F, from_bits(1)) == DifferenceClass::kSubnormal);
  CHECK(class_of(from_bits(0x007FFFFFU), from_bits(0x00800000U)) == DifferenceClass::kSubnormal);
  CHECK(class_of(1.0F, std::nextafter(1.0F, 2.0F)) == DifferenceClass::kOneUlp);
  CHECK(class_of(from_bits(0x3F800000U), from_bits(0x3F800002U)) == DifferenceClass::kFewUlp);
  CHECK(class_of(from_bits(0x3F800010U), from_bits(0x3F800000U)) == DifferenceClass::kFewUlp);
  CHECK(class_of(from_bits(0x3F800011U), from_bits(0x3F800000U)) == DifferenceClass::kManyUlp);
  CHECK(class_of(1.0F, -1.0F) == DifferenceClass::kManyUlp);
}

TEST_CASE("statistics are of candidate - reference over pairs that are finite", "[difference]") {
  const Difference difference = compare<float>(DType::kFloat32, {1, 2, kInf, 4, -8}, {1.5F, 2, 3, NAN, -9});
  CHECK(difference.elements == 5);
  CHECK(difference.different_elements == 4);
  CHECK(difference.finite_pairs == 3);
  CHECK(difference.sum_abs_difference == 1.5);
  CHECK(difference.sum_difference == -0.5);
  CHECK(difference.mean_abs_difference() == 0.5);
  CHECK(difference.max_abs_difference == 1.0);
  CHECK(difference.max_abs_index == 4);
  CHECK(difference.max_ulp_distance == 0x400000);  // 1 to 1.5 is half a binade of 2^23
  CHECK(difference.max_ulp_index == 0);
  CHECK(difference.reference_non_finite == 1);
  CHECK(difference.candidate_non_finite == 1);
  CHECK(difference.reference_range.minimum == -8);
  CHECK(difference.reference_range.maximum == 4);
  CHECK(difference.candidate_range.minimum == -9);
  CHECK(difference.candidate_range.maximum == 3);
}

TEST_CASE("distances on the line of numbers cross zero and reach from end to end", "[difference]") {
  CHECK(compare<float>(DType::kFloat32, {from_bits(1)}, {from_bits(0x80000001U)}).max_ulp_distance == 2);
  const double largest = std::numeric_limits<double>::max();
  CHECK(compare<double>(DType::kFloat64, {largest}, {-largest}).max_ulp_distance == 2 * 0x7FEFFFFFFFFFFFFFULL);
  CHECK(compare<std::int64_t>(DType::kInt64, {std::numeric_limits<std::int64_t>::min()},
                              {std::numeric_limits<std::int64_t>::max()})
            .max_ulp_distance == std::numeric_limits<std::uint64_t>::max());
  CHECK(compare<std::int8_t>(DType::kInt8, {-128}, {127}).max_ulp_distance == 255);
  CHECK(compare<std::uint8_t>(DType::kUint8, {3}, {2}).sum_difference == -1);
  CHECK(compare<std::uint16_t>(DType::kBfloat16, {0x3F80}, {0x3F81}).max_abs_difference == 0x1p-7);
  CHECK(compare<std::uint16_t>(DType::kFloat16, {0x3C00}, {0x3C01}).max_abs_difference == 0x1p-10);
}

TEST_CASE("small formats follow their tables", "[difference]") {
  const auto one = [](DType dtype, std::uint8_t a, std::uint8_t b) { return compare<std::uint8_t>(dtype, {a}, {b}); };
  CHECK(one(DType::kFloat8E4m3fn, 0x38, 0x39).sum_difference == 0.125);  // 1.0 and 1.125
  CHECK(one(DType::kFloat8E4m3fn, 0x7E, 0x7F).class_counts[2] == 1);     // 448 and NaN
  CHECK(one(DType::kFloat8E5m2, 0x7B, 0x7C).class_counts[3] == 1);       // 57344 and infinity
  CHECK(one(DType::kFloat8E5m2, 0x7D, 0x7E).class_counts[1] == 1);
  CHECK(one(DType::kFloat8E4m3fnuz, 0x00, 0x80).class_counts[2] == 1);   // 0 and NaN: there is no -0
  CHECK(one(DType::kFloat8E5m2fnuz, 0x40, 0x44).sum_difference == 1.0);  // 1 and 2
  CHECK(one(DType::kFloat8E8m0fnu, 0x7F, 0x80).sum_difference == 1.0);   // 2^0 and 2^1
  CHECK(one(DType::kFloat8E8m0fnu, 0xFE, 0xFF).class_counts[2] == 1);
  CHECK(one(DType::kFloat8E8m0fnu, 0x00, 0x01).max_abs_difference == 0x1p-127);
  CHECK(one(DType::kFloat8E4m3fn, 0x00, 0x01).class_counts[4] == 1);  // subnormal
}

TEST_CASE("packed elements are counted one by one", "[difference]") {
  // F4, low half of each byte first: 0x21 is 0.5 (code 1) and 1.0 (code 2).
  const Difference f4 = compare<std::uint8_t>(DType::kFloat4E2m1, {0x21, 0x21}, {0x21, 0x31});
  CHECK(f4.elements == 4);
  CHECK(f4.different_elements == 1);
  CHECK(f4.first->element_index == 3);
  CHECK(f4.sum_difference == 0.5);
  CHECK(tensor::element_text(DType::kFloat4E2m1, f4.first->candidate) == "1.5 (0x3)");
  // F6: four codes in 24 bits from the low end: 1, 2, 3, 4 is 0x103081.
  const Difference f6 = compare<std::uint8_t>(DType::kFloat6E3m2, {0x81, 0x30, 0x10}, {0x81, 0x30, 0x14});
  CHECK(f6.elements == 4);
  CHECK(f6.different_elements == 1);
  CHECK(f6.first->element_index == 3);
  CHECK(tensor::element_text(DType::kFloat6E3m2, f6.first->reference) == "0.25 (0x04)");
  CHECK(tensor::element_text(DType::kFloat6E3m2, f6.first->candidate) == "0.3125 (0x05)");
}

TEST_CASE("complex elements are one place and two values", "[difference]") {
  const Difference difference = compare<float>(DType::kComplex64, {1, 2, 3, 4, kInf, kInf}, {1, 2, 5, 6, kInf, kInf});
  CHECK(difference.elements == 3);
  CHECK(difference.different_elements == 1);
  CHECK(difference.first->element_index == 1);
  CHECK(difference.class_counts[7] == 2);
  CHECK(difference.finite_pairs == 4);
  CHECK(difference.reference_non_finite == 1);
  CHECK(difference.sum_difference == 4);
  CHECK(tensor::element_text(DType::kComplex64, difference.first->candidate) == "5.0 + 6.0i (0x40a00000, 0x40c00000)");
  const Difference equal = compare<float>(DType::kComplex64, {1, kInf, NAN, NAN}, {1, kInf, NAN, NAN});
  CHECK(equal.equal());
  CHECK(equal.reference_non_finite == 2);
  CHECK(equal.finite_pairs == 1);
}

TEST_CASE("elements are shown with their bits", "[difference]") {
  const auto shown = [](DType dtype, auto value) {
    return tensor::element_text(dtype, bytes_of(raw<decltype(value)>({value})));
  };
  CHECK(shown(DType::kFloat32, -0.0F) == "-0.0 (0x80000000)");
  CHECK(shown(DType::kFloat32, 0.1F) == "0.10000000149011612 (0x3dcccccd)");
  CHECK(shown(DType::kBfloat16, std::uint16_t{0x7FC1}) == "nan (0x7fc1)");
  CHECK(shown(DType::kFloat16, std::uint16_t{0xFC00}) == "-inf (0xfc00)");
  CHECK(shown(DType::kFloat64, 1e22) == "1e+22 (0x4480f0cf064dd592)");
  CHECK(shown(DType::kInt16, std::int16_t{-2}) == "-2 (0xfffe)");
  CHECK(shown(DType::kBool, std::uint8_t{1}) == "true (0x01)");
  CHECK(shown(DType::kBool, std::uint8_t{7}) == "7 (0x07)");
  CHECK(tensor::index_text(std::vector<std::uint64_t>{3, 4, 5}, 47) == "[2, 1, 2]");
  CHECK(tensor::index_text({}, 0) == "[]");
}

TEST_CASE("non-finite elements are counted in equal blocks of every floating type", "[difference]") {
  struct Row {
    DType dtype;
    std::uint64_t one;    // 1.0
    std::uint64_t other;  // NaN or infinity
  };
  const std::vector<Row> rows = {
      {DType::kFloat16, 0x3C00, 0xFC00},         {DType::kBfloat16, 0x3F80, 0x7F81},
      {DType::kFloat32, 0x3F800000, 0xFF800000}, {DType::kFloat64, 0x3FF0000000000000, 0x7FF0000000000001},
      {DType::kFloat8E4m3fn, 0x38, 0xFF},        {DType::kFloat8E5m2, 0x3C, 0x7C},
      {DType::kFloat8E4m3fnuz, 0x40, 0x80},      {DType::kFloat8E5m2fnuz, 0x40, 0x80},
      {DType::kFloat8E8m0fnu, 0x7F, 0xFF}};
  for (const Row& row : rows) {
    const auto size = static_cast<int>(tensor::bytes_per_element(row.dtype));
    std::string block;
    constexpr std::uint64_t kCount = 40'003;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      block += le(i % 5 == 4 ? row.other : row.one, size);
    }
    INFO(tensor::torch_name(row.dtype));
    CHECK(tensor::count_non_finite(row.dtype, bytes_of(block)) == kCount / 5);
    const Difference difference = tensor::compare_block(row.dtype, 0, kCount, bytes_of(block), bytes_of(block));
    CHECK(difference.equal());
    CHECK(difference.reference_non_finite == kCount / 5);
    CHECK(difference.finite_pairs == kCount - kCount / 5);
    // Every element, so that no count in a narrow lane can overflow unseen.
    const std::string all = [&] {
      std::string text;
      for (std::uint64_t i = 0; i < kCount; ++i) {
        text += le(row.other, size);
      }
      return text;
    }();
    CHECK(tensor::count_non_finite(row.dtype, bytes_of(all)) == kCount);
  }
  CHECK(tensor::count_non_finite(DType::kInt32, bytes_of(std::string(8, '\xff'))) == 0);
  CHECK(tensor::count_non_finite(DType::kFloat4E2m1, bytes_of(std::string(8, '\xff'))) == 0);
}

TEST_CASE("a tensor gives the same sums whole, by part, and in the stated order", "[difference]") {
  const std::uint64_t count = tensor::part_elements(DType::kFloat32) + tensor::block_elements(DType::kFloat32) + 5;
  std::mt19937 random(7);
  std::vector<float> a(count);
  std::vector<float> b(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(random()) * 0x1p-31F - 1.0F;
    b[i] = i % 3 == 0 ? a[i] : a[i] * 1.0001F;
  }
  const std::string file_a = safetensors({{"w", "F32", {count}, raw(a)}});
  const std::string file_b = safetensors({{"w", "F32", {count}, raw(b)}});
  const core::test::CopyingSource source_a("a", file_a);
  const core::test::CopyingSource source_b("b", file_b);
  const auto read_a = tensor::read_safetensors(source_a);
  const auto read_b = tensor::read_safetensors(source_b);
  tensor::BlockBuffers buffers;
  const tensor::TensorBytes left{&source_a, &read_a.tensors[0].ref};
  const tensor::TensorBytes right{&source_b, &read_b.tensors[0].ref};
  const Difference whole = tensor::compare_tensors(left, right, buffers);

  // The stated order, written out once more.
  double expected = 0;
  std::uint64_t different = 0;
  for (std::uint64_t part = 0; part < 2; ++part) {
    double part_sum = 0;
    const std::uint64_t part_end = std::min(count, (part + 1) * tensor::part_elements(DType::kFloat32));
    for (std::uint64_t block = part * tensor::part_elements(DType::kFloat32); block < part_end;
         block += tensor::block_elements(DType::kFloat32)) {
      std::array<double, 16> lanes{};
      for (std::uint64_t i = block; i < std::min(part_end, block + tensor::block_elements(DType::kFloat32)); ++i) {
        lanes[(i - block) % 16] += static_cast<double>(b[i]) - static_cast<double>(a[i]);
        different += a[i] != b[i] ? 1U : 0U;
      }
      for (std::size_t width : {8U, 4U, 2U, 1U}) {
        for (std::size_t i = 0; i < width; ++i) {
          lanes[i] += lanes[i + width];
        }
      }
      part_sum += lanes[0];
    }
    expected += part_sum;
  }
  CHECK(whole.sum_difference == expected);
  CHECK(whole.different_elements == different);
  CHECK(whole.elements == count);
  CHECK(whole.blocks == 34);
  Difference joined = tensor::compare_part(left, right, 1, buffers);
  Difference first = tensor::compare_part(left, right, 0, buffers);
  first.add(joined);
  CHECK(first.sum_difference == whole.sum_difference);
  CHECK(first.sum_abs_difference == whole.sum_abs_difference);
  CHECK(first.first->element_index == whole.first->element_index);
  CHECK(first.max_abs_index == whole.max_abs_index);
}

TEST_CASE("ranges of a tensor that differs in one block are completed", "[difference]") {
  const std::uint64_t count = 2 * tensor::block_elements(DType::kFloat32);
  std::vector<float> a(count, 0.5F);
  a[0] = -100;
  std::vector<float> b = a;
  b[count - 1] = 7;
  const core::MemorySource source_a("a", safetensors({{"w", "F32", {count}, raw(a)}}));
  const core::MemorySource source_b("b", safetensors({{"w", "F32", {count}, raw(b)}}));
  const auto read_a = tensor::read_safetensors(source_a);
  const auto read_b = tensor::read_safetensors(source_b);
  const tensor::TensorBytes left{&source_a, &read_a.tensors[0].ref};
  const tensor::TensorBytes right{&source_b, &read_b.tensors[0].ref};
  tensor::BlockBuffers buffers;
  Difference difference = tensor::compare_tensors(left, right, buffers);
  CHECK(difference.different_blocks == 1);
  CHECK(difference.reference_range.minimum == 0.5);
  tensor::extend_ranges(left, right, 0, buffers, difference);
  CHECK(difference.reference_range.minimum == -100);
  CHECK(difference.candidate_range.maximum == 7);
  CHECK(tensor::same_elements(left, right, 0, count / 2, buffers));
  CHECK_FALSE(tensor::same_elements(left, right, 0, count, buffers));
}

TEST_CASE("strided and contiguous tensors of the same values are equal", "[difference][B06]") {
  // A 10-element view at offset 990 of 1,000 elements against its clone; a transposed view against a contiguous copy.
  std::vector<float> storage_values(1000);
  for (std::size_t i = 0; i < storage_values.size(); ++i) {
    storage_values[i] = static_cast<float>(i);
  }
  const std::vector<float> clone(storage_values.begin() + 990, storage_values.end());
  const std::string view_file =
      pt_zip(tensor_v2(storage("FloatStorage", "0", 1000), 990, {10}, {1}), {{"0", raw(storage_values)}});
  const std::string clone_file = pt_zip(tensor_v2(storage("FloatStorage", "0", 10), 0, {10}, {1}), {{"0", raw(clone)}});
  const std::string transposed =
      pt_zip(tensor_v2(storage("FloatStorage", "0", 6), 0, {3, 2}, {1, 3}), {{"0", raw<float>({1, 2, 3, 4, 5, 6})}});
  const std::string contiguous =
      pt_zip(tensor_v2(storage("FloatStorage", "0", 6), 0, {3, 2}, {2, 1}), {{"0", raw<float>({1, 4, 2, 5, 3, 6})}});
  for (const auto& [a, b] : {std::pair(view_file, clone_file), std::pair(transposed, contiguous)}) {
    const core::MemorySource source_a("a", a);
    const core::MemorySource source_b("b", b);
    const auto read_a = tensor::read_pt(source_a);
    const auto read_b = tensor::read_pt(source_b);
    tensor::BlockBuffers buffers;
    CHECK(tensor::compare_tensors({&source_a, &read_a.tensors.at(0)}, {&source_b, &read_b.tensors.at(0)}, buffers)
              .equal());
  }
}
