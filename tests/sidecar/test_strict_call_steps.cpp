// SPDX-License-Identifier: Apache-2.0
// Steps are found by counting samples, however many calls they were cut into.
#include <catch2/catch.hpp>

#include "sidecar/call_steps.h"

namespace rlverify::sidecar {
namespace {

SurveyedFile file(std::int64_t rank, std::int64_t call, std::size_t samples) {
  SurveyedFile surveyed;
  surveyed.rank = rank;
  surveyed.call_index = call;
  surveyed.shards.resize(samples);
  return surveyed;
}
constexpr Layout kLayout = {2, 1};

}  // namespace

TEST_CASE("Calls of equal and of different sizes") {
  const CallSteps even({file(0, 0, 4), file(0, 1, 4), file(0, 2, 4)}, kLayout, 4);
  CHECK(even.step_of(0, 2) == 2);
  CHECK_FALSE(even.step_of(0, 3).has_value());
  CHECK_FALSE(even.step_of(1, 0).has_value());
  const CallSteps uneven({file(0, 0, 4), file(0, 1, 1), file(0, 2, 2), file(0, 3, 1)}, kLayout, 4);
  CHECK(uneven.step_of(0, 0) == 0);
  CHECK(uneven.step_of(0, 1) == 1);
  CHECK(uneven.step_of(0, 3) == 1);
  REQUIRE(uneven.calls_of(0, 1).has_value());
  CHECK(uneven.calls_of(0, 1)->begin == 1);
  CHECK(uneven.calls_of(0, 1)->end == 4);
  CHECK_FALSE(uneven.calls_of(0, 2).has_value());
  CHECK_FALSE(uneven.calls_of(0, -1).has_value());
}

TEST_CASE("Each data-parallel group counts its own calls, any replica of a call will do") {
  SurveyedFile unreadable = file(0, 0, 0);
  unreadable.problem = core::Problem();
  const CallSteps steps({unreadable, file(1, 0, 2), file(2, 0, 1), file(2, 1, 1)}, kLayout, 2);
  CHECK(steps.step_of(0, 0) == 0);
  CHECK(steps.step_of(1, 1) == 0);
}

TEST_CASE("Steps behind a hole, and calls across two steps, are not known") {
  const CallSteps hole({file(0, 0, 4), file(0, 2, 4)}, kLayout, 4);
  CHECK(hole.step_of(0, 0) == 0);
  CHECK_FALSE(hole.step_of(0, 2).has_value());
  const CallSteps across({file(0, 0, 3), file(0, 1, 3)}, kLayout, 4);
  CHECK_FALSE(across.step_of(0, 0).has_value());
  CHECK_FALSE(CallSteps({file(0, 0, 3)}, kLayout, 0).step_of(0, 0).has_value());
}

}  // namespace rlverify::sidecar
