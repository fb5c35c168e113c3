// SPDX-License-Identifier: Apache-2.0
// Vector operations through Highway, for the instruction set that the including file is compiled for (static dispatch;
// the choice at run time is cpu_backend.cpp's). The exponential is exp_portable step by step, with the shortcuts that
// were checked on all floats of [-104, 0]: vscalefps on AVX-512, an addition to the exponent on AVX2 when no result is
// denormal.
#pragma once

#include <hwy/highway.h>

#include "arithmetic/exp_log.h"
#include "contracts/shape.h"

namespace rlverify::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most `MaxWidth` lanes per vector.
template <std::size_t MaxWidth>
struct HighwayOps {
  using D = hn::CappedTag<float, MaxWidth>;
  using Vector = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));

  RLV_MEMBER static Vector load(const float* p) { return hn::LoadU(D(), p); }
  RLV_MEMBER static void store(Vector v, float* p) { hn::StoreU(v, D(), p); }
  RLV_MEMBER static Vector splat(float value) { return hn::Set(D(), value); }
  RLV_MEMBER static Vector add(Vector a, Vector b) { return hn::Add(a, b); }
  RLV_MEMBER static Vector subtract(Vector a, Vector b) { return hn::Sub(a, b); }
  RLV_MEMBER static Vector multiply(Vector a, Vector b) { return hn::Mul(a, b); }
  RLV_MEMBER static Vector fma(Vector a, Vector b, Vector c) { return hn::MulAdd(a, b, c); }
  /// x86's maximum gives its second operand when one is NaN, so a NaN in `z` is dropped.
  RLV_MEMBER static Vector maximum(Vector running, Vector z) { return hn::Max(z, running); }

  RLV_MEMBER static float max_of_lanes(Vector v) { return hn::GetLane(hn::MaxOfLanes(D(), v)); }

  /// z[e] of lane i is p[i*Elements + e]: a transposition by halves, so that lanes keep their order.
  template <int Elements>
  RLV_MEMBER static void load_lanes(const float* p, Vector* z) {
    if constexpr (Elements == 1) {
      z[0] = load(p);
    } else {
      constexpr std::size_t kHalf = static_cast<std::size_t>(Elements) / 2;
      Vector low[kHalf];
      Vector high[kHalf];
      split<Elements>(p, low, high);
      for (std::size_t e = 0; e < kHalf; ++e) {
        z[2 * e] = low[e];
        z[2 * e + 1] = high[e];
      }
    }
  }

  /// The same from bf16: pairs travel as 32-bit words, and a value is the upper half of its word.
  template <int Elements>
  RLV_MEMBER static void load_lanes_bf16(const std::uint16_t* p, Vector* z) {
    const D d;
    const hn::RebindToUnsigned<D> du;
    if constexpr (Elements == 1) {
      const hn::Rebind<std::uint16_t, D> half;
      z[0] = hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(half, p))));
    } else {
      constexpr std::size_t kWords = static_cast<std::size_t>(Elements) / 2;
      const hn::Repartition<std::uint16_t, D> narrow;
      Vector stream[kWords];
      Vector words[kWords];
      for (std::size_t w = 0; w < kWords; ++w)
        stream[w] = hn::BitCast(d, hn::LoadU(narrow, p + 2 * w * kWidth));
      deinterleave<Elements / 2>(stream, words);
      for (std::size_t w = 0; w < kWords; ++w) {
        const auto pair = hn::BitCast(du, words[w]);
        z[2 * w] = hn::BitCast(d, hn::ShiftLeft<16>(pair));
        z[2 * w + 1] = hn::BitCast(d, hn::And(pair, hn::Set(du, 0xFFFF0000U)));
      }
    }
  }

  /// exp_portable for x <= 0 or NaN.
  template <ExpKind>
  RLV_MEMBER static Vector exp_nonpositive(Vector x) {
    using C = ExpConstants;
    const D d;
    x = hn::Max(hn::Set(d, C::kLowest), x);  // NaN stays: it is the second operand
    const Vector magic = constant(C::kRoundingMagic);
    const Vector t = hn::MulAdd(x, constant(C::kLog2E), magic);
    const Vector n = hn::Sub(t, magic);
    Vector r = hn::MulAdd(n, constant(C::kMinusLn2High), x);
    r = hn::MulAdd(n, constant(C::kMinusLn2Low), r);
    Vector p = hn::MulAdd(constant(C::kP6), r, constant(C::kP5));
    p = hn::MulAdd(p, r, constant(C::kP4));
    p = hn::MulAdd(p, r, constant(C::kP3));
    p = hn::MulAdd(p, r, constant(C::kHalf));
    p = hn::MulAdd(p, r, constant(C::kOne));
    p = hn::MulAdd(p, r, constant(C::kOne));
    return scale(p, n, t, x);
  }

 private:
  RLV_MEMBER static Vector constant(std::uint32_t bits) { return hn::Set(D(), float_of_bits(bits)); }

  /// Deinterleaves `Elements` vectors: even[e] holds elements 2e of every lane, odd[e] elements 2e+1.
  template <int Elements>
  RLV_MEMBER static void split(const float* p, Vector* even, Vector* odd) {
    const D d;
    constexpr std::size_t kHalf = static_cast<std::size_t>(Elements) / 2;
    Vector a[kHalf];
    Vector b[kHalf];
    for (std::size_t j = 0; j < kHalf; ++j) {
      const Vector low = load(p + 2 * j * kWidth);
      const Vector high = load(p + (2 * j + 1) * kWidth);
      a[j] = hn::ConcatEven(d, high, low);
      b[j] = hn::ConcatOdd(d, high, low);
    }
    // a is the stream of even elements of all lanes, Elements/2 per lane: the same problem at half the size.
    deinterleave<Elements / 2>(a, even);
    deinterleave<Elements / 2>(b, odd);
  }
  template <int Elements>
  RLV_MEMBER static void deinterleave(const Vector* stream, Vector* z) {
    const D d;
    if constexpr (Elements == 1) {
      z[0] = stream[0];
    } else if constexpr (Elements == 2) {
      z[0] = hn::ConcatEven(d, stream[1], stream[0]);
      z[1] = hn::ConcatOdd(d, stream[1], stream[0]);
    } else {
      const Vector even[2] = {hn::ConcatEven(d, stream[1], stream[0]), hn::ConcatEven(d, stream[3], stream[2])};
      const Vector odd[2] = {hn::ConcatOdd(d, stream[1], stream[0]), hn::ConcatOdd(d, stream[3], stream[2])};
      z[0] = hn::ConcatEven(d, even[1], even[0]);
      z[2] = hn::ConcatOdd(d, even[1], even[0]);
      z[1] = hn::ConcatEven(d, odd[1], odd[0]);
      z[3] = hn::ConcatOdd(d, odd[1], odd[0]);
    }
  }

  /// p * 2^n with one rounding.
  RLV_MEMBER static Vector scale(Vector p, Vector n, Vector t, Vector x) {
#if HWY_TARGET <= HWY_AVX3
    static_cast<void>(t);
    static_cast<void>(x);
    static_assert(kWidth == 16 || kWidth == 4, "only full vectors and quads are used");
    if constexpr (kWidth == 16) {
      return Vector{_mm512_scalef_ps(p.raw, n.raw)};
    } else {
      return Vector{_mm_scalef_ps(p.raw, n.raw)};
    }
#else
    static_cast<void>(n);
    const D d;
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(di, t);
    // Where no result can be denormal, n is added to the exponent's bits; what else is in t is shifted out. A NaN takes
    // the slow way, since adding to its bits could make it finite.
    if (HWY_LIKELY(hn::AllTrue(d, hn::Ge(x, hn::Set(d, -87.0F))))) {
      return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(bits)));
    }
    const auto k = hn::Sub(bits, hn::Set(di, static_cast<std::int32_t>(ExpConstants::kRoundingMagic)));
    const auto a = hn::ShiftRight<1>(k);
    const auto b = hn::Sub(k, a);
    const auto bias = hn::Set(di, 127);
    const Vector scale_a = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(a, bias)));
    const Vector scale_b = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(b, bias)));
    return hn::Mul(hn::Mul(p, scale_a), scale_b);
#endif
  }
};

}  // namespace rlverify::kernels::HWY_NAMESPACE
