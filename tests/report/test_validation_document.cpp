// SPDX-License-Identifier: Apache-2.0
// The validation document against the text that Python's json module writes (tests/data/report), and against the
// published one.
#include <catch2/catch.hpp>

#include "report/report_support.h"
#include "report/validation_document.h"

using namespace rlverify;

namespace {

std::string text_of(const report::ValidationResult& result) {
  return report::to_json(report::validation_document(result).root(), report::KeyOrder::kSorted) + "\n";
}

std::string expected_text(const std::string& name) {
  const auto text = report::test::file_text(std::string(RLVERIFY_TEST_DATA) + "/report/" + name);
  REQUIRE(text);
  return *text;
}

}  // namespace

TEST_CASE("a passing run gives the public validator's bytes") {
  const report::test::Filled filled = report::test::passing();
  CHECK(filled.result.passed());
  CHECK(filled.result.exit_code() == core::ExitCode::kPassed);
  CHECK(text_of(filled.result) == expected_text("validation_passed.json"));
}

TEST_CASE("a failing run has nulls, empty lists and its errors where they belong") {
  const report::test::Filled filled = report::test::failing();
  CHECK_FALSE(filled.result.passed());
  CHECK(filled.result.exit_code() == core::ExitCode::kFailed);
  CHECK(text_of(filled.result) == expected_text("validation_failed.json"));
}

TEST_CASE("the published document, byte for byte") {
  const auto seed = report::test::shared_file("seeds/000_e96fe98ef14ca88e.txt");
  if (!seed) {
    WARN("skipped: the shared acceptance folder is not here");
    return;
  }
  const core::JsonDocument document = report::test::json(*seed);
  const core::Value validation = document.root().get("validation");
  const std::string first(validation.path({"train_rollout_logprob", "artifacts"}).at(0).text());
  const report::test::Filled filled = report::test::passing(first.substr(0, first.find("/mismatch-sidecars/")));
  CHECK(text_of(filled.result) == report::to_json(validation, report::KeyOrder::kSorted) + "\n");
  // The published text itself: its section, indented by two more.
  CHECK(report::to_json(document.root(), report::KeyOrder::kAsBuilt) == *seed);
}

TEST_CASE("a run that can't be judged gives the short form") {
  report::ValidationResult result;
  result.gives_up = "FileNotFoundError: there is no run.log";
  CHECK(result.exit_code() == core::ExitCode::kBadInput);
  CHECK_FALSE(result.passed());
  CHECK(text_of(result) ==
        "{\n  \"errors\": [\n    \"FileNotFoundError: there is no run.log\"\n  ],\n  \"passed\": false,\n"
        "  \"schema_version\": \"rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1\"\n}\n");
}

TEST_CASE("a run passes only when all four CUDA-graph checks hold and no finding is an error") {
  report::test::Filled filled = report::test::passing();
  SECTION("a warning does not fail it") {
    core::Finding warning;
    warning.severity = core::Severity::kWarning;
    filled.result.findings.add(warning);
    CHECK(filled.result.passed());
  }
  SECTION("an error does") {
    filled.result.findings.add(core::Finding{});
    CHECK_FALSE(filled.result.passed());
  }
  SECTION("a missing marker does, without an error text") {
    filled.result.cudagraph.not_eager = false;
    const report::Document document = report::validation_document(filled.result);
    CHECK_FALSE(document.root().get("passed").is_true());
    CHECK(document.root().get("errors").size() == 0);
  }
}

TEST_CASE("errors of no section stand at the top, after those of the step records, in order") {
  report::test::Filled filled = report::test::passing();
  for (const core::Section section : {core::Section::kDumps, core::Section::kLaunch, core::Section::kScalars,
                                      core::Section::kLog, core::Section::kWeights, core::Section::kBackends,
                                      core::Section::kPcp, core::Section::kLogProbs, core::Section::kCudagraph}) {
    filled.result.findings.add(
        report::test::finding(section, "RLV-900", std::string(core::section_name(section)), {}, "", ""));
  }
  const report::Document document = report::validation_document(filled.result);
  std::string errors;
  for (std::size_t i = 0; i < document.root().get("errors").size(); ++i) {
    errors += std::string(document.root().get("errors").at(i).text()) + " ";
  }
  CHECK(errors == "scalars dumps launch log weights ");
  for (const char* section :
       {"runtime_readbacks", "pcp_execution", "train_rollout_logprob", "runtime_scalar_logprob"}) {
    CHECK(document.root().get(section).get("errors").size() == 1);
    CHECK_FALSE(document.root().get(section).get("passed").is_true());
  }
}
