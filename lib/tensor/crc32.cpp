// SPDX-License-Identifier: Apache-2.0
// Reflected polynomial 0xEDB88320. Where the processor multiplies without carries, 64 bytes a step are folded onto the
// 64 that follow: as polynomials, A * x^n + B leaves the same remainder as (A * (x^n mod P)) + B, and the constants
// x^n mod P are computed here from P. What is left (16 bytes that stand for all before) and everything on other
// processors goes through eight tables, eight bytes a step. Folding is bound by memory, so that a storage's CRC costs
// about what reading it costs; the tables alone take several times that.
#include "tensor/crc32.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rlverify::tensor {
namespace {

constexpr std::size_t kBlockBytes = 256U << 10U;  // stays in the second-level cache between reading and multiplying

constexpr std::uint32_t kPolynomial = 0xEDB88320U;  // bit 31 is x^0

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? (value >> 1U) ^ kPolynomial : value >> 1U;
    }
    tables[0][i] = value;
  }
  for (std::size_t table = 1; table < 8; ++table) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[table - 1][i];
      tables[table][i] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t load32(std::span<const std::byte> bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

#if defined(__x86_64__)
constexpr std::size_t kLane = 16;
constexpr std::size_t kStep = 4 * kLane;

/// x^power mod P as a factor of a reflected product: one bit up, since the product of two reflected 64-bit numbers
/// lies one bit too low.
constexpr long long folding_factor(unsigned power) {
  std::uint32_t value = 0x80000000U;  // x^0
  for (unsigned i = 0; i < power; ++i) {
    value = (value & 1U) != 0 ? (value >> 1U) ^ kPolynomial : value >> 1U;
  }
  return static_cast<long long>(std::uint64_t{value} << 1U);
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i lane, __m128i factors, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(lane, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i load_lane(const std::byte* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

/// `bytes` holds at least kStep of them; the rest below a lane's length is left to the tables.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc32_by_folding(std::uint32_t state,
                                                                        std::span<const std::byte> bytes) {
  // A lane's low half is multiplied over 64 bits more than its high half: it comes first in the message.
  const __m128i over_step = _mm_set_epi64x(folding_factor(8 * kStep - 32), folding_factor(8 * kStep + 32));
  const __m128i over_lane = _mm_set_epi64x(folding_factor(8 * kLane - 32), folding_factor(8 * kLane + 32));
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size() - kStep;
  __m128i a = _mm_xor_si128(load_lane(at), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load_lane(at + kLane);
  __m128i c = load_lane(at + 2 * kLane);
  __m128i d = load_lane(at + 3 * kLane);
  for (at += kStep; left >= kStep; at += kStep, left -= kStep) {
    a = fold(a, over_step, load_lane(at));
    b = fold(b, over_step, load_lane(at + kLane));
    c = fold(c, over_step, load_lane(at + 2 * kLane));
    d = fold(d, over_step, load_lane(at + 3 * kLane));
  }
  a = fold(fold(fold(a, over_lane, b), over_lane, c), over_lane, d);
  for (; left >= kLane; at += kLane, left -= kLane) {
    a = fold(a, over_lane, load_lane(at));
  }
  std::array<std::byte, kLane> rest{};
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), a);
  return crc32_by_tables(crc32_by_tables(0, rest), bytes.last(left));
}

bool can_fold() {
  static const bool kCan = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  return kCan;
}
#endif

}  // namespace

std::uint32_t crc32_by_tables(std::uint32_t state, std::span<const std::byte> bytes) {
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint32_t low = load32(bytes, at) ^ state;
    const std::uint32_t high = load32(bytes, at + 4);
    state = kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8U) & 0xFFU] ^ kTables[5][(low >> 16U) & 0xFFU] ^
            kTables[4][low >> 24U] ^ kTables[3][high & 0xFFU] ^ kTables[2][(high >> 8U) & 0xFFU] ^
            kTables[1][(high >> 16U) & 0xFFU] ^ kTables[0][high >> 24U];
  }
  for (; at < bytes.size(); ++at) {
    state = (state >> 8U) ^ kTables[0][(state ^ static_cast<std::uint32_t>(bytes[at])) & 0xFFU];
  }
  return state;
}

void Crc32::update(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (bytes.size() >= kStep && can_fold()) {
    state_ = crc32_by_folding(state_, bytes);
    return;
  }
#endif
  state_ = crc32_by_tables(state_, bytes);
}

std::uint32_t crc_of(const core::ByteSource& source, std::uint64_t offset, std::uint64_t bytes) {
  Crc32 crc;
  const auto memory = source.memory();
  if (offset <= memory.size() && bytes <= memory.size() - offset) {
    crc.update(memory.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
    return crc.value();
  }
  core::BlockReader blocks(source, offset, bytes, kBlockBytes);
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    crc.update(block);
  }
  return crc.value();
}

}  // namespace rlverify::tensor
