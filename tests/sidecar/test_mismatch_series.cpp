// SPDX-License-Identifier: Apache-2.0
// Series of mismatches: bins that widen without losing a count, sizes by power of two, and what a shard adds.
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "sidecar/mismatch_series.h"

namespace rlverify::sidecar {
namespace {

std::uint64_t total(const PositionBins& bins) {
  return std::accumulate(bins.counts().begin(), bins.counts().end(), std::uint64_t{0});
}

TEST_CASE("position bins: one position each until they don't fit, then twice as wide", "[series]") {
  PositionBins bins;
  CHECK(bins.used() == 0);
  bins.add(0);
  bins.add(63);
  CHECK(bins.width() == 1);
  CHECK(bins.counts()[63] == 1);
  bins.add(64);
  CHECK(bins.width() == 2);
  CHECK(bins.counts()[0] == 1);
  CHECK(bins.counts()[31] == 1);
  CHECK(bins.counts()[32] == 1);
  CHECK(bins.used() == 33);
  bins.add(1'000'000, 5);
  CHECK(total(bins) == 8);
  CHECK(bins.width() == 16384);
  bins.add(-1);
  CHECK(total(bins) == 8);
}

TEST_CASE("position bins: joined bins take the wider width", "[series]") {
  PositionBins narrow;
  narrow.add(3, 2);
  PositionBins wide;
  wide.add(200);
  PositionBins joined = narrow;
  joined.add(wide);
  CHECK(joined.width() == 4);
  CHECK(joined.counts()[0] == 2);
  CHECK(joined.counts()[50] == 1);
  wide.add(narrow);
  CHECK(wide.counts() == joined.counts());
}

TEST_CASE("magnitudes: by power of two, apart from zeros and what is not finite", "[series]") {
  Magnitudes magnitudes;
  CHECK(magnitudes.empty());
  magnitudes.add(1.0, 1.5);
  magnitudes.add(1.0, 1.25);
  magnitudes.add(1.0, 0.501);
  magnitudes.add(0.0, -0.0);
  magnitudes.add(std::numeric_limits<double>::quiet_NaN(), 1.0);
  magnitudes.add(1.0, -std::numeric_limits<double>::infinity());
  CHECK(magnitudes.by_exponent == std::map<int, std::uint64_t>{{-2, 2}, {-1, 1}});
  CHECK(magnitudes.sign_of_zero == 1);
  CHECK(magnitudes.non_finite == 2);
  Magnitudes twice = magnitudes;
  twice.add(magnitudes);
  CHECK(twice.by_exponent.at(-2) == 4);
  CHECK(twice.non_finite == 4);
}

TEST_CASE("mismatches of a shard: active elements in response coordinates", "[series]") {
  const std::vector<float> train = {-1.0F, -2.0F, -3.0F, -4.0F};
  const std::vector<float> rollout = {-1.0F, -2.5F, -3.5F, -4.5F};
  const std::vector<std::uint8_t> active = {1, 1, 0, 1};
  FileMismatches out;
  add_mismatches(tensor::DType::kFloat32, std::as_bytes(std::span(train)), std::as_bytes(std::span(rollout)), active,
                 {Range{2, 4}, Range{10, 12}}, out);
  CHECK(total(out.positions) == 2);  // the third is masked
  CHECK(out.positions.counts()[3] == 1);
  CHECK(out.positions.counts()[11] == 1);
  CHECK(out.magnitudes.by_exponent == std::map<int, std::uint64_t>{{-1, 2}});
}

}  // namespace
}  // namespace rlverify::sidecar
