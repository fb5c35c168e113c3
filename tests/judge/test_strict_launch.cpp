// SPDX-License-Identifier: Apache-2.0
// Strict rules on manifest, launcher, status and arm: a change that breaks each and what is said then, and changes
// close to it that must not.
#include <catch2/catch.hpp>

#include "judge/strict_support.h"

namespace rlverify::judge::test {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kStatus = "ray-status.txt";

Change in_manifest(const std::string& from, const std::string& to) {
  return replace(kManifest, from, to);
}
Change in_log(const std::string& from, const std::string& to) {
  return replace("run.log", from, to);
}
Change word_removed(const std::string& word) {
  return in_manifest("\"" + word + "\", ", "");
}

}  // namespace

TEST_CASE("A run that keeps its promise passes without a word") {
  const Judged judged = judge_changed([](TestRun&) {});
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kPassed);
  CHECK(judged.sentences.empty());
}

TEST_CASE("Launch: what the manifest says of the launcher") {
  check({
      {"dry run", in_manifest("\"submitted\"", "\"planned\""), "RLV-103", "a dry run"},
      {"crashed before submit", in_manifest("\"submitted\"", "\"submitting\""), "RLV-103", "not recorded as submitted"},
      {"submission failed", in_manifest("\"submitted\"", "\"submission_failed\""), "RLV-103", "submission_failed"},
      {"return code", in_manifest("\"returncode\": 0", "\"returncode\": 1"), "RLV-103",
       "launcher exited 1 after step 1"},
      {"return code as text", in_manifest("\"returncode\": 0", "\"returncode\": \"0\""), "RLV-103",
       "launcher exited '0'"},
      {"return code null", in_manifest("\"returncode\": 0", "\"returncode\": null"), "RLV-103", "launcher exited None"},
      {"submission of another kind", in_manifest("{\"returncode\": 0, \"stderr\": \"\", \"stdout\": \"\"}", "[]"),
       "RLV-111", "submission is no object"},
      {"killed", all_of({in_manifest("\"returncode\": 0", "\"returncode\": -9"), without_step(1)}), "RLV-103",
       "launcher exited -9 after step 0"},
  });
  check_passes({
      {"no submission recorded",
       in_manifest("  \"submission\": {\"returncode\": 0, \"stderr\": \"\", \"stdout\": \"\"},\n", ""), ""},
  });
}

TEST_CASE("Launch: the status of the job, as Ray writes it") {
  const auto status = [](const char* text) { return [text](TestRun& run) { run.files[kStatus] = text; }; };
  check({
      {"missing", [](TestRun& run) { run.remove(kStatus); }, "RLV-104", "no file"},
      {"empty", status(""), "RLV-104", "no status"},
      {"failed with the word", status("Status for job 'vime200-small-run': FAILED (has not succeeded)\n"), "RLV-104",
       "FAILED"},
      {"running", status("Status for job 'vime200-small-run': RUNNING\n"), "RLV-104", "RUNNING"},
      {"stopped", status("Job 'vime200-small-run' was stopped\n"), "RLV-104", "was stopped"},
      {"word in a sentence", status("it has succeeded\n"), "RLV-104", "no status"},
      {"last state counts", status("Job 'vime200-small-run' succeeded\nJob 'vime200-small-run' failed\n"), "RLV-104",
       "failed"},
      {"another run's", status("Status for job 'vime200-other': SUCCEEDED\n"), "RLV-105",
       "status is that of another run"},
      {"a shorter name", status("Status for job 'vime200': SUCCEEDED\n"), "RLV-105", "vime200"},
  });
  check_passes({
      {"banner", status("------\nJob 'vime200-small-run' succeeded\n------\n"), ""},
      {"names no job", status("\x1b[32mSUCCEEDED\x1b[0m"), "RLV-105w"},
      {"windows line ends", status("Status for job 'vime200-small-run': SUCCEEDED\r\nmore\r\n"), ""},
  });
}

TEST_CASE("Launch: whose log it is") {
  check({
      {"no submission id", in_manifest("  \"submission_id\": \"vime200-small-run\",\n", ""), "RLV-105",
       "names no submission"},
      {"another id",
       in_manifest("\"submission_id\": \"vime200-small-run\"", "\"submission_id\": \"vime200-small-ruin\""), "RLV-105",
       "log is that of another run"},
      {"a longer id",
       in_manifest("\"submission_id\": \"vime200-small-run\"", "\"submission_id\": \"vime200-small-run2\""), "RLV-105",
       "vime200-small-run2"},
      {"log of another run", in_log("Job 'vime200-small-run' succeeded", "Job 'vime200-other' succeeded"), "RLV-105",
       "run.log line"},
      {"the log says failed", in_log("Job 'vime200-small-run' succeeded", "Job 'vime200-small-run' failed"), "RLV-104",
       "failed or was stopped"},
  });
  check_passes({
      {"the family's name", in_log("Job 'vime200-small-run' succeeded", "Job 'vime200' succeeded"), ""},
      {"no banner", in_log("\x1b[32mJob 'vime200-small-run' succeeded\x1b[39m\n", ""), ""},
      {"another job, too", log_line("Job 'vime200-other' succeeded"), "RLV-105w"},
      {"another job failed", log_line("Job 'vime200-other' failed"), "RLV-105w"},
  });
}

TEST_CASE("Launch: JSON that readers disagree about") {
  check({
      {"key twice in the manifest", in_manifest("\"run_id\":", "\"run_id\": \"other\",\n  \"run_id\":"), "RLV-106",
       "manifest.json line 7 column"},
      {"NaN in the manifest", in_manifest("\"temperature\": 0.7", "\"temperature\": NaN"), "RLV-106",
       "manifest.json line 8 column"},
      {"key twice in a readback", replace(megatron(0), "{\"fallbacks\": []", "{\"fallbacks\": [1], \"fallbacks\": []"),
       "RLV-106", "readbacks/megatron-training-41000.json"},
      {"Infinity in a readback", replace(vllm(3), "\"profile_calls\": {}", "\"profile_calls\": {\"x\": Infinity}"),
       "RLV-106", "Infinity"},
      {"key twice in an audit", replace("weight-audit/weight_v000002.json", "{\n", "{\n  \"scope\": \"x\",\n"),
       "RLV-106", "weight-audit/weight_v000002.json"},
  });
}

TEST_CASE("Launch: kinds of values") {
  check({
      {"rollouts as text", in_manifest("\"num_rollout\": 2", "\"num_rollout\": \"2\""), "RLV-111", "num_rollout"},
      {"rollouts as float", in_manifest("\"num_rollout\": 2", "\"num_rollout\": 2.0"), "RLV-111", "2.0"},
      {"batch as text", in_manifest("\"global_batch_size\": 2", "\"global_batch_size\": \"2\""), "RLV-111",
       "global_batch_size"},
      {"one as true", in_manifest("\"pp\": 1", "\"pp\": true"), "RLV-111", "topology.pp"},
      {"colocate as one", in_manifest("\"colocate\": true", "\"colocate\": 1"), "RLV-111", "topology.colocate"},
      {"layers as true", in_manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": true"), "RLV-111",
       "recompute_num_layers"},
      {"reuse as zero",
       in_manifest("\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": 0"), "RLV-111",
       "framework_use_rollout_logprobs"},
      {"updates as one", in_manifest("\"require_updates\": true", "\"require_updates\": 1"), "RLV-111",
       "require_updates"},
  });
}

TEST_CASE("Launch: topology, command, algorithm, memory, experiment") {
  check({
      {"unknown size", in_manifest("\"pp\": 1,", "\"pp\": 1, \"ep\": 8,"), "RLV-107", "doesn't know: ep"},
      {"evidence level", in_manifest("\"experimental\"", "\"reference\""), "RLV-107", "evidence_level"},
      {"gpus", in_manifest("\"gpus\": 8,", "\"gpus\": 16,"), "RLV-107", "topology.gpus"},
      {"colocate lost", word_removed("--colocate"), "RLV-108", "--colocate"},
      {"last value wins", in_manifest("\"train.py\", ", "\"train.py\", \"--context-parallel-size\", \"4\", "),
       "RLV-108", "twice with different values"},
      {"last value wins, in one word",
       in_manifest("\"--vllm-prefill-context-parallel-size\", \"2\"]",
                   "\"--vllm-prefill-context-parallel-size\", \"2\", \"--tensor-model-parallel-size=2\"]"),
       "RLV-108", "--tensor-model-parallel-size twice"},
      {"both switches", in_manifest("\"train.py\", ", "\"train.py\", \"--offload-train\", "), "RLV-108",
       "--no-offload-train"},
      {"reuse asked for and not taken",
       all_of({in_manifest("\"consistency\"", "\"G11\""),
               in_manifest("\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": true")}),
       "RLV-108", "--use-rollout-logprobs"},
      {"estimator", in_manifest("\"advantage_estimator\": \"grpo\"", "\"advantage_estimator\": \"ppo\""), "RLV-109",
       "grpo"},
      {"memory", in_manifest("\"recompute_method\": \"uniform\"", "\"recompute_method\": \"block\""), "RLV-110",
       "block"},
      {"another experiment", in_manifest("tp4_cp2_200.run.v1", "tp4_cp2_200.run.v2"), "RLV-114", "run.v2"},
  });
  check_passes({
      {"a flag twice with one value",
       in_manifest("\"train.py\", ", "\"train.py\", \"--context-parallel-size\", \"2\", "), ""},
      {"other flags twice", in_manifest("\"train.py\", ", "\"train.py\", \"--tag\", \"a\", \"--tag\", \"b\", "), ""},
      {"reuse asked for and taken",
       all_of({in_manifest("\"consistency\"", "\"G11\""),
               in_manifest("\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": true"),
               in_manifest("\"train.py\", ", "\"train.py\", \"--use-rollout-logprobs\", ")}),
       ""},
  });
}

TEST_CASE("Launch: the arm says one thing") {
  check({
      {"group of other cases", in_manifest("\"consistency\"", "\"M110\""), "RLV-115", "logp case disagree"},
      {"unknown group", in_manifest("\"consistency\"", "\"best\""), "RLV-115", "none that is known"},
      {"group that reuses", in_manifest("\"consistency\"", "\"G11\""), "RLV-115", "reuse of rollout log-probs"},
      {"environment", in_manifest("\"RL_KERNEL_FFN_CASE\": \"R/R\"", "\"RL_KERNEL_FFN_CASE\": \"P/P\""), "RLV-115",
       "RL_KERNEL_FFN_CASE"},
  });
  check_passes({
      {"alias", in_manifest("\"consistency\"", "\"M111\""), ""},
      {"old alias", in_manifest("\"consistency\"", "\"G01\""), ""},
      {"no environment",
       in_manifest("  \"runtime_env\": {\"env_vars\": {\"RL_KERNEL_ATTENTION_CASE\": \"R/R\", \"RL_KERNEL_FFN_CASE\": "
                   "\"R/R\", \"RL_KERNEL_LOGP_CASE\": \"R/R\"}},\n",
                   ""),
       ""},
  });
}

}  // namespace rlverify::judge::test
