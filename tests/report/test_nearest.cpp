// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "report/nearest.h"

using namespace rlverify::report;

TEST_CASE("edits are counted, a swap of neighbours as one") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("compare", "comapre") == 1);
  CHECK(edit_distance("seal", "Sale") == 2);
  CHECK(edit_distance("validate", "VALIDATE") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("near names come nearest first, far ones not at all") {
  const std::vector<std::string> commands = {"validate", "compare", "diff", "replay", "seal", "check-seal"};
  CHECK(nearest_names("vaildate", commands) == std::vector<std::string>{"validate"});
  CHECK(nearest_names("comp", commands) == std::vector<std::string>{"compare"});
  CHECK(nearest_names("seel", commands) == std::vector<std::string>{"seal"});
  CHECK(nearest_names("xyz", commands).empty());
  CHECK(nearest_names("", commands).empty());
  CHECK(nearest_names("aa", {"ab", "ac", "ad", "ae"}) == std::vector<std::string>{"ab", "ac", "ad"});
}

TEST_CASE("an absurdly long name is near nothing and costs nothing") {
  CHECK(nearest_names(std::string(1'000'000, 'x'), {"seal"}).empty());
}

TEST_CASE("the question names the candidates") {
  CHECK(did_you_mean("seel", {"seal"}) == "did you mean \"seal\"?");
  CHECK(did_you_mean("aa", {"ab", "ac"}) == "did you mean \"ab\" or \"ac\"?");
  CHECK(did_you_mean("zzz", {"ab"}).empty());
}
