// SPDX-License-Identifier: Apache-2.0
// Who owns which response position under context parallelism: published tables, and a count position by position for
// many lengths.
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "sidecar/cp_slice.h"

namespace rlverify::sidecar {
namespace {

std::string ranges_text(std::int64_t total, std::int64_t response, std::int64_t cp, std::int64_t rank) {
  std::string text;
  for (const Range& range : owned_ranges(total, response, cp, rank)) {
    text += range.size() > 0 ? "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")" : "";
  }
  return text;
}

struct Row {
  std::int64_t total, response, cp;
  std::vector<const char*> ranges;  ///< by rank, in response coordinates
};

}  // namespace

TEST_CASE("Owned ranges in response coordinates") {
  const Row rows[] = {
      {10, 6, 2, {"", "[0,3)[3,6)"}},
      {10, 6, 4, {"", "[0,1)", "[1,3)", "[3,5)[5,6)"}},
      {7, 3, 2, {"", "[0,1)[1,3)"}},
      {650, 512, 2, {"[0,26)[352,512)", "[26,189)[189,352)"}},
      {650, 512, 4, {"[437,512)", "[0,27)[355,437)", "[27,109)[273,355)", "[109,191)[191,273)"}},
      {650,
       512,
       8,
       {"[478,512)", "[437,478)", "[396,437)", "[0,27)[355,396)", "[27,68)[314,355)", "[68,109)[273,314)",
        "[109,150)[232,273)", "[150,191)[191,232)"}},
      {3, 3, 2, {"[1,2)", "[2,3)"}},  // no prompt: token 0 belongs to nobody
      {5, 5, 1, {"[0,5)"}},
  };
  for (const Row& row : rows) {
    for (std::size_t rank = 0; rank < row.ranges.size(); ++rank) {
      CAPTURE(row.total, row.response, row.cp, rank);
      CHECK(ranges_text(row.total, row.response, row.cp, static_cast<std::int64_t>(rank)) == row.ranges[rank]);
    }
  }
}

TEST_CASE("Owned counts of published cases; a rank may own nothing") {
  struct Counts {
    std::int64_t total, response, cp;
    std::vector<std::int64_t> counts;
  };
  const Counts rows[] = {{16, 3, 2, {3, 0}},      {16, 5, 2, {3, 2}},     {16, 12, 2, {4, 8}},
                         {17, 9, 2, {1, 8}},      {10, 1, 2, {0, 1}},     {64, 8, 4, {7, 1, 0, 0}},
                         {3, 1, 4, {0, 1, 0, 0}}, {6, 6, 4, {1, 1, 1, 2}}};
  for (const Counts& row : rows) {
    for (std::size_t rank = 0; rank < row.counts.size(); ++rank) {
      CAPTURE(row.total, row.response, row.cp, rank);
      CHECK(owned_count(owned_ranges(row.total, row.response, row.cp, static_cast<std::int64_t>(rank))) ==
            row.counts[rank]);
    }
  }
}

TEST_CASE("With a prompt, every position has exactly one owner, and vectors map to positions in order") {
  for (std::int64_t total = 2; total <= 40; ++total) {
    for (std::int64_t response = 1; response < total; ++response) {
      for (const std::int64_t cp : {1, 2, 3, 4, 8}) {
        std::vector<int> owners(static_cast<std::size_t>(response), 0);
        for (std::int64_t rank = 0; rank < cp; ++rank) {
          const auto ranges = owned_ranges(total, response, cp, rank);
          for (std::int64_t i = 0; i < owned_count(ranges); ++i) {
            ++owners.at(static_cast<std::size_t>(response_position(ranges, i)));
          }
        }
        CAPTURE(total, response, cp);
        CHECK(owners == std::vector<int>(static_cast<std::size_t>(response), 1));
      }
    }
  }
}

TEST_CASE("Lengths and sizes at the end of the range don't overflow") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(owned_count(owned_ranges(kMost, 1, 2, 0)) == 1);
  CHECK(owned_count(owned_ranges(kMost, 1, 2, 1)) == 0);
  CHECK(owned_count(owned_ranges(kMost, 5, kMost, 7)) == 0);
  CHECK(owned_count(owned_ranges(10, 6, kMost, 4)) == 1);
  CHECK(owned_count(owned_ranges(kMost, kMost, kMost, kMost - 1)) >= 0);
}

}  // namespace rlverify::sidecar
