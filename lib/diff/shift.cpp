// SPDX-License-Identifier: Apache-2.0
// Adding one value to numbers of a short format gives differences that vary by half a step of the result. So each pair
// allows an interval of shifts, and there is a constant shift where all intervals have a point in common.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "diff/patterns.h"
#include "tensor/difference_format.h"

namespace rlverify::diff {
namespace {

using tensor::DType;

/// Fewer pairs agree by chance: the intervals of one-step differences of one sign overlap.
constexpr std::uint64_t kFewest = 24;

/// Bits behind the leading one; -1 for integers, which aren't rounded.
int fraction_bits(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return 52;
    case DType::kFloat32:
      return 23;
    case DType::kFloat16:
      return 10;
    case DType::kBfloat16:
      return 7;
    case DType::kFloat8E4m3fn:
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat6E2m3:
      return 3;
    case DType::kFloat8E5m2:
    case DType::kFloat8E5m2fnuz:
    case DType::kFloat6E3m2:
      return 2;
    case DType::kFloat4E2m1:
      return 1;
    case DType::kFloat8E8m0fnu:
      return 0;
    default:
      return -1;
  }
}

class ShiftInterval {
 public:
  explicit ShiftInterval(int fraction_bits) : fraction_bits_(fraction_bits) {}

  /// False when there is no common shift any more.
  bool add(double reference, double candidate) {
    const double difference = candidate - reference;
    const double largest = std::max(std::abs(reference), std::abs(candidate));
    const double half_step =
        fraction_bits_ < 0 || largest == 0 ? 0 : std::ldexp(0.5, std::ilogb(largest) - fraction_bits_);
    low_ = std::max(low_, difference - half_step);
    high_ = std::min(high_, difference + half_step);
    smallest_ = std::min(smallest_, difference);
    largest_ = std::max(largest_, difference);
    ++pairs_;
    return low_ <= high_;
  }
  /// Zero must not be among the shifts: then the pairs would have nothing in common but being near each other.
  [[nodiscard]] bool found() const { return pairs_ >= kFewest && low_ <= high_ && (low_ > 0 || high_ < 0); }
  [[nodiscard]] bool exact() const { return smallest_ == largest_; }
  [[nodiscard]] double shift() const { return exact() ? smallest_ : low_ + (high_ - low_) / 2; }
  [[nodiscard]] std::uint64_t pairs() const { return pairs_; }

 private:
  int fraction_bits_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  std::uint64_t pairs_ = 0;
};

/// False when the block contradicts.
bool add_block(DType dtype, const tensor::BlockPair& block, ShiftInterval& interval) {
  return tensor::visit_format(dtype, [&](auto format) {
    using Format = decltype(format);
    for (std::uint64_t i = 0; i < block.count; ++i) {
      const auto a = Format::load(block.reference.data(), i);
      const auto b = Format::load(block.candidate.data(), i);
      if (a != b && !interval.add(Format::value(a), Format::value(b))) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace

std::optional<Pattern> constant_shift(const tensor::TensorBytes& reference, const tensor::TensorBytes& candidate,
                                      const tensor::Difference& first_pass, tensor::BlockBuffers& buffers) {
  const DType dtype = reference.ref->dtype;
  const auto count = [&first_pass](tensor::DifferenceClass which) {
    return first_pass.class_counts.at(static_cast<std::size_t>(which));
  };
  if (tensor::is_complex(dtype) || dtype == DType::kBool || first_pass.different_elements < kFewest ||
      count(tensor::DifferenceClass::kNanPayload) + count(tensor::DifferenceClass::kNanAgainstNumber) +
              count(tensor::DifferenceClass::kInfinity) >
          0) {
    return std::nullopt;
  }
  ShiftInterval interval(fraction_bits(dtype));
  bool agrees = true;
  for (std::uint64_t part = 0; agrees && part < tensor::part_count(*reference.ref); ++part) {
    tensor::for_each_block_pair(reference, candidate, part, buffers, [&](const tensor::BlockPair& block) {
      agrees = std::memcmp(block.reference.data(), block.candidate.data(), block.reference.size()) == 0 ||
               add_block(dtype, block, interval);
      return agrees;
    });
  }
  if (!agrees || !interval.found()) {
    return std::nullopt;
  }
  Pattern pattern;
  pattern.kind = PatternKind::kConstantShift;
  pattern.size = reference.ref->element_count;
  pattern.indices = interval.pairs();
  pattern.shift = interval.shift();
  pattern.exact_shift = interval.exact();
  return pattern;
}

}  // namespace rlverify::diff
