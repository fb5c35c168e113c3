// SPDX-License-Identifier: Apache-2.0
// The hard look-ups: what the manifest must have before anything can be judged (rule S3), and the int() conversions on
// the way.
#include <catch2/catch.hpp>

#include "readback/readback_test_support.h"

namespace rlverify::readback {
namespace {

using rlverify::test::passing_run;
using test::TestRun;

std::string refusal(const std::string& from, const std::string& to) {
  TestRun run = passing_run();
  run.replace("manifest.json", from, to);
  const run::RunDirectory directory = test::read(run);
  try {
    static_cast<void>(read_frame(directory.manifest.root()));
  } catch (const CannotJudge& reason) {
    return reason.what();
  }
  return "judged";
}

}  // namespace

TEST_CASE("The frame of a good manifest") {
  const run::RunDirectory run = test::read(passing_run());
  const Frame frame = read_frame(run.manifest.root());
  CHECK(frame.num_rollout == 2);
  CHECK(frame.global_batch_size == 2);
  CHECK(frame.tensor_parallel_size == 4);
  CHECK(frame.context_parallel_size == 2);
  CHECK(frame.capture_sizes.size() == 2);
  CHECK(frame.require_exact());
  CHECK(frame.expected_implementation(0, Side::kRollout) == "rl_kernel");
}

TEST_CASE("The letter before the slash is the training side's") {
  TestRun run = passing_run();
  run.replace("manifest.json", "\"attention_case\": \"R/R\"", "\"attention_case\": \"P/R\"");
  run.replace("manifest.json", "\"ffn_case\": \"R/R\"", "\"ffn_case\": \"X/\"");
  const run::RunDirectory directory = test::read(run);
  const Frame frame = read_frame(directory.manifest.root());
  CHECK_FALSE(frame.require_exact());
  CHECK(frame.expected_implementation(0, Side::kTraining) == "production");
  CHECK(frame.expected_implementation(0, Side::kRollout) == "rl_kernel");
  CHECK(frame.expected_implementation(1, Side::kTraining) == "production");
}

TEST_CASE("What is missing or of the wrong kind is named as Python names it") {
  CHECK(refusal("\"arm\": {", "\"mra\": {") == "KeyError: 'arm'");
  CHECK(refusal("\"arm\": {", "\"arm\": 5, \"x\": {") == "TypeError: arm is no object");
  CHECK(refusal("\"attention_case\": \"R/R\", ", "") == "KeyError: 'attention_case'");
  CHECK(refusal("\"attention_case\": \"R/R\"", "\"attention_case\": 5").rfind("AttributeError", 0) == 0);
  CHECK(refusal("\"attention_case\": \"R/R\"", "\"attention_case\": \"RR\"").rfind("ValueError", 0) == 0);
  CHECK(refusal("\"num_rollout\": 2,", "") == "KeyError: 'num_rollout'");
  CHECK(refusal("\"num_rollout\": 2", "\"num_rollout\": \"two\"").rfind("ValueError", 0) == 0);
  CHECK(refusal("\"batching\": {", "\"batches\": {") == "KeyError: 'batching'");
  CHECK(refusal("\"topology\": {", "\"topologie\": {") == "KeyError: 'topology'");
  CHECK(refusal("\"cp\": 2, ", "") == "KeyError: 'cp'");
  CHECK(refusal("\"tp\": 4", "\"tp\": null").rfind("ValueError", 0) == 0);
  CHECK(refusal("\"capture_sizes\": [1, 2]", "\"capture_sizes\": 5").rfind("TypeError", 0) == 0);
}

TEST_CASE("int() takes what Python's int() takes") {
  CHECK(refusal("\"num_rollout\": 2", "\"num_rollout\": \" 2 \"") == "judged");
  CHECK(refusal("\"num_rollout\": 2", "\"num_rollout\": 2.9") == "judged");
  CHECK(refusal("\"num_rollout\": 2", "\"num_rollout\": true") == "judged");
  CHECK(refusal("\"vllm_execution\": {", "\"vllm_execution\": 5, \"x\": {") == "judged");
}

}  // namespace rlverify::readback
