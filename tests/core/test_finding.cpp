// SPDX-License-Identifier: Apache-2.0
// Findings of one cause are one finding with a count, and a place is told once.
#include <catch2/catch.hpp>

#include "core/finding.h"

using namespace rlverify::core;

namespace {

Finding at_step(std::int64_t step) {
  Finding finding = bare_finding("RLV-335", Severity::kError, Section::kLogProbs, "log-probs can't be used");
  finding.place.file = "train-data/1.pt";
  finding.place.step = step;
  return finding;
}

}  // namespace

TEST_CASE("One cause at several places is one finding that names two more of them") {
  Findings findings;
  for (const std::int64_t step : {0, 1, 2, 3}) {
    findings.add(at_step(step));
  }
  REQUIRE(findings.list().size() == 1);
  const Finding& only = findings.list().front();
  CHECK(only.count == 4);
  CHECK(only.place.step == 0);
  REQUIRE(only.more_places.size() == 2);
  CHECK(only.more_places[0].step == 1);
  CHECK(only.more_places[1].step == 2);
}

TEST_CASE("A place that a finding names already is counted and not named again") {
  Findings findings;
  for (const std::int64_t step : {5, 5, 6, 6, 7}) {
    findings.add(at_step(step));
  }
  const Finding& only = findings.list().front();
  CHECK(only.count == 5);
  REQUIRE(only.more_places.size() == 2);
  CHECK(only.more_places[0].step == 6);
  CHECK(only.more_places[1].step == 7);
}

TEST_CASE("Another expectation is another finding") {
  Findings findings;
  findings.add(at_step(0));
  Finding other = at_step(0);
  other.expected = "4 positions";
  findings.add(other);
  CHECK(findings.list().size() == 2);
}
