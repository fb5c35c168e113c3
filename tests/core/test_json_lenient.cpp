// SPDX-License-Identifier: Apache-2.0
// What the lenient mode reads as Python's json module does, and the observations it keeps.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "core/python_value.h"
#include "json_test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using What = JsonObservation::What;

TEST_CASE("the lenient mode reads NaN and the infinities as floats and observes them") {
  for (const std::size_t block_bytes : kBlockSizes) {
    const JsonDocument document = read_text("[NaN, Infinity,\n -Infinity]", JsonMode::kLenient, block_bytes);
    CHECK(std::isnan(document.root().at(0).real()));
    CHECK(document.root().at(1).real() == std::numeric_limits<double>::infinity());
    CHECK(document.root().at(2).real() == -std::numeric_limits<double>::infinity());
    REQUIRE(document.observations.size() == 3);
    CHECK(document.observations[0].what == What::kNonFiniteToken);
    CHECK(document.observations[0].text == "NaN");
    CHECK(document.observations[1].text == "Infinity");
    CHECK(document.observations[2].text == "-Infinity");
    CHECK(document.observations[2].place.line == 2);
    CHECK(document.observations[2].place.column == 2);
    CHECK(document.observations[2].place.offset == 17);
  }
}

TEST_CASE("a number out of range is no token and no observation") {
  const JsonDocument document = read_text("[1e999, -1e999]", JsonMode::kLenient);
  CHECK(document.root().at(0).real() == std::numeric_limits<double>::infinity());
  CHECK(document.observations.empty());
}

TEST_CASE("of repeated keys the last value wins in the first one's position") {
  const std::string text = "{\"a\": 1, \"b\": 2,\n \"a\": {\"x\": 1, \"x\": 2}, \"c\": 3, \"b\": NaN, \"a\": 4}";
  for (const std::size_t block_bytes : kBlockSizes) {
    const JsonDocument document = read_text(text, JsonMode::kLenient, block_bytes);
    CHECK(python_repr(document.root()) == "{'a': 4, 'b': nan, 'c': 3}");
    CHECK(document.place_of(document.root().key_at(0)).column == 2);
    CHECK(document.place_of(document.root().get("a")).line == 2);
    // In file order, the tokens among them.
    std::vector<std::string> observed;
    for (const JsonObservation& observation : document.observations) {
      observed.push_back((observation.what == What::kDuplicateKey ? "key " : "token ") + observation.text + " " +
                         std::to_string(observation.place.line) + ":" + std::to_string(observation.place.column));
    }
    CHECK(observed ==
          std::vector<std::string>{"key a 2:2", "key x 2:16", "key b 2:33", "token NaN 2:38", "key a 2:43"});
  }
}

TEST_CASE("keys are the same when they mean the same, however they are written") {
  const JsonDocument document = read_text(R"({"\u0061\u00e9": 1, "aé": 2})", JsonMode::kLenient);
  CHECK(python_repr(document.root()) == "{'aé': 2}");
  REQUIRE(document.observations.size() == 1);
  CHECK(document.observations[0].text == "aé");
}

TEST_CASE("a key repeated many times leaves one entry") {
  std::string text = "{\"first\": 0";
  for (int i = 0; i < 1000; ++i) {
    text += ", \"k\": " + std::to_string(i);
  }
  const JsonDocument document = read_text(text + ", \"last\": 1}", JsonMode::kLenient);
  CHECK(python_repr(document.root()) == "{'first': 0, 'k': 999, 'last': 1}");
  CHECK(document.observations.size() == 999);
}
