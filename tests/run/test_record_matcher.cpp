// SPDX-License-Identifier: Apache-2.0
// Records on one line: what the public validator's pattern `\b(rollout|step|perf)\s+(\d+):\s+(\{.*\})\s*$` finds, and
// what else we see.
#include <catch2/catch.hpp>
#include <string>

#include "run/record_matcher.h"

namespace rlverify::run {
namespace {

std::string payload(const std::string& line) {
  const auto match = match_record(line);
  return match ? line.substr(match->payload_begin, match->payload_end - match->payload_begin) : "no record";
}

bool public_matches(const std::string& line) {
  const auto match = match_record(line);
  return match && match->public_matches;
}

}  // namespace

TEST_CASE("The three kinds with their number and payload") {
  const auto step = match_record("step 3: {'a': 1}");
  REQUIRE(step);
  CHECK(step->kind == RecordKind::kStep);
  CHECK(step->number == 3);
  CHECK(step->begin == 0);
  CHECK(step->payload_begin == 8);
  CHECK(step->payload_end == 16);
  CHECK(step->public_matches);
  CHECK(step->role.empty());
  CHECK(match_record("x - rollout 12:\t{}")->kind == RecordKind::kRollout);
  CHECK(match_record("perf   007:  {}")->number == 7);
  CHECK(match_record("perf 0: {}")->kind == RecordKind::kPerf);
}

TEST_CASE("Lines that are no records") {
  for (const char* const line :
       {"", "step", "step 3", "step 3:", "step 3: x", "step 3:{'a': 1}", "step3: {}", "step : {}", "steps 3: {}",
        "mystep 3: {}", "step_ 3: {}", "_step 3: {}", "9step 3: {}", "Step 3: {}", "step 3 : {}", "step -3: {}",
        "step 3.0: {}", "step 3: x {}"}) {
    CAPTURE(line);
    CHECK_FALSE(match_record(line));
  }
}

TEST_CASE("The first position that works wins") {
  CHECK(match_record("step x: {} step 4: {'b': 2}")->number == 4);
  CHECK(match_record("step 3: {'x': 'step 4: {}'}")->number == 3);
  CHECK(match_record("rollout 1: no, perf 2: {}")->kind == RecordKind::kPerf);
}

TEST_CASE("The last brace of the line ends the payload") {
  CHECK(payload("step 0: {'a': {'b': 1}}  ") == "{'a': {'b': 1}}");
  CHECK(payload("step 0: {'a': 1} and {'b': 2}") == "{'a': 1} and {'b': 2}");
}

TEST_CASE("A word boundary is Unicode's") {
  CHECK_FALSE(match_record("\xC3\xA9step 3: {}"));      // e with acute: a letter
  CHECK_FALSE(match_record("\xD9\xA3step 3: {}"));      // Arabic-Indic digit three
  CHECK_FALSE(match_record("\xE4\xB8\xADstep 3: {}"));  // a CJK character
  CHECK(match_record("\xE2\x80\x94step 3: {}"));        // a dash
  CHECK(match_record("\xF0\x9F\x99\x82step 3: {}"));    // a symbol
  CHECK(match_record("\xFFstep 3: {}"));                // a bad byte is U+FFFD, no letter
  CHECK(match_record("\xC3step 3: {}"));                // half a character, too
}

TEST_CASE("Digits and spaces are Unicode's") {
  CHECK(match_record("step \xD9\xA3\xD9\xA4: {}")->number == 34);
  CHECK(match_record("step \xEF\xBC\x97"
                     "1: {}")
            ->number == 71);                                      // full-width seven
  CHECK(match_record("step \xF0\x9D\x9F\x9F: {}")->number == 7);  // mathematical bold... sans digit
  CHECK_FALSE(match_record("step \xC2\xB2: {}"));                 // a superscript is no decimal digit
  CHECK(match_record("step\xC2\xA0"
                     "5:\xE3\x80\x80{}")
            ->number == 5);                             // no-break space, ideographic space
  CHECK(public_matches("step 5: {}\xE2\x80\x83\x1F"));  // an em space and a unit separator after the brace
  CHECK_FALSE(
      match_record("step\xE2\x80\x8B"
                   "5: {}"));  // a zero-width space is no space
}

TEST_CASE("A number beyond 64 bits is held at the end of the range") {
  CHECK(match_record("step 9223372036854775807: {}")->number == 9223372036854775807);
  CHECK(match_record("step 99999999999999999999999: {}")->number == 9223372036854775807);
}

TEST_CASE("What terminals and Ray append hides a record from the public validator only") {
  const auto colour = match_record("step 3: {'a': 1}\x1b[0m");
  REQUIRE(colour);
  CHECK_FALSE(colour->public_matches);
  CHECK(colour->payload_end == 16);
  const auto repeated = match_record("step 3: {'a': 1} \x1b[32m [repeated 4x across cluster]\x1b[0m");
  REQUIRE(repeated);
  CHECK_FALSE(repeated->public_matches);
  CHECK(repeated->repeated == 4);
  CHECK(repeated->payload_end == 16);
}

TEST_CASE("A record without an end on its line is told, with any other text after it") {
  for (const char* const line : {"step 3: {'a': 1", "step 3: {'a': 1} done", "step 3: {'a': 1} [repeated many times]",
                                 "step 3: {'a': 1} \x1b[", "} step 3: {'a': 1"}) {
    CAPTURE(line);
    const auto match = match_record(line);
    REQUIRE(match);
    CHECK_FALSE(match->public_matches);
    CHECK(match->payload_end == match->payload_begin);
  }
}

TEST_CASE("A role before the kind is kept: the public validator takes such lines for steps") {
  const auto critic = match_record("model.py:1 - critic-step 3: {'a': 1}");
  REQUIRE(critic);
  CHECK(critic->role == "critic");
  CHECK(critic->public_matches);
  CHECK(match_record("-step 3: {}")->role.empty());
  CHECK(match_record("x step 3: {}")->role.empty());
}

TEST_CASE("Ray's prefix gives actor and pid") {
  const RayPrefix plain = ray_prefix("(MegatronTrainRayActor pid=41733) text");
  CHECK(plain.actor == "MegatronTrainRayActor");
  CHECK(plain.pid == 41733);
  const RayPrefix coloured = ray_prefix("\x1b[1m\x1b[36m(A pid=7, ip=10.0.0.1)\x1b[0m text");
  CHECK(coloured.actor == "A");
  CHECK(coloured.pid == 7);
  CHECK_FALSE(ray_prefix("text (A pid=7)").pid);
  CHECK_FALSE(ray_prefix("(A pid=x)").pid);
  CHECK_FALSE(ray_prefix("(A pid=7").pid);
  CHECK_FALSE(ray_prefix("(A) pid=7").pid);
}

TEST_CASE("Ray's count of repeats") {
  CHECK(repeated_count("a [repeated 12x across cluster] b") == 12);
  CHECK(repeated_count("[repeated ?x across cluster] [repeated 3x across cluster]") == 3);
  CHECK(repeated_count("[repeated 0x across cluster]") == 0);
  CHECK(repeated_count("[repeated 3x]") == 0);
}

}  // namespace rlverify::run
