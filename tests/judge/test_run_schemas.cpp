// SPDX-License-Identifier: Apache-2.0
// validate --schema on a run: each file's faults are findings with file, pointer, line and column (RLV-194, RLV-195,
// RLV-196).
#include <catch2/catch.hpp>

#include "core/test_support.h"
#include "judge/run_schemas.h"
#include "support/test_run.h"

namespace rlverify::judge {
namespace {

using rlverify::test::TestRun;

core::Findings findings_of(const TestRun& files) {
  const core::test::TemporaryFolder folder;
  files.write(folder.file("run"));
  core::Findings findings;
  check_run_schemas(run::read_run_directory(folder.file("run")), findings);
  return findings;
}

TEST_CASE("The files of a run that passes fit their schemas") {
  CHECK(findings_of(rlverify::test::passing_run()).list().empty());
}

TEST_CASE("A manifest that does not fit: RLV-194 with pointer, line and column") {
  TestRun run = rlverify::test::passing_run();
  run.replace("manifest.json", "\"num_rollout\": 2", "\"num_rollout\": \"2\"");
  const core::Findings findings = findings_of(run);
  REQUIRE(findings.list().size() == 1);
  const core::Finding& finding = findings.list()[0];
  CHECK(finding.code == "RLV-194");
  CHECK(finding.section == core::Section::kLaunch);
  CHECK(finding.severity == core::Severity::kError);
  CHECK(finding.what == "does not fit the schema manifest: expected an integer, found the string \"2\"");
  CHECK(finding.place.text() == "manifest.json line 5 column 18, /num_rollout");
}

TEST_CASE("Readbacks that do not fit for one reason are one finding: RLV-195") {
  TestRun run = rlverify::test::passing_run();
  for (const std::string& name : run.names("readbacks")) {
    run.replace_all("readbacks/" + name, "\"call_count\": 4", "\"call_count\": 4.0");
  }
  const core::Findings findings = findings_of(run);
  REQUIRE(findings.list().size() == 1);
  CHECK(findings.list()[0].code == "RLV-195");
  CHECK(findings.list()[0].section == core::Section::kBackends);
  CHECK(findings.list()[0].count == 3 * 2 * rlverify::test::kRanks);
  CHECK(findings.list()[0].more_places.size() == 2);
  CHECK(findings.list()[0].place.field == "/operators/attention/call_count");
}

TEST_CASE("Weight audits of both forms are known, and one that does not fit is RLV-196") {
  TestRun run = rlverify::test::passing_run();
  const std::string path = "weight-audit/weight_v000001.json";
  run.files[path] = R"({"version": "weight_v000001", "tensor": "w", "sha256": ")" + std::string(64, 'a') +
                    R"(", "shape": [2], "dtype": "torch.bfloat16"})";
  CHECK(findings_of(run).list().empty());
  run.replace(path, "[2]", "[-2]");
  const core::Findings findings = findings_of(run);
  REQUIRE(findings.list().size() == 1);
  CHECK(findings.list()[0].code == "RLV-196");
  CHECK(findings.list()[0].section == core::Section::kWeights);
  CHECK(findings.list()[0].place.file == path);
  CHECK(findings.list()[0].place.field == "/shape/0");
  CHECK(findings.list()[0].place.line == 1U);
}

TEST_CASE("What is no strict JSON is named although no schema sees it") {
  TestRun run = rlverify::test::passing_run();
  run.replace("manifest.json", "\"temperature\": 0.7", "\"temperature\": NaN");
  const core::Findings findings = findings_of(run);
  REQUIRE(findings.list().size() == 1);
  CHECK(findings.list()[0].code == "RLV-106");
}

TEST_CASE("A file that can't be read is named once") {
  TestRun run = rlverify::test::passing_run();
  run.files["weight-audit/weight_v000002.json"] = "{";
  CHECK(findings_of(run).list().at(0).code == "RLV-196");
  const core::test::TemporaryFolder folder;
  run.write(folder.file("run"));
  core::Findings findings;
  core::Finding named;
  named.code = "RLV-102";
  named.place.file = "weight-audit/weight_v000002.json";
  findings.add(named);
  check_run_schemas(run::read_run_directory(folder.file("run")), findings);
  CHECK(findings.list().size() == 1);
}

TEST_CASE("A file that no schema could be held against doesn't count as one that fits") {
  TestRun run = rlverify::test::passing_run();
  const core::test::TemporaryFolder folder;
  core::Findings findings;
  run.write(folder.file("whole"));
  const SchemaFiles whole = check_run_schemas(run::read_run_directory(folder.file("whole")), findings);
  CHECK(whole.unreadable == 0);
  run.files["manifest.json"] = "";
  run.files["weight-audit/weight_v000002.json"] = "{";
  run.write(folder.file("torn"));
  const SchemaFiles torn = check_run_schemas(run::read_run_directory(folder.file("torn")), findings);
  CHECK(torn.unreadable == 2);
  CHECK(torn.looked_at + 2 == whole.looked_at);
}

}  // namespace
}  // namespace rlverify::judge
