// SPDX-License-Identifier: Apache-2.0
// Measures without verdicts: what the readbacks, the log and the step records of a run show.
#include <catch2/catch.hpp>

#include "core/json_reader.h"
#include "readback/readback_test_support.h"

namespace rlverify::readback {
namespace {

using rlverify::test::passing_run;
using rlverify::test::readback_path;
using test::judge;
using test::Judged;
using test::TestRun;

core::JsonDocument json(std::string_view text) {
  return core::read_json(core::MemorySource("t.json", text), core::JsonMode::kStrict);
}

bool triton(std::string_view text) {
  const core::JsonDocument document = json(text);
  return contains_triton(document.root());
}

std::string platform(std::string_view text) {
  const core::JsonDocument document = json(text);
  return platform_of(document.root()).value_or("none");
}

}  // namespace

TEST_CASE("Triton in strings of any depth, and in the two flags") {
  CHECK(triton(R"("uses Triton kernels")"));
  CHECK(triton(R"({"a": [{"b": ["x", "TRITON"]}]})"));
  CHECK(triton(R"({"triton_used": true})"));
  CHECK(triton(R"({" Uses_Triton ": true})"));
  CHECK_FALSE(triton(R"({"triton_used": false})"));
  CHECK_FALSE(triton(R"({"triton_used": "triton"})"));  // other values of the flag are not looked into
  CHECK_FALSE(triton(R"({"triton_used": 1})"));
  CHECK_FALSE(triton(R"({"triton": "x"})"));  // keys are not looked at
  CHECK_FALSE(triton("[1, null, true]"));
}

TEST_CASE("The platform is the first one, depth first, never through lists") {
  CHECK(platform(R"({"runtime_platform": "cuda"})") == "cuda");
  CHECK(platform(R"({"a": {"b": {"runtime_platform": "rocm"}}, "runtime_platform": 5})") == "rocm");
  CHECK(platform(R"({"runtime_platform": ""})").empty());
  CHECK(platform(R"({"a": [{"runtime_platform": "cuda"}]})") == "none");
  CHECK(platform(R"({"a": {"runtime_platform": "x"}, "b": {"runtime_platform": "y"}})") == "x");
  CHECK(platform(R"("cuda")") == "none");
}

TEST_CASE("Backend ids of any depth, in order") {
  const core::JsonDocument document = json(
      R"({"backend_id": "a", "x": [{"actual_backend": "b"}, {"backend_id": 5}], "y": {"actual_backend": {"backend_id": "c"}}})");
  std::vector<std::string> ids;
  collect_backend_ids(document.root(), ids);
  CHECK(ids == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("Readbacks are counted per pair") {
  const Judged judged = judge(passing_run());
  REQUIRE(judged.readbacks.megatron_training);
  const ModuleSummary& attention = judged.readbacks.megatron_training->modules[0];
  CHECK(judged.readbacks.megatron_training->readback_count == 8);
  CHECK(attention.installed_processes == 8);
  CHECK(attention.call_count == 32);
  CHECK(attention.implementations == std::vector<std::string>{"rl_kernel"});
  CHECK(attention.backend_ids == std::vector<std::string>{"rlkernel.attention.deterministic.v1"});
  CHECK_FALSE(judged.readbacks.megatron_training->modules[2].native_marker_present);
  CHECK(judged.readbacks.vllm_rollout->readback_count == 8);
}

TEST_CASE("Values of other kinds are shown as Python's str shows them; distinct ones once") {
  TestRun run = passing_run();
  const std::string path = readback_path("megatron", 0);
  run.replace_all(path, "\"implementation\": \"rl_kernel\"", "\"implementation\": null");
  run.replace_all(path, "\"call_count\": 4", "\"call_count\": \" 5 \"");
  const ModuleSummary attention = judge(run).readbacks.megatron_training->modules[0];
  CHECK(attention.implementations == std::vector<std::string>{"None", "rl_kernel"});
  CHECK(attention.call_count == 7 * 4 + 5);
}

TEST_CASE("Operators that are no object are no records; other kinds can't be judged") {
  TestRun no_object = passing_run();
  no_object.files[readback_path("megatron", 0)] =
      R"({"framework": "megatron", "target": "training", "operators": [1], "installed_hooks": {}})";
  CHECK(judge(no_object).readbacks.megatron_training->modules[0].call_count == 28);
  for (const char* const text :
       {R"({"framework": "megatron", "target": "training", "operators": {"attention": 5}})",
        R"({"framework": "megatron", "target": "training", "installed_hooks": null})",
        R"({"framework": "megatron", "target": "training", "operators": {"attention": {"call_count": "x"}}})"}) {
    CAPTURE(text);
    TestRun run = passing_run();
    run.files[readback_path("megatron", 0)] = text;
    CHECK_THROWS_AS(judge(run), CannotJudge);
  }
}

TEST_CASE("Step records: the last one of a number counts, first appearance gives the order") {
  TestRun run = passing_run();
  run.files["run.log"] =
      "step 2: {'a': 1}\nstep 0: {'a': 2}\nstep 2: {'a': 3}\nstep 1: {'a': x}\nperf 1: {'a': 4}\ncritic-step 3: {'a': "
      "5}\nstep 4: {'a': np.float64(6)}\n";
  const run::RunDirectory directory = test::read(run);
  const StepRecords open = step_records(*directory.log, public_accepts, Repeated::kLastCounts);
  REQUIRE(open.by_step.size() == 3);
  CHECK(open.by_step[0].step == 0);
  CHECK(open.by_step[1].step == 2);
  CHECK(open.by_step[1].payload.get("a").integer() == 3);
  CHECK(open.by_step[2].step == 3);
  CHECK(open.by_arrival == std::vector<std::size_t>{1, 0, 2});
  const StepRecords strict = step_records(*directory.log, strict_accepts, Repeated::kFirstCounts);
  REQUIRE(strict.by_step.size() == 3);
  CHECK(strict.by_step[1].payload.get("a").integer() == 1);
  CHECK(strict.by_step[2].step == 4);
}

TEST_CASE("Rows: integers stay integers, refused metrics are null") {
  TestRun run = passing_run();
  run.replace_all("run.log", "'train/train_current_rollout_logprob_numel': 6.0",
                  "'train/train_current_rollout_logprob_numel': 6");
  ScalarSection scalars = judge(run).scalars;
  REQUIRE(scalars.rows.size() == 2);
  CHECK(std::get<std::int64_t>(*scalars.rows[0].active_token_count) == 12);
  CHECK(std::get<std::int64_t>(scalars.total_active_token_exposure) == 24);
  CHECK(scalars.bitwise_zero);
  run.files["run.log"] =
      "step 0: {'train/train_current_rollout_logprob_numel': True, "
      "'train/train_current_rollout_logprob_mismatch_count': inf}\n";
  scalars = judge(run).scalars;
  CHECK_FALSE(scalars.rows[0].active_token_count);
  CHECK_FALSE(scalars.rows[0].bitwise_mismatch_count);
  CHECK_FALSE(scalars.bitwise_zero);
  CHECK(std::get<double>(scalars.total_active_token_exposure) == 0.0);
  run.files["run.log"] = "";
  scalars = judge(run).scalars;
  CHECK(scalars.rows.empty());
  CHECK_FALSE(scalars.bitwise_zero);
  CHECK(std::get<std::int64_t>(scalars.total_active_token_exposure) == 0);
}

TEST_CASE("The native route is attested by its marker or by the sidecar route of the case") {
  TestRun run = passing_run();
  run.files["run.log"] = "rlkernel mismatch sidecar active: logp_case=P/P x\n";
  CHECK(has_native_marker(*test::read(run).log, "P/P"));
  CHECK_FALSE(has_native_marker(*test::read(run).log, "R/R"));
  run.files["run.log"] =
      "linear_logp native active: backend_id=vime.utils.ppo_utils.calculate_log_probs_and_entropy "
      "contract_id=vime.native.linear_logp.v1 route=unconfigured device=cuda\n";
  CHECK(has_native_marker(*test::read(run).log, "R/R"));
}

}  // namespace rlverify::readback
