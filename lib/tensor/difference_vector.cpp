// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once per instruction set (foreach_target), and the best one that the processor has is
// called. Only Highway's headers are used: its own table of targets would mean linking one more library.
//
// Two loops run over each chunk, the second out of the first cache: one over codes in integer vectors of the elements'
// own width (classes, distances, ranges), one over values in double (sums, largest difference). One loop for both would
// need more registers than there are. Where the largest difference lies is kept per chunk and looked up afterwards.
#include "tensor/difference_vector.h"

#include <algorithm>

#if defined(RLVERIFY_HAVE_HIGHWAY)

// Older sets are scalar; the sets below are compiled whatever the compiler's own baseline is.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/difference_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#include "tensor/difference_codes-inl.h"
#include "tensor/difference_values-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rlverify::tensor::HWY_NAMESPACE {

template <VectorFormat kFormat, typename Code, unsigned kFractionBits>
VectorTotals totals_of(const std::byte* reference, const std::byte* candidate, std::uint64_t count) {
  using Codes = CodePass<Code, kFractionBits>;
  constexpr std::size_t kStepBytes = std::max<std::size_t>(HWY_MAX_BYTES, kSumLanes * sizeof(Code));
  VectorTotals totals;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(Code) / kStepBytes * kStepBytes;
  Codes codes;
  ValuePass<kFormat, sizeof(Code)> values;
  for (std::size_t at = 0; at < bytes; at += kChunkBytes) {
    const std::size_t size = std::min(kChunkBytes, bytes - at);
    const std::uint64_t number = at / kChunkBytes;
    if (codes.chunk(number, reference + at, candidate + at, size)) {
      values.template chunk<true>(number, reference + at, candidate + at, size);
    } else {
      values.template chunk<false>(number, reference + at, candidate + at, size);
    }
  }
  codes.finish(totals);
  values.finish(totals);
  totals.values = bytes / sizeof(Code);
  return totals;
}

VectorTotals totals_of_format(VectorFormat format, const std::byte* reference, const std::byte* candidate,
                              std::uint64_t count) {
  switch (format) {
    case VectorFormat::kFloat16:
      return totals_of<VectorFormat::kFloat16, std::uint16_t, 10>(reference, candidate, count);
    case VectorFormat::kBfloat16:
      return totals_of<VectorFormat::kBfloat16, std::uint16_t, 7>(reference, candidate, count);
    case VectorFormat::kFloat32:
      return totals_of<VectorFormat::kFloat32, std::uint32_t, 23>(reference, candidate, count);
    case VectorFormat::kFloat64:
      break;
  }
  return totals_of<VectorFormat::kFloat64, std::uint64_t, 52>(reference, candidate, count);
}

}  // namespace rlverify::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // a vector target

#endif  // RLVERIFY_HAVE_HIGHWAY

#if !defined(RLVERIFY_HAVE_HIGHWAY) || HWY_ONCE
namespace rlverify::tensor {

std::vector<VectorLevel> vector_levels() {
  std::vector<VectorLevel> levels{VectorLevel::kScalar};
#if defined(RLVERIFY_HAVE_HIGHWAY)
  // What Highway's sets of these names take for granted; half-precision conversion came before AVX2.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    levels.push_back(VectorLevel::kAvx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      levels.push_back(VectorLevel::kAvx512);
    }
  }
#endif
  return levels;
}

std::string_view vector_level_name(VectorLevel level) {
  return level == VectorLevel::kScalar ? "scalar" : level == VectorLevel::kAvx2 ? "AVX2" : "AVX-512";
}

VectorTotals vector_totals([[maybe_unused]] VectorLevel level, [[maybe_unused]] VectorFormat format,
                           [[maybe_unused]] const std::byte* reference, [[maybe_unused]] const std::byte* candidate,
                           [[maybe_unused]] std::uint64_t count) {
#if defined(RLVERIFY_HAVE_HIGHWAY)
  const std::uint64_t in_block = kBlockBytes / (format == VectorFormat::kFloat64   ? 8
                                                : format == VectorFormat::kFloat32 ? 4
                                                                                   : 2);
  if (count <= in_block && level == VectorLevel::kAvx512) {
    return N_AVX3::totals_of_format(format, reference, candidate, count);
  }
  if (count <= in_block && level == VectorLevel::kAvx2) {
    return N_AVX2::totals_of_format(format, reference, candidate, count);
  }
#endif
  return {};
}

}  // namespace rlverify::tensor
#endif
