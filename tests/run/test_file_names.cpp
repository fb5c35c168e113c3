// SPDX-License-Identifier: Apache-2.0
// Names of files of one rank and call, both ways.
#include <catch2/catch.hpp>

#include "run/file_names.h"

using namespace rlverify::run;

TEST_CASE("a rank's and call's file name is read back, with any number of digits") {
  CHECK(rank_call_name(3, 12) == "rank00003.call00000012.pt");
  for (const auto& [rank, call] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {3, 12}, {123456, 123456789}}) {
    const auto parsed = parse_rank_call_name(rank_call_name(rank, call));
    REQUIRE(parsed);
    CHECK(parsed->rank == rank);
    CHECK(parsed->call == call);
  }
  REQUIRE(parse_rank_call_name("rank3.call12.pt"));
  CHECK(parse_rank_call_name("rank3.call12.pt")->call == 12);
}

TEST_CASE("names of another form are none") {
  for (const char* name : {"", "rank", "rank3.pt", "rank3.call.pt", "rank.call3.pt", "rank-3.call1.pt", "rank3.call1",
                           "rank3.call1.pt.part", "call1.rank3.pt", "rank3.call99999999999999999999.pt"}) {
    INFO(name);
    CHECK_FALSE(parse_rank_call_name(name));
  }
}
