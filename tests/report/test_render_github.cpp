// SPDX-License-Identifier: Apache-2.0
// GitHub annotations: the escaping rules of workflow commands, the cap of ten, and text that would begin a command.
#include <catch2/catch.hpp>
#include <sstream>

#include "report/renderers.h"
#include "report/view_support.h"

namespace rlverify::report {
namespace {

using test::contains;
using test::count_of;
using test::small_view;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// `count` findings, the last ones about norms.
ReportView many(std::size_t count) {
  ReportView view = small_view();
  std::vector<core::Finding>& findings = view.groups[0].findings;
  findings.clear();
  for (std::size_t i = 0; i < count; ++i) {
    findings.push_back(test::finding("RLV-330", i < 300 ? core::Section::kLogProbs : core::Section::kNorms,
                                     "difference " + std::to_string(i)));
  }
  return view;
}

TEST_CASE("github: an annotation names file, line and title", "[github]") {
  ReportView view = small_view();
  core::Finding& finding = view.groups[0].findings[0];
  finding.place.line = 12;
  finding.place.column = 3;
  finding.place.file = "runs/a,b:c/run.log";
  finding.expected = "100%";
  const auto lines = lines_of(render_github(view));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "rlverify validate: FAILED: run-1; 3 checks: 1 passed, 1 failed, 1 unavailable");
  CHECK(lines[1] ==
        "::error file=runs/a%2Cb%3Ac/run.log,line=12,col=3,title=RLV-162 Log-probs differ in bits::runs/a,b:c/run.log "
        "line 12 column 3, rank 4: train and rollout differ: expected 100%25, found rollout -0.25 (0xbe800000)");
}

TEST_CASE("github: 312 differences give ten annotations, the last says how many more and where", "[github]") {
  const auto lines = lines_of(render_github(many(312)));
  REQUIRE(lines.size() == 11);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CHECK(lines[i].compare(0, 8, "::error ") == 0);
  }
  CHECK(contains(lines[10], "::303 more: 291 in log-probs, 12 in gradient norms."));
  CHECK(contains(lines[10], "(--findings FILE)"));
  // Of these commands the document itself is that of the findings.
  ReportView view = many(312);
  view.command = "diff";
  CHECK(contains(lines_of(render_github(view))[10], "(-o FILE)"));
}

TEST_CASE("github: ten findings have an annotation each, eleven share the last two", "[github]") {
  const std::string ten = render_github(many(10));
  CHECK(count_of(ten, "::error ") == 10);
  CHECK_FALSE(contains(ten, "more:"));
  const std::string eleven = render_github(many(11));
  CHECK(count_of(eleven, "::error ") == 10);
  CHECK(contains(eleven, "::2 more: 2 in log-probs."));
}

TEST_CASE("github: errors come before warnings and notes within the cap", "[github]") {
  ReportView view = many(12);
  view.groups[0].findings[0].severity = core::Severity::kNote;
  view.groups[0].findings[1].severity = core::Severity::kWarning;
  const auto lines = lines_of(render_github(view));
  REQUIRE(lines.size() == 11);
  CHECK(contains(lines[1], "difference 2"));
  CHECK(contains(lines[9], "difference 10"));
  ReportView two = many(2);
  two.groups[0].findings[0].severity = core::Severity::kNote;
  two.groups[0].findings[1].severity = core::Severity::kWarning;
  const auto few = lines_of(render_github(two));
  CHECK(few.at(1).compare(0, 10, "::warning ") == 0);
  CHECK(few.at(2).compare(0, 9, "::notice ") == 0);
}

TEST_CASE("github: no text of an artifact begins a command", "[github]") {
  const auto lines = lines_of(render_github(test::hostile_view()));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].compare(0, 9, "rlverify ") == 0);
  for (const std::string& line : lines) {
    CHECK_FALSE(contains(line, "##["));
    CHECK_FALSE(contains(line, "%0A"));
    CHECK_FALSE(contains(line, "\x1b"));
  }
  CHECK(contains(lines[1], "%250A\\x0d\\x0a"));
}

TEST_CASE("github: a finding of one of several groups says whose it is", "[github]") {
  ReportView view = small_view();
  view.groups.push_back(view.groups[0]);
  view.groups[1].name = "other";
  CHECK(contains(render_github(view), "::other: runs/one/side.pt"));
}

}  // namespace
}  // namespace rlverify::report
