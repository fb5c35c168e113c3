// SPDX-License-Identifier: Apache-2.0
// The second pass against values worked out by hand, and the list of differing elements.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "core/test_support.h"
#include "tensor/difference_detail.h"
#include "tensor/safetensors_builder.h"
#include "tensor/safetensors_reader.h"

using namespace rlverify;
using tensor::DifferenceDetail;
using namespace tensor::test;

namespace {

/// A tensor in memory.
class Held {
 public:
  Held(const std::string& dtype, std::uint64_t count, const std::string& bytes)
      : source_("held", safetensors({{"w", dtype, {count}, bytes}})), file_(tensor::read_safetensors(source_)) {}
  [[nodiscard]] tensor::TensorBytes bytes() const { return {&source_, &file_.tensors.at(0).ref}; }

 private:
  core::MemorySource source_;
  tensor::SafetensorsFile file_;
};

template <typename Number>
Held held(const std::string& dtype, const std::vector<Number>& values) {
  return Held(dtype, values.size(), raw(values));
}

DifferenceDetail detail_of(const Held& reference, const Held& candidate) {
  tensor::BlockBuffers buffers;
  const tensor::Difference first = tensor::compare_tensors(reference.bytes(), candidate.bytes(), buffers);
  return tensor::difference_detail(reference.bytes(), candidate.bytes(), first, buffers);
}

std::vector<std::uint64_t> different_elements(const Held& reference, const Held& candidate) {
  tensor::BlockBuffers buffers;
  std::vector<std::uint64_t> found;
  tensor::for_each_different_element(reference.bytes(), candidate.bytes(), buffers, [&](std::uint64_t index) {
    found.push_back(index);
    return true;
  });
  return found;
}

constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("the second pass is over pairs that are finite", "[difference_detail]") {
  const DifferenceDetail detail =
      detail_of(held<float>("F32", {3, 0, kInf, 4, 1}), held<float>("F32", {3, 2, 1, 4.5F, NAN}));
  CHECK(detail.finite_pairs == 3);
  CHECK(detail.zero_differences == 1);
  CHECK(detail.rms_difference == std::sqrt(4.25 / 3));
  CHECK(detail.reference_rms == std::sqrt(25.0 / 3));
  CHECK(detail.candidate_rms == std::sqrt(33.25 / 3));
  CHECK(detail.cosine == 27 / (5 * std::sqrt(33.25)));
  CHECK(detail.max_relative_difference == 0.125);  // the 2 stands against a 0
  CHECK(detail.max_relative_index == 3);
  CHECK(detail.lowest_exponent == 1 - 63);
  CHECK(detail.histogram[63] == 1);  // 2
  CHECK(detail.histogram[61] == 1);  // 0.5
  CHECK(detail.quantiles[0] == 0.5625);
  CHECK(detail.quantiles[3] == 2);
}

TEST_CASE("norms of zero have a cosine only when both are", "[difference_detail]") {
  CHECK(detail_of(held<float>("F32", {0, -0.0F}), held<float>("F32", {0, 0})).cosine == 1);
  CHECK(std::isnan(detail_of(held<float>("F32", {0, 0}), held<float>("F32", {0, 1})).cosine));
  CHECK(detail_of(held<float>("F32", {1, -2}), held<float>("F32", {-1, 2})).cosine == Approx(-1).epsilon(1e-15));
  const DifferenceDetail none = detail_of(held<float>("F32", {NAN}), held<float>("F32", {1}));
  CHECK(none.finite_pairs == 0);
  CHECK(none.rms_difference == 0);
  CHECK(none.quantiles[3] == 0);
}

TEST_CASE("quantiles are rounded up by at most an eighth", "[difference_detail]") {
  std::mt19937 random(3);
  std::vector<double> reference(10'000, 0.0);
  std::vector<double> candidate;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    candidate.push_back(i % 4 == 0 ? 0 : std::ldexp(static_cast<double>(random()), -static_cast<int>(random() % 200)));
  }
  const DifferenceDetail detail = detail_of(held("F64", reference), held("F64", candidate));
  std::sort(candidate.begin(), candidate.end());
  const std::array<std::size_t, 4> ranks = {5000, 9000, 9900, 9990};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    CAPTURE(i);
    const double exact = candidate[ranks[i] - 1];
    CHECK(detail.quantiles[i] >= exact);
    CHECK(detail.quantiles[i] <= exact * 1.125);
  }
  std::uint64_t counted = 0;
  for (const std::uint64_t count : detail.histogram) {
    counted += count;
  }
  CHECK(counted == 7500);
  CHECK(detail.histogram[0] > 1000);  // what lies 64 powers of two below the largest, and beyond
}

TEST_CASE("differences at the ends of the line have a bin", "[difference_detail]") {
  const double largest = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  const DifferenceDetail beyond = detail_of(held<double>("F64", {-largest, 0}), held<double>("F64", {largest, least}));
  CHECK(beyond.lowest_exponent == 1024 - 63);
  CHECK(beyond.histogram[63] == 1);
  CHECK(beyond.histogram[0] == 1);
  CHECK(beyond.quantiles[0] > 0);
  CHECK(std::isinf(beyond.quantiles[1]));
  const DifferenceDetail tiny = detail_of(held<double>("F64", {0}), held<double>("F64", {least}));
  CHECK(tiny.quantiles[0] == least);
  CHECK(tiny.histogram[63] == 1);
}

TEST_CASE("complex elements are two values of the second pass", "[difference_detail]") {
  const DifferenceDetail detail =
      detail_of(Held("C64", 2, raw<float>({1, 2, 3, 4})), Held("C64", 2, raw<float>({1, 2, 3, 6})));
  CHECK(detail.finite_pairs == 4);
  CHECK(detail.zero_differences == 3);
  CHECK(detail.rms_difference == 1);
  CHECK(detail.max_relative_index == 1);
  CHECK(detail.max_relative_difference == 0.5);
}

TEST_CASE("parts of the second pass are joined with the same bits", "[difference_detail]") {
  const std::uint64_t count = tensor::part_elements(tensor::DType::kBfloat16) + 1234567;
  std::mt19937 random(5);
  std::vector<std::uint16_t> a(count);
  std::vector<std::uint16_t> b(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<std::uint16_t>(0x3F00U + random() % 512);
    b[i] = static_cast<std::uint16_t>(a[i] ^ (random() % 8 == 0 ? 1U : 0U));
  }
  const Held reference = held("BF16", a);
  const Held candidate = held("BF16", b);
  const DifferenceDetail whole = detail_of(reference, candidate);
  tensor::BlockBuffers buffers;
  REQUIRE(tensor::part_count(*reference.bytes().ref) == 2);
  const tensor::DetailSums last = tensor::detail_part(reference.bytes(), candidate.bytes(), 1, buffers);
  tensor::DetailSums sums = tensor::detail_part(reference.bytes(), candidate.bytes(), 0, buffers);
  sums.add(last);
  const DifferenceDetail joined = tensor::finish_detail(
      sums, tensor::compare_tensors(reference.bytes(), candidate.bytes(), buffers).max_abs_difference);
  CHECK(joined.finite_pairs == count);
  CHECK(joined.rms_difference == whole.rms_difference);
  CHECK(joined.cosine == whole.cosine);
  CHECK(joined.histogram == whole.histogram);
  CHECK(joined.quantiles == whole.quantiles);
  CHECK(joined.max_relative_index == whole.max_relative_index);
}

TEST_CASE("the elements that differ are listed in order and by their bits", "[difference_detail]") {
  const std::uint64_t count = 2 * tensor::block_elements(tensor::DType::kFloat32) + 7;
  std::vector<float> a(count, 1.0F);
  a[9] = NAN;
  std::vector<float> b = a;
  b[0] = 2;
  b[count / 2] = 3;
  b[count - 1] = 4;
  a[5] = 0.0F;
  b[5] = -0.0F;
  CHECK(different_elements(held("F32", a), held("F32", b)) == std::vector<std::uint64_t>{0, 5, count / 2, count - 1});
  CHECK(different_elements(held("F32", a), held("F32", a)).empty());
  CHECK(different_elements(Held("F4", 4, raw<std::uint8_t>({0x21, 0x43})),
                           Held("F4", 4, raw<std::uint8_t>({0x31, 0x44}))) == std::vector<std::uint64_t>{1, 2});
  CHECK(different_elements(Held("C64", 2, raw<float>({1, 2, 3, 4})), Held("C64", 2, raw<float>({1, 2, 3, 5}))) ==
        std::vector<std::uint64_t>{1});
}

TEST_CASE("listing ends when it is told to", "[difference_detail]") {
  const Held a = held("F32", std::vector<float>(20'000, 1.0F));
  const Held b = held("F32", std::vector<float>(20'000, 2.0F));
  CHECK(different_elements(a, b).size() == 20'000);
  tensor::BlockBuffers buffers;
  std::uint64_t seen = 0;
  tensor::for_each_different_element(a.bytes(), b.bytes(), buffers, [&](std::uint64_t index) {
    seen = index;
    return index != 5000;
  });
  CHECK(seen == 5000);
}
