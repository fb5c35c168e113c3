// SPDX-License-Identifier: Apache-2.0
// The view of diff: a check for each tensor that isn't equal, one for the rest, and the picture of the worst.
#include <catch2/catch.hpp>

#include "diff/diff_support.h"
#include "report/diff_view.h"
#include "report/renderers.h"
#include "report/view_support.h"

namespace rlverify::report {
namespace {

using diff::test::float_tensor;
using diff::test::Pair;
using test::contains;

TEST_CASE("view of diff: a check for each tensor that differs, one for all that are equal", "[view]") {
  const Pair pair({float_tensor("a", {4}, {1, 2, 3, 4}), float_tensor("b", {2}, {1, 2}), float_tensor("c", {1}, {1}),
                   float_tensor("same", {2}, {5, 6}), float_tensor("too", {2}, {5, 6})},
                  {float_tensor("a", {4}, {1, 2, 3.5, 4.25}), float_tensor("b", {1, 2}, {1, 2}),
                   float_tensor("same", {2}, {5, 6}), float_tensor("too", {2}, {5, 6})});
  const diff::ModelDiff result = pair.diff();
  const ReportView view = diff_view(result, "0.1.0");
  const ViewGroup& group = view.groups.at(0);
  REQUIRE(group.checks.size() == 4);
  CHECK(group.checks[0].title == "a");
  CHECK(group.checks[0].word == "different");
  CHECK(contains(group.checks[0].compared, "2 of 4 elements"));
  CHECK(group.checks[1].word == "other shape");
  CHECK(group.checks[2].word == "missing");
  CHECK(group.checks[3].title == "2 tensors");
  CHECK(group.checks[3].verdict == CheckVerdict::kPassed);
  CHECK_FALSE(view.passed());
  REQUIRE(group.first);
  const std::string xml = render_junit(view);
  CHECK(contains(xml, "tests=\"4\" failures=\"3\" errors=\"0\" skipped=\"0\""));
  CHECK(contains(xml, "name=\"a\">\n      <failure type=\"different\" message=\"RLV-401: "));
  REQUIRE(view.charts.size() >= 1);
  const auto& sizes = std::get<BarChart>(view.charts[0]);
  REQUIRE(sizes.bars.size() == 2);
  CHECK(sizes.bars[0].label == "2^-2");
  CHECK(sizes.bars[1].value == 1);
}

TEST_CASE("view of diff: equal models pass with one check and no picture", "[view]") {
  const Pair pair({float_tensor("a", {2}, {1, 2})}, {float_tensor("a", {2}, {1, 2})});
  const diff::ModelDiff result = pair.diff();
  const ReportView view = diff_view(result, "0.1.0");
  CHECK(view.passed());
  CHECK(view.groups.at(0).checks.size() == 1);
  CHECK_FALSE(view.groups.at(0).first);
  CHECK(view.charts.empty());
  CHECK(contains(render_junit(view), "failures=\"0\""));
}

TEST_CASE("view of diff: many different tensors share a check beyond the limit", "[view]") {
  std::vector<diff::test::NamedBytes> a;
  std::vector<diff::test::NamedBytes> b;
  for (std::size_t i = 0; i < kMostTensorChecks + 5; ++i) {
    a.push_back(float_tensor("t" + std::to_string(i), {1}, {1}));
    b.push_back(float_tensor("t" + std::to_string(i), {1}, {2}));
  }
  const Pair pair(a, b);
  const diff::ModelDiff result = pair.diff();
  const ViewGroup group = diff_view(result, "0.1.0").groups.at(0);
  REQUIRE(group.checks.size() == kMostTensorChecks + 1);
  CHECK(group.checks.back().title == "5 tensors");
  CHECK(group.checks.back().verdict == CheckVerdict::kFailed);
}

}  // namespace
}  // namespace rlverify::report
