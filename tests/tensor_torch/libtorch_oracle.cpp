// SPDX-License-Identifier: Apache-2.0
// Whole-tensor operations only: no loop over elements, and none of lib/tensor's arithmetic.
#include "libtorch_oracle.h"

#include <ATen/ATen.h>

#include <cstring>
#include <limits>

namespace rlverify::tensor::test {
namespace {

constexpr std::int64_t kTopBit = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLowHalf = 0xFFFFFFFF;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Side {
  at::Tensor code;   ///< int64
  at::Tensor value;  ///< float64
  at::Tensor line;   ///< int64, in the order of the numbers; neighbours are one apart
};

at::Tensor bytes_of(std::span<const std::byte> bytes) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(bytes.size())}, at::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

at::Tensor codes_of(const OracleFormat& format, const at::Tensor& bytes) {
  if (format.bits <= 8) {
    return format.dtype == "int8" ? bytes.view(at::kChar).to(at::kLong) : bytes.to(at::kLong);
  }
  if (format.bits == 64) {
    return bytes.view(at::kLong);
  }
  const at::Tensor codes = bytes.view(format.bits == 16 ? at::kShort : at::kInt).to(at::kLong);
  return format.dtype == "int16" || format.dtype == "int32" ? codes
                                                            : codes.bitwise_and((std::int64_t{1} << format.bits) - 1);
}

at::Tensor values_of(const OracleFormat& format, const at::Tensor& bytes, const at::Tensor& codes) {
  if (!format.table.empty()) {
    return at::tensor(format.table, at::kDouble).index_select(0, codes);
  }
  const auto as = [&](at::ScalarType type) { return bytes.view(type); };
  if (format.dtype == "float16") {
    return as(at::kHalf).to(at::kDouble);
  }
  if (format.dtype == "bfloat16") {
    return as(at::kBFloat16).to(at::kDouble);
  }
  if (format.dtype == "float32") {
    return as(at::kFloat).to(at::kDouble);
  }
  if (format.dtype == "float64") {
    return as(at::kDouble);
  }
  if (format.dtype == "complex32") {
    return at::view_as_real(as(at::kComplexHalf)).flatten().to(at::kDouble);
  }
  if (format.dtype == "complex64") {
    return at::view_as_real(as(at::kComplexFloat)).flatten().to(at::kDouble);
  }
  if (format.dtype == "complex128") {
    return at::view_as_real(as(at::kComplexDouble)).flatten();
  }
  if (format.dtype == "uint64") {
    // The high half is exact, so that the sum rounds once.
    const at::Tensor high = codes.__rshift__(32).bitwise_and(kLowHalf).to(at::kDouble);
    return high * 4294967296.0 + codes.bitwise_and(kLowHalf).to(at::kDouble);
  }
  return codes.to(at::kDouble);
}

bool is_integer_format(const OracleFormat& format) {
  return format.dtype == "bool" || format.dtype.find("int") != std::string::npos;
}

Side side_of(const OracleFormat& format, std::span<const std::byte> content) {
  const at::Tensor bytes = bytes_of(content);
  Side side;
  side.code = codes_of(format, bytes);
  side.value = values_of(format, bytes, side.code);
  if (is_integer_format(format)) {
    side.line = format.dtype == "uint64" ? side.code.bitwise_xor(kTopBit) : side.code;
  } else if (!format.has_sign) {
    side.line = side.code;
  } else {
    const std::int64_t sign = format.bits == 64 ? kTopBit : std::int64_t{1} << (format.bits - 1);
    const at::Tensor magnitude = side.code.bitwise_and(format.bits == 64 ? ~kTopBit : sign - 1);
    side.line = at::where(side.code.bitwise_and(sign).ne(0), -magnitude, magnitude);
  }
  return side;
}

std::int64_t count(const at::Tensor& mask) {
  return mask.sum().item<std::int64_t>();
}

/// The first place where the mask holds; -1 for none.
std::int64_t first(const at::Tensor& mask) {
  return mask.any().item<bool>() ? mask.to(at::kByte).argmax().item<std::int64_t>() : -1;
}

std::array<double, 2> range(const at::Tensor& value) {
  const at::Tensor finite = value.isfinite();
  return {at::where(finite, value, at::full_like(value, kInfinity)).min().item<double>(),
          at::where(finite, value, at::full_like(value, -kInfinity)).max().item<double>()};
}

/// Counts of |d| that are not 0, by power of two.
std::vector<std::int64_t> exponents(const at::Tensor& magnitude) {
  const at::Tensor scale = std::get<1>(at::frexp(magnitude.masked_select(magnitude.ne(0))));
  const at::Tensor counts = (scale.to(at::kLong) - 1 - kOracleLowestExponent).bincount({}, 2200);
  return {counts.data_ptr<std::int64_t>(), counts.data_ptr<std::int64_t>() + counts.numel()};
}

void classes(const OracleFormat& format, const Side& a, const Side& b, const at::Tensor& different,
             const at::Tensor& distance, OracleAnswer& answer) {
  const at::Tensor nan_a = a.value.isnan();
  const at::Tensor nan_b = b.value.isnan();
  const at::Tensor infinite = a.value.isinf().logical_or(b.value.isinf());
  const at::Tensor zeros = a.value.eq(0).logical_and(b.value.eq(0));
  const auto is_subnormal = [&](const at::Tensor& value) {
    return value.ne(0).logical_and(value.abs().lt(format.min_normal));
  };
  at::Tensor left = different;
  std::size_t at = 0;
  const auto take = [&](const at::Tensor& mask) {
    const at::Tensor taken = left.logical_and(mask);
    answer.class_counts.at(at++) = count(taken);
    left = left.logical_and(taken.logical_not());
  };
  take(is_integer_format(format) ? at::zeros_like(zeros) : zeros);
  take(nan_a.logical_and(nan_b));
  take(nan_a.logical_or(nan_b));
  take(infinite);
  take(is_subnormal(a.value).logical_or(is_subnormal(b.value)));
  take(distance.ge(0).logical_and(distance.le(1)));
  take(distance.ge(0).logical_and(distance.le(16)));
  take(at::ones_like(left));
}

void second_pass(const at::Tensor& reference, const at::Tensor& candidate, const at::Tensor& apart,
                 std::int64_t components, const at::Tensor& finite, OracleAnswer& answer) {
  const at::Tensor zero = at::zeros_like(reference);
  const at::Tensor a = at::where(finite, reference, zero);
  const at::Tensor b = at::where(finite, candidate, zero);
  answer.squared_difference = (apart * apart).sum().item<double>();
  answer.squared_reference = (a * a).sum().item<double>();
  answer.squared_candidate = (b * b).sum().item<double>();
  answer.product = (a * b).sum().item<double>();
  answer.sum_abs_product = (a * b).abs().sum().item<double>();
  answer.zero_differences = count(apart.eq(0).logical_and(finite));
  const at::Tensor relative = at::where(a.ne(0), apart.abs() / a.abs(), zero);
  answer.max_relative_difference = relative.max().item<double>();
  answer.max_relative_index = first(relative.eq(answer.max_relative_difference)) / components;
  const at::Tensor sorted = std::get<0>(apart.abs().masked_select(finite).sort());
  answer.exponents = exponents(sorted);
  const std::int64_t pairs = sorted.numel();
  constexpr std::array<std::int64_t, 4> kPerThousand = {500, 900, 990, 999};
  for (std::size_t i = 0; pairs > 0 && i < kPerThousand.size(); ++i) {
    answer.quantiles[i] = sorted[(pairs * kPerThousand[i] + 999) / 1000 - 1].item<double>();
  }
}

}  // namespace

OracleAnswer ask_libtorch(const OracleFormat& format, std::span<const std::byte> reference,
                          std::span<const std::byte> candidate) {
  const Side a = side_of(format, reference);
  const Side b = side_of(format, candidate);
  const auto components = static_cast<std::int64_t>(format.components);
  const auto by_element = [components](const at::Tensor& mask) { return mask.view({-1, components}).any(1); };
  OracleAnswer answer;
  const at::Tensor different = a.code.ne(b.code);
  const at::Tensor finite = a.value.isfinite().logical_and(b.value.isfinite());
  const at::Tensor indices = by_element(different).nonzero().flatten();
  answer.different_indices.assign(indices.data_ptr<std::int64_t>(), indices.data_ptr<std::int64_t>() + indices.numel());
  answer.different_elements = indices.numel();
  answer.first_index = first(by_element(different));
  // Wraps to the unsigned distance.
  const at::Tensor distance =
      at::where(finite, at::maximum(a.line, b.line) - at::minimum(a.line, b.line), at::zeros_like(a.line));
  classes(format, a, b, different, distance, answer);
  const std::int64_t farthest = distance.bitwise_xor(kTopBit).max().item<std::int64_t>() ^ kTopBit;
  answer.max_ulp_distance = static_cast<std::uint64_t>(farthest);
  answer.max_ulp_index = farthest == 0 ? 0 : first(distance.eq(farthest)) / components;
  const at::Tensor apart = at::where(finite, b.value - a.value, at::zeros_like(a.value));
  answer.max_abs_difference = apart.abs().max().item<double>();
  answer.max_abs_index =
      answer.max_abs_difference == 0 ? 0 : first(apart.abs().eq(answer.max_abs_difference)) / components;
  answer.sum_abs_difference = apart.abs().sum().item<double>();
  answer.sum_difference = apart.sum().item<double>();
  answer.finite_pairs = count(finite);
  answer.reference_non_finite = count(by_element(a.value.isfinite().logical_not()));
  answer.candidate_non_finite = count(by_element(b.value.isfinite().logical_not()));
  answer.reference_range = range(a.value);
  answer.candidate_range = range(b.value);
  second_pass(a.value, b.value, apart, components, finite, answer);
  return answer;
}

}  // namespace rlverify::tensor::test
