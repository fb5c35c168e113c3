// SPDX-License-Identifier: Apache-2.0
// Rules N, Y, A, T, C, M and L of the public validator (spec: run artifacts, section 10): step records, status,
// manifest, command, log.
#include "readback/rule_cases.h"

namespace rlverify::readback {
namespace {

using rlverify::test::passing_run;
using namespace test;  // the tables of rule_cases.h

}  // namespace

TEST_CASE("N1-N5: scalars of the step records") {
  const std::string count = "'train/train_current_rollout_logprob_mismatch_count': ";
  const std::string step0 = "'train/grad_norm': 0.020";
  check_all(
      {
          {"N1", log(step0, step0 + ", 'train/ppo_kl': nan"), "RLV-170", "train/ppo_kl is not finite"},
          {"N1", log(step0, step0 + ", 'train/ppo_kl': -inf"), "RLV-170", "found -inf"},
          {"N2, N5", all_in("run.log", count + "0.0, ", ""), "RLV-171 RLV-174", "mismatch_count is missing"},
          {"N2, N5", all_in("run.log", count + "0.0", count + "True"), "RLV-171 RLV-174", "found True"},
          {"N1, N2, N5",
           all_in("run.log", "'train/train_current_rollout_logprob_max_abs_diff': 0.0",
                  "'train/train_current_rollout_logprob_max_abs_diff': nan"),
           "RLV-170 RLV-171 RLV-174", "max_abs_diff"},
          {"N2",
           all_in("run.log", "'train/train_rollout_logprob_abs_diff': 0.0",
                  "'train/train_rollout_logprob_abs_diff': '0.0'"),
           "RLV-171", "abs_diff is missing or no finite number"},
          {"N3", all_in("run.log", "numel': 6.0", "numel': 0.0"), "RLV-172", "no token was compared"},
          {"N4", log("step 1:", "step 2:"), "RLV-173", "found 0, 2"},
          {"N4, A3", log("step 1: {", "step 1: }"), "RLV-173 RLV-181", "found 0"},
          {"N4", manifest("\"num_rollout\": 2", "\"num_rollout\": 3"), "RLV-173", "steps 0 to 2"},
          {"N5", all_in("run.log", count + "0.0", count + "0.5"), "RLV-174", "0 mismatches in every step"},
          {"N5", all_in("run.log", "max_abs_diff': 0.0", "max_abs_diff': 1e-07"), "RLV-174", ""},
      },
      passing_run);
  check_none(
      {log(step0, step0 + ", 'train/nested': [nan, {'x': inf}]"), all_in("run.log", count + "0.0", count + "0"),
       all_in("run.log", count + "0.0", count + "-0.0"), log("step 0: {", "step 0: {'train/loss': 5}\nstep 0: {")},
      passing_run);
  // The native arm may differ.
  check_none({all_in("run.log", count + "0.0", count + "0.5")}, native_run);
}

TEST_CASE("Y1: the job's status") {
  check_all({{"Y1", [](TestRun& run) { run.remove("ray-status.txt"); }, "RLV-104", "found no file"},
             {"Y1", in("ray-status.txt", "SUCCEEDED", "FAILED"), "RLV-104", "not shown to have succeeded"}},
            passing_run);
  check_none({[](TestRun& run) { run.files["ray-status.txt"] = "Job 'x' succeeded"; }}, passing_run);
}

TEST_CASE("A1-A5: algorithm and updates") {
  const auto no_updates = [](TestRun& run) {
    run.replace("manifest.json", "\"require_updates\": true", "\"require_updates\": false");
  };
  check_all(
      {
          {"A1", manifest("\"advantage_estimator\": \"grpo\"", "\"advantage_estimator\": \"gspo\""), "RLV-109",
           "found gspo"},
          {"A1", manifest("\"algorithm\": {", "\"algorithm\": 5, \"x\": {"), "RLV-109", "found nothing"},
          {"A2", [](TestRun& run) { run.remove("weight-audit/"); }, "RLV-180", "found 0 audits"},
          {"A2",
           [](TestRun& run) {
             for (const char* const version : {"2", "3"}) {
               run.files["weight-audit/weight_v00000" + std::string(version) + ".json"] =
                   run.files.at("weight-audit/weight_v000001.json");
             }
           },
           "RLV-180", "not shown to have changed"},
          {"A3",
           [](TestRun& run) {
             run.replace("manifest.json", "\"num_rollout\": 2", "\"num_rollout\": 1");
             run.replace("run.log", "step 1:", "ignored 1:");
           },
           "RLV-181", "too few steps"},
          {"A4",
           log("'train/grad_norm': 0.021, 'train/lr-pg_0': 5e-07", "'train/grad_norm': 0.021, 'train/lr-pg_0': 0.0"),
           "RLV-182", "positive learning rate"},
          {"A4", log("'train/grad_norm': 0.021, 'train/lr-pg_0': 5e-07, ", "'train/grad_norm': 0.021, "), "RLV-182",
           ""},
          {"A5", all_in("run.log", "'train/grad_norm': 0.02", "'train/grad_norm': 0.0, 'train/x': 0.02"), "RLV-183",
           "no step has a gradient"},
          {"A3-A5, N4, N5", [](TestRun& run) { run.replace_all("run.log", " step ", " stop "); },
           "RLV-173 RLV-174 RLV-181 RLV-182 RLV-183", ""},
      },
      passing_run);
  check_none({[&no_updates](TestRun& run) {
                no_updates(run);
                run.remove("weight-audit/");
                run.replace_all("run.log", "'train/lr-pg_0': 5e-07", "'train/lr-pg_0': 0.0");
              },
              [](TestRun& run) { run.remove("weight-audit/weight_v000003"); }},
             passing_run);
}

TEST_CASE("A2-A5 where Python raises") {
  for (const auto& change : std::vector<std::function<void(TestRun&)>>{
           in("weight-audit/weight_v000001.json", "\"sha256\": \"7e9f", "\"sha256\": [], \"x\": \"7e9f"),
           [](TestRun& run) { run.files["weight-audit/weight_v000001.json"] = "[]"; },
           [](TestRun& run) { run.files["weight-audit/weight_v000001.json"] = "{"; },
           all_in("run.log", "'train/lr-pg_0': 5e-07", "'train/lr-pg_0': 'x'"),
           all_in("run.log", "'train/grad_norm': 0.02", "'train/grad_norm': None, 'x': 0.02")}) {
    TestRun run = passing_run();
    change(run);
    CHECK_THROWS_AS(judge(run), CannotJudge);
  }
}

TEST_CASE("T2-T7: topology") {
  check_all(
      {
          {"T2", manifest("\"gpus\": 8,", "\"gpus\": 16,"), "RLV-107", "topology.gpus differs | expected 8 | found 16"},
          {"T2, T3", manifest("\"actor_gpus\": 8", "\"actor_gpus\": 4"), "RLV-107", "tp times cp"},
          {"T2", manifest("\"pp\": 1", "\"pp\": 2"), "RLV-107", "topology.pp differs"},
          {"T2", manifest("\"colocate\": true", "\"colocate\": false"), "RLV-107", "topology.colocate differs"},
          {"T2", manifest("\"offload_rollout\": true", "\"offload_rollout\": \"yes\""), "RLV-107",
           "topology.offload_rollout differs"},
          {"T3, C2", manifest("\"tp\": 4", "\"tp\": 4.0"), "RLV-107 RLV-108", "tp times cp"},
          {"T5", manifest("\"offload_train\": false", "\"offload_train\": 0"), "RLV-107",
           "offload_train is not what the layout asks for"},
          {"T6", manifest("\"rollout_gpus\": 8", "\"rollout_gpus\": 8.0"), "RLV-107", "engine size"},
          {"T7", manifest("\"rollout_engines\": 1", "\"rollout_engines\": 1.5"), "RLV-107",
           "another number of rollout engines"},
      },
      passing_run);
  TestRun wide = passing_run();
  wide.replace("manifest.json", "\"tp\": 4", "\"tp\": 16");
  wide.replace("manifest.json", "\"cp\": 2", "\"cp\": 1");
  wide.replace("manifest.json", "\"actor_gpus\": 8", "\"actor_gpus\": 16");
  CHECK(judge(wide).sentences().find("tp does not divide heads, groups and vocabulary") != std::string::npos);
  TestRun engines = passing_run();
  engines.replace("manifest.json", "\"rollout_gpus_per_engine\": 8", "\"rollout_gpus_per_engine\": 4");
  CHECK(judge(engines).sentences().find("the engine size does not fit") != std::string::npos);
  check_none({manifest("\"colocate\": true", "\"colocate\": 1"), manifest("\"pp\": 1", "\"pp\": true"),
              manifest("\"gpus\": 8,", "\"gpus\": 8.0,")},
             passing_run);
}

TEST_CASE("C1-C8: the training command") {
  check_all(
      {
          {"C1", manifest("\"train_command\": [", "\"train_command\": null, \"x\": ["), "RLV-108",
           "the training command is missing"},
          {"C1", manifest("\"--advantage-estimator\", \"grpo\"", "\"--advantage-estimator\", \"ppo\""), "RLV-108",
           "lacks --advantage-estimator grpo"},
          {"C2", manifest("\"--actor-num-gpus-per-node\", \"8\"", "\"--actor-num-gpus-per-node=8\""), "RLV-108",
           "lacks --actor-num-gpus-per-node 8"},
          {"C2", manifest("\"--rollout-num-gpus\", \"8\"", "\"--rollout-num-gpus\", 8"), "RLV-108",
           "lacks --rollout-num-gpus 8"},
          {"C2", manifest("\"--tensor-model-parallel-size\", \"4\"", "\"--tensor-model-parallel-size\", \"2\""),
           "RLV-108", "lacks --tensor-model-parallel-size 4"},
          {"C2", manifest("\"--context-parallel-size\", \"2\"", "\"--context-parallel-size\", \"4\""), "RLV-108",
           "lacks --context-parallel-size 2"},
          {"C2", manifest("\"--rollout-num-gpus-per-engine\", \"8\"", "\"--rollout-num-gpus-per-engine\", \"4\""),
           "RLV-108", "lacks --rollout-num-gpus-per-engine 8"},
          {"C3", manifest("\"--vllm-prefill-context-parallel-size\", \"2\"", "\"2\""), "RLV-108",
           "lacks --vllm-prefill-context-parallel-size 2"},
          {"C4", manifest("\"--colocate\", ", ""), "RLV-108", "lacks --colocate"},
          {"C4", manifest("\"--offload-rollout\",", "\"--no-offload-rollout\","), "RLV-108", "lacks --offload-rollout"},
          {"C5", manifest("\"--no-offload-train\"", "\"--offload-train\""), "RLV-108", "lacks --no-offload-train"},
          {"C6", manifest("\"--colocate\"", "\"--colocate\", \"--use-rollout-logprobs\""), "RLV-108",
           "the command has --use-rollout-logprobs"},
          {"C8", manifest("linear_logp_provider.provider\"", "linear_logp_provider.other\""), "RLV-108",
           "lacks --linear-logp-provider rl_engine"},
          {"C8", manifest("\"--linear-logp-provider-mode\", \"strict\"", "\"--linear-logp-provider-mode\", \"lax\""),
           "RLV-108", "lacks --linear-logp-provider-mode strict"},
      },
      passing_run);
  check_all({{"C7", manifest("\"--colocate\"", "\"--colocate\", \"--linear-logp-provider\""), "RLV-108",
              "the command has --linear-logp-provider"},
             {"C7", manifest("\"--colocate\"", "\"--colocate\", \"--linear-logp-provider-mode\""), "RLV-108",
              "the command has --linear-logp-provider-mode"}},
            native_run);
  check_none({[](TestRun& run) {
               run.replace("manifest.json", "\"framework_use_rollout_logprobs\": false",
                           "\"framework_use_rollout_logprobs\": true");
               run.replace("manifest.json", "\"--colocate\"", "\"--colocate\", \"--use-rollout-logprobs\"");
             }},
             passing_run);
}

TEST_CASE("M1, L1, L2: memory and two literals of the log") {
  check_all(
      {
          {"M1", manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": 2"), "RLV-110",
           "recomputed in another way"},
          {"M1", manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": 1, \"more\": 1"), "RLV-110", ""},
          {"M1", manifest("\"training_memory\": {", "\"memory\": {"), "RLV-110", "found nothing"},
          {"L1", log("fallback=false", "Fallback=True"), "RLV-112", "fallback=true"},
          {"L2", log("Job submission", "Traceback (most recent call last):\nJob submission"), "RLV-113", "traceback"},
      },
      passing_run);
  check_none({manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": true"),
              log("fallback=false", "fallback: True")},
             passing_run);
}

}  // namespace rlverify::readback
