// SPDX-License-Identifier: Apache-2.0
// When a contract is named, when a tie is listed, when nothing is followed; counts of differences and steps.
#include <cmath>
#include <limits>

#include "replay/comparison.h"
#include "replay/replay_support.h"
#include "replay/verdict.h"
#include "replay/wording.h"

using namespace rlverify::replay;
using rlverify::tensor::DType;

namespace {

struct Count {
  const char* contract;
  std::uint64_t differing;
  double mean = 1e-7;
  std::size_t same_as = 99;  ///< 99: itself
  Temperature temperature = Temperature::kOfFile;
};

SideResult side_of(const std::vector<Count>& counts) {
  SideResult side;
  for (const Count& count : counts) {
    Row row;
    row.hypothesis.contract = count.contract;
    row.hypothesis.temperature = count.temperature;
    row.tally.compared = 100;
    row.tally.differing = count.differing;
    row.tally.sum_abs = count.mean * 100;
    row.same_as = count.same_as == 99 ? side.rows.size() : count.same_as;
    side.rows.push_back(row);
  }
  judge_side(side);
  return side;
}

using Rows = std::vector<std::size_t>;

}  // namespace

TEST_CASE("all bits name a contract, and everything that has all bits is listed") {
  CHECK(side_of({{"a", 0}, {"b", 40}}).verdict == SideVerdict::kExact);
  CHECK(side_of({{"a", 1}, {"b", 0}, {"c", 0}}).followed == Rows{1, 2});
}

TEST_CASE("under a fifth of the runner-up names, a fifth does not") {
  const SideResult named = side_of({{"a", 50}, {"b", 9}, {"c", 46}});
  CHECK(named.verdict == SideVerdict::kNamed);
  CHECK(named.followed == Rows{1});
  const SideResult tied = side_of({{"a", 50}, {"b", 9}, {"c", 45}, {"d", 100}});
  CHECK(tied.verdict == SideVerdict::kNone);
  CHECK(tied.followed.empty());
  CHECK(tied.tied == Rows{1, 2});
}

TEST_CASE("a contract's other settings and its twins are no runners-up") {
  CHECK(side_of({{"a", 2}, {"a", 5, 1e-7, 99, Temperature::kOne}, {"b", 60}}).followed == Rows{0});
  CHECK(side_of({{"a", 2}, {"b", 2, 1e-7, 0}, {"c", 60}}).followed == Rows{0, 1});
  CHECK(side_of({{"a", 2}, {"b", 2}, {"c", 60}}).verdict == SideVerdict::kNone);
}

TEST_CASE("one contract alone is named by all its bits only") {
  CHECK(side_of({{"a", 1}}).verdict == SideVerdict::kNone);
  CHECK(side_of({{"a", 0}}).verdict == SideVerdict::kExact);
  CHECK(side_of({}).verdict == SideVerdict::kNoEvidence);
}

TEST_CASE("the nearest setting is told by the mean difference") {
  const SideResult clear = side_of({{"a", 90, 1e-7}, {"b", 95, 3e-7}, {"a", 100, 0.2, 99, Temperature::kOne}});
  CHECK(clear.nearest == 0U);
  CHECK(clear.setting_is_clear);
  CHECK_FALSE(side_of({{"a", 90, 1e-7}, {"a", 100, 4e-7, 99, Temperature::kOne}}).setting_is_clear);
}

TEST_CASE("pairs: bits, steps of the dtype, values that are not finite") {
  Tally tally;
  const Place place;
  add_pair(tally, DType::kFloat32, -1.5, -1.5, place);
  add_pair(tally, DType::kFloat32, 0.0, -0.0, place);
  CHECK(tally.differing == 1);
  CHECK(tally.max_ulp == 0);
  add_pair(tally, DType::kFloat32, -1.0, static_cast<double>(std::nextafter(-1.0F, -2.0F)), place);
  CHECK(tally.max_ulp == 1);
  CHECK(tally.max_abs == std::pow(2.0, -23));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  add_pair(tally, DType::kFloat32, nan, nan, place);
  add_pair(tally, DType::kFloat32, nan, -1.0, place);
  add_pair(tally, DType::kFloat32, -INFINITY, -INFINITY, place);
  CHECK(tally.compared == 6);
  CHECK(tally.differing == 3);
  CHECK(tally.not_finite == 3);
  REQUIRE(tally.first);
  CHECK(tally.first->computed == 0.0);
}

TEST_CASE("steps of each dtype") {
  CHECK(ulp_distance(DType::kFloat64, 1.0, std::nextafter(1.0, 2.0)) == 1);
  CHECK(ulp_distance(DType::kBfloat16, 1.0, 1.0078125) == 1);
  CHECK(ulp_distance(DType::kFloat16, 1.0, 1.0009765625) == 1);
  CHECK(ulp_distance(DType::kFloat16, std::pow(2.0, -14), std::pow(2.0, -14) - std::pow(2.0, -24)) == 1);
  CHECK(ulp_distance(DType::kFloat16, -std::pow(2.0, -24), std::pow(2.0, -24)) == 2);
  CHECK(ulp_distance(DType::kFloat64, -1.7e308, 1.7e308) > (std::uint64_t{1} << 62));
  CHECK(in_dtype(DType::kBfloat16, 1.001F, 0.0) == 1.0);
  CHECK(in_dtype(DType::kFloat64, 1.5F, 1.25) == 1.25);
}

TEST_CASE("values are shown with all their digits and their bits") {
  CHECK(value_text(DType::kFloat32, static_cast<double>(-1.2F)) == "-1.2 (0xbf99999a)");
  CHECK(value_text(DType::kBfloat16, -1.203125) == "-1.203125 (0xbf9a)");
  CHECK(value_text(DType::kFloat64, -0.1) == "-0.1 (0xbfb999999999999a)");
}
