// SPDX-License-Identifier: Apache-2.0
// The findings document: verdicts, checks, coverage and evidence.
#include <catch2/catch.hpp>

#include "report/check_list.h"
#include "report/finding_text.h"
#include "report/report_support.h"
#include "report/validation_document.h"

using namespace rlverify;

TEST_CASE("a passing run: verdict, checks and coverage") {
  const report::test::Filled filled = report::test::passing();
  const report::Document document = report::findings_document(filled.result, "0.1.0");
  const core::Value root = document.root();
  CHECK(root.get("verdict").text() == "passed");
  CHECK(root.get("exit_code").integer() == 0);
  CHECK(root.get("rules").text() == "reference");
  CHECK(root.get("run_id").text() == "pcp2-ipc-r3");
  CHECK(root.path({"coverage", "log_probs", "elements"}).integer() == 8192);
  CHECK(root.path({"coverage", "cudagraph", "files"}).integer() == 0);
  CHECK(root.path({"tool", "version"}).text() == "0.1.0");
  CHECK(root.get("findings").size() == 0);
  std::string checks;
  for (std::size_t i = 0; i < root.get("checks").size(); ++i) {
    checks += std::string(root.get("checks").at(i).get("section").text()) + "=" +
              std::string(root.get("checks").at(i).get("verdict").text()) + " ";
  }
  CHECK(checks ==
        "launch=passed log=passed backends=passed pcp=passed cudagraph=passed weights=passed log_probs=passed "
        "scalars=passed dumps=passed ");
}

TEST_CASE("findings keep place, evidence and count; causes come before consequences") {
  report::test::Filled filled = report::test::failing();
  core::Finding consequence = report::test::finding(core::Section::kLaunch, "RLV-906", "not evaluated", {}, "", "");
  consequence.because_of = "RLV-902";
  consequence.severity = core::Severity::kNote;
  filled.result.findings = {};
  filled.result.findings.add(consequence);
  report::test::add_failing_findings(filled.result.findings);
  const report::Document document = report::findings_document(filled.result, "0.1.0");
  const core::Value findings = document.root().get("findings");
  CHECK(document.root().get("verdict").text() == "failed");
  CHECK(document.root().get("exit_code").integer() == 1);
  CHECK(document.root().get("findings_total").integer() == 6);
  REQUIRE(findings.size() == 6);
  const core::Value first = findings.at(0);
  CHECK(first.get("code").text() == "RLV-901");
  CHECK(first.get("severity").text() == "error");
  CHECK(first.get("section").text() == "launch");
  CHECK(first.path({"place", "field"}).text() == "topology.tp");
  CHECK(first.get("more_places").at(0).get("field").text() == "topology.cp");
  CHECK(first.get("expected").text() == "4");
  CHECK(first.get("found").text() == "3");
  CHECK(first.get("hint").is(core::Kind::kNull));
  CHECK(first.get("count").integer() == 2);
  CHECK(findings.at(5).get("because_of").text() == "RLV-902");
  const core::Value scalar = findings.at(3);
  CHECK(scalar.path({"place", "line"}).integer() == 7);
  CHECK(scalar.path({"place", "step"}).integer() == 1);
  CHECK(scalar.get("place").size() == 3);
}

TEST_CASE("at most a thousand findings are listed and the total is said") {
  report::test::Filled filled = report::test::failing();
  filled.result.findings = {};
  for (int i = 0; i < 1500; ++i) {
    filled.result.findings.add(report::test::finding(core::Section::kLog, "RLV-900", "x", {}, "", std::to_string(i)));
  }
  const report::Document document = report::findings_document(filled.result, "0.1.0");
  CHECK(document.root().get("findings").size() == 1000);
  CHECK(document.root().get("findings_total").integer() == 1500);
}

TEST_CASE("checks: failed, unavailable and not required are told apart") {
  const auto verdict = [](const report::ValidationResult& result, core::Section section) {
    for (const report::Check& check : report::checks_of(result)) {
      if (check.section == section) {
        return std::string(report::verdict_name(check.verdict)) + ": " + check.compared;
      }
    }
    return std::string("none");
  };
  report::test::Filled filled = report::test::failing();
  CHECK(verdict(filled.result, core::Section::kLaunch) == "failed: no evidence");
  CHECK(verdict(filled.result, core::Section::kPcp) == "unavailable: not required by this run");
  CHECK(verdict(filled.result, core::Section::kCudagraph) == "failed: not shown: launcher marker, capture sizes");
  CHECK(verdict(filled.result, core::Section::kWeights) == "unavailable: no evidence");
  CHECK(verdict(filled.result, core::Section::kDumps) == "unavailable: 15 of 16 files hold training log-probs");
  CHECK(verdict(filled.result, core::Section::kTokens) == "none");
  core::Finding consequence = report::test::finding(core::Section::kDumps, "RLV-906", "not evaluated", {}, "", "");
  consequence.because_of = "RLV-902";
  consequence.severity = core::Severity::kNote;
  report::test::Filled passed = report::test::passing();
  CHECK(verdict(passed.result, core::Section::kDumps) == "passed: 16 of 16 files hold training log-probs");
  passed.result.findings.add(consequence);
  CHECK(verdict(passed.result, core::Section::kDumps) == "unavailable: 16 of 16 files hold training log-probs");
  passed.result.gives_up = "ValueError: x";
  CHECK(verdict(passed.result, core::Section::kBackends) == "unavailable: not judged");
}

TEST_CASE("a run that can't be judged says so") {
  report::ValidationResult result;
  result.gives_up = "ValueError: no readbacks";
  const report::Document document = report::findings_document(result, "0.1.0");
  CHECK(document.root().get("verdict").text() == "not_judged");
  CHECK(document.root().get("exit_code").integer() == 3);
  CHECK(document.root().get("run_id").is(core::Kind::kNull));
}

TEST_CASE("a later finding of the cause's own kind names the first, not itself") {
  core::Finding finding =
      core::bare_finding("RLV-340", core::Severity::kError, core::Section::kNorms, "gradient norms differ");
  CHECK(report::cause_text(finding).empty());
  finding.because_of = "RLV-301";
  CHECK(report::cause_text(finding) == "RLV-301");
  finding.because_of = "RLV-340";
  CHECK(report::cause_text(finding) == "the first RLV-340");
}
