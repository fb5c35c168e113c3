// SPDX-License-Identifier: Apache-2.0
// Values are held as doubles, which hold every value of the narrower types exactly; steps are counted on the codes of
// the recorded type.
#include "replay/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rlverify_kernels/logp.h"

namespace rlverify::replay {
namespace {

using kernels::StorageType;
using tensor::DType;

/// Codes of a sign-and-magnitude type in the order of its values; both zeros have one code.
template <typename Unsigned>
std::int64_t ordered(Unsigned bits) {
  constexpr Unsigned kSign = static_cast<Unsigned>(Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
  const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Unsigned>(~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

/// The binary16 code of a value that binary16 holds exactly.
std::int64_t half_code(double value) {
  const double magnitude = std::fabs(value);
  std::int64_t code = 0;
  if (magnitude < 0x1p-14) {
    code = static_cast<std::int64_t>(magnitude * 0x1p24);
  } else {
    code = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(static_cast<float>(magnitude)) >> 13U) - (112 << 10);
  }
  return std::signbit(value) ? -code : code;
}

std::int64_t code(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat64:
      return ordered(std::bit_cast<std::uint64_t>(value));
    case DType::kBfloat16:
      return ordered(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U));
    case DType::kFloat16:
      return half_code(value);
    default:
      return ordered(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
}

}  // namespace

double in_dtype(DType dtype, float value, double wide) {
  switch (dtype) {
    case DType::kFloat64:
      return wide;
    case DType::kBfloat16:
      return static_cast<double>(kernels::rounded_to(value, StorageType::kBFloat16));
    case DType::kFloat16:
      return static_cast<double>(kernels::rounded_to(value, StorageType::kFloat16));
    default:
      return static_cast<double>(value);
  }
}

std::uint64_t ulp_distance(DType dtype, double a, double b) {
  const std::int64_t x = code(dtype, a);
  const std::int64_t y = code(dtype, b);
  // Of opposite signs the difference of two 63-bit magnitudes may need 64 bits.
  return x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
               : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void add_pair(Tally& tally, DType dtype, double recorded, double computed, const Place& place) {
  ++tally.compared;
  const bool finite = std::isfinite(recorded) && std::isfinite(computed);
  tally.not_finite += finite ? 0 : 1;
  if (!finite && !tally.first_not_finite) {
    tally.first_not_finite = Difference{place, recorded, computed};
  }
  if (same_bits(recorded, computed)) {
    return;
  }
  ++tally.differing;
  if (!tally.first) {
    tally.first = Difference{place, recorded, computed};
  }
  if (!finite) {
    return;
  }
  const double distance = std::fabs(recorded - computed);
  const std::uint64_t steps = ulp_distance(dtype, recorded, computed);
  tally.max_abs = std::max(tally.max_abs, distance);
  tally.sum_abs += distance;
  tally.max_ulp = std::max(tally.max_ulp, steps);
  tally.sum_ulp += static_cast<double>(steps);
}

}  // namespace rlverify::replay
