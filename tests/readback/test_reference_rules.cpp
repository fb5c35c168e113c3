// SPDX-License-Identifier: Apache-2.0
// Rules G, R, P, N, Y, A, T, C, M and L of the public validator (spec/run-artifacts.md section 10): one row per way to fail, on a run that passes without it.
// Each row names the codes it must give and nothing but those, and a part of a sentence that tells this failure from others of the same code.
#include <catch2/catch.hpp>
#include <functional>

#include "readback/readback_test_support.h"

namespace rlverify::readback {
namespace {

using rlverify::test::passing_run;
using rlverify::test::readback_path;
using test::judge;
using test::Judged;
using test::native_run;
using test::TestRun;

struct RuleCase {
  const char* rule;
  std::function<void(TestRun&)> change;
  const char* codes;
  const char* sentence;
};

/// Replaces the one `from` of a file.
std::function<void(TestRun&)> in(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace(path, from, to); };
}
std::function<void(TestRun&)> all_in(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace_all(path, from, to); };
}
std::function<void(TestRun&)> manifest(const std::string& from, const std::string& to) { return in("manifest.json", from, to); }
std::function<void(TestRun&)> log(const std::string& from, const std::string& to) { return in("run.log", from, to); }
/// In the record of the attention module of one readback.
std::function<void(TestRun&)> attention(const std::string& framework, const std::string& from, const std::string& to) {
  return [=](TestRun& run) {
    std::string& text = run.files.at(readback_path(framework, 3));
    const std::size_t at = text.find(from, text.find("\"operators\""));
    REQUIRE(at < text.find("\"ffn\": {"));
    text.replace(at, from.size(), to);
  };
}
std::function<void(TestRun&)> every_readback(const std::string& framework, const std::string& from, const std::string& to) {
  return [=](TestRun& run) {
    for (int rank = 0; rank < 8; ++rank) {
      run.replace_all(readback_path(framework, rank), from, to);
    }
  };
}

void check_all(const std::vector<RuleCase>& cases, const std::function<TestRun()>& base) {
  REQUIRE(judge(base()).sentences().empty());
  for (const RuleCase& row : cases) {
    CAPTURE(row.rule, row.sentence);
    TestRun run = base();
    row.change(run);
    const Judged judged = judge(run);
    CAPTURE(judged.sentences());
    CHECK(judged.codes() == row.codes);
    CHECK(judged.sentences().find(row.sentence) != std::string::npos);
  }
}

/// Changes that must not fail.
void check_none(const std::vector<std::function<void(TestRun&)>>& changes, const std::function<TestRun()>& base) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    TestRun run = base();
    changes[i](run);
    CHECK(judge(run).sentences().empty());
  }
}

}  // namespace

TEST_CASE("G1-G4: CUDA graphs") {
  check_all(
      {
          {"G1", log("capture sizes: [1,2]", "capture sizes: [1, 2]"), "RLV-138", "launcher announced"},
          {"G1", log("[RL-Kernel] required vLLM", "[RL-Kernel] wanted vLLM"), "RLV-138", ""},
          {"G2", log("FULL_DECODE_ONLY", "PIECEWISE"), "RLV-139", "another CUDA-graph mode"},
          {"G3", log("enforce_eager=False", "enforce_eager=True"), "RLV-140", "eager"},
          {"G4", log("'cudagraph_capture_sizes': [1, 2]", "'cudagraph_capture_sizes': [1]"), "RLV-141", "captured other sizes"},
          {"G1, G4", manifest("\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1, 2, 3]"), "RLV-138 RLV-141", ""},
      },
      passing_run);
  check_none({log("required vLLM", "strict vLLM"), log("'cudagraph_capture_sizes': [1, 2]", "\"cudagraph_capture_sizes\":[1,2]"), log("capture sizes: [1,2]", "capture sizes: [1,2] and more")}, passing_run);
}

TEST_CASE("R1-R11: readbacks of the consistency arm") {
  check_all(
      {
          {"R1", [](TestRun& run) { run.remove("readbacks/megatron"); }, "RLV-120", "no readback of megatron/training"},
          {"R1, P3", [](TestRun& run) { run.remove("readbacks/vllm"); }, "RLV-120 RLV-137", "no readback of vllm/rollout"},
          {"R2", in(readback_path("vllm", 1), "\"fallbacks\": []", "\"fallbacks\": [{\"module\": \"ffn\"}]"), "RLV-121", "vllm/rollout: a fallback is recorded"},
          {"R4", every_readback("megatron", "\"ffn\": \"hook.f\", ", ""), "RLV-122", "megatron/training ffn: no process installed the hook"},
          {"R5", every_readback("megatron", "\"call_count\": 4", "\"call_count\": 0"), "RLV-123", "megatron/training attention: never called"},
          {"R6", attention("megatron", "\"rl_kernel\"", "\"production\""), "RLV-124", "another implementation ran"},
          {"R6", attention("megatron", "\"case_id\": \"R/R\"", "\"case_id\": \"P/P\""), "RLV-124", "another case ran"},
          {"R7", attention("vllm", "\"triton_used\": false", "\"triton_used\": true"), "RLV-125", "Triton"},
          {"R7", attention("vllm", "\"execution_mode\": \"compiled", "\"execution_mode\": \"triton"), "RLV-125", "Triton"},
          {"R8", attention("megatron", "\"runtime_platform\": \"cuda\"", "\"runtime_platform\": \"CUDA\""), "RLV-126", "wrong platform"},
          {"R9", attention("megatron", "\"fallback\": false, \"runtime_platform\"", "\"fallback\": true, \"runtime_platform\""), "RLV-121", "fallback reported"},
          {"R10", attention("megatron", "\"backend_id\": \"rlkernel.", "\"backend_id\": \"other."), "RLV-127", "backend is not RL-Kernel's"},
      },
      passing_run);
  check_none({every_readback("megatron", "\"call_count\": 4", "\"call_count\": \"3\""), [](TestRun& run) { run.remove("readbacks/megatron-training-41007"); },
              in(readback_path("megatron", 1), "\"fallbacks\": []", "\"fallbacks\": {}"), attention("megatron", "\"fallback\": false, \"runtime_platform\"", "\"fallback\": 1, \"runtime_platform\"")},
             passing_run);
}

TEST_CASE("R3, R11: the native arm") {
  check_all(
      {
          {"R3", in(readback_path("megatron", 0), "\"ffn\": \"hook.f\"", "\"ffn\": \"hook.f\", \"logp\": \"hook.l\""), "RLV-122", "a hook is installed where production must run untouched"},
          {"R3", in(readback_path("megatron", 0), "}, \"plan\"", ", \"logp\": {\"call_count\": 1}}, \"plan\""), "RLV-128", "an operator record where production must leave none"},
          {"R3", log("logp_case=P/P", "logp_case=R/R"), "RLV-129", "attests no native route"},
          {"R11", attention("megatron", "\"actual_backend\": \"production.", "\"actual_backend\": \"rlkernel."), "RLV-128", "production was asked for and RL-Kernel ran"},
          {"R11", in(readback_path("vllm", 0), "\"deterministic_linear_logp\": false", "\"deterministic_linear_logp\": true"), "RLV-128", "vllm/rollout logp"},
          {"R11", attention("vllm", "\"strict_backend\": false", "\"strict_backend\": true"), "RLV-128", "RL-Kernel ran"},
      },
      native_run);
  check_none({[](TestRun& run) {
               run.replace("run.log", "rlkernel mismatch sidecar active: logp_case=P/P",
                           "linear_logp native active: backend_id=vime.utils.ppo_utils.calculate_log_probs_and_entropy contract_id=vime.native.linear_logp.v1 route=unconfigured device=cuda");
             }},
             native_run);
  const Judged judged = judge(native_run());
  CHECK(judged.readbacks.megatron_training->modules[2].native_marker_present == true);
  CHECK_FALSE(judged.pcp.required);
}

TEST_CASE("P1-P3: prefill context parallelism") {
  check_all(
      {
          {"P1", attention("vllm", "\"cp_world_size\": 2", "\"cp_world_size\": 4"), "RLV-135 RLV-137", "cp_world_size of a prefill worker differs"},
          {"P1", attention("vllm", "\"tp_world_size\": 4", "\"tp_world_size\": 8"), "RLV-135 RLV-137", "tp_world_size"},
          {"P1", attention("vllm", "token_sharded", "replicated"), "RLV-135 RLV-137", "kv_storage"},
          {"P1", attention("vllm", "disjoint_cp_partitions", "all"), "RLV-135 RLV-137", "attention_queries"},
          {"P1", attention("vllm", "rank_ordered_output_gather_no_reduction", "sum"), "RLV-135 RLV-137", "attention_merge"},
          {"P1", attention("vllm", "\"fallback\": false, \"strict", "\"fallback\": null, \"strict"), "RLV-135 RLV-137", "fallback of a prefill worker"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": 2"), "RLV-135 RLV-137", "cp_rank"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": 0.0"), "RLV-135 RLV-137", "cp_rank"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": -1"), "RLV-135 RLV-137", "cp_rank"},
          {"P3", attention("vllm", "\"call_count\": 4", "\"call_count\": 0"), "RLV-137", "prefill CP rank 0 has too few workers"},
          {"P3", [](TestRun& run) { run.remove("readbacks/vllm-rollout-52007"); }, "RLV-137", "prefill CP rank 1 has too few workers"},
      },
      passing_run);
  check_none({attention("vllm", "\"fallback\": false, \"strict", "\"fallback\": 0, \"strict"), attention("vllm", "\"cp_world_size\": 2", "\"cp_world_size\": 2.0"), attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": false"),
              [](TestRun& run) { run.files["readbacks/vllm-rollout-52008.json"] = run.files.at(readback_path("vllm", 0)); }},
             passing_run);
  const Judged judged = judge(passing_run());
  CHECK(judged.pcp.required);
  CHECK(judged.pcp.cp_rank_worker_counts == std::vector<std::int64_t>{4, 4});
  CHECK(judged.pcp.expected_workers_per_cp_rank == 4);
}

TEST_CASE("N1-N5: scalars of the step records") {
  const std::string count = "'train/train_current_rollout_logprob_mismatch_count': ";
  const std::string step0 = "'train/grad_norm': 0.020";
  check_all(
      {
          {"N1", log(step0, step0 + ", 'train/ppo_kl': nan"), "RLV-170", "train/ppo_kl is not finite"},
          {"N1", log(step0, step0 + ", 'train/ppo_kl': -inf"), "RLV-170", "found -inf"},
          {"N2, N5", all_in("run.log", count + "0.0, ", ""), "RLV-171 RLV-174", "mismatch_count is missing"},
          {"N2, N5", all_in("run.log", count + "0.0", count + "True"), "RLV-171 RLV-174", "found True"},
          {"N1, N2, N5", all_in("run.log", "'train/train_current_rollout_logprob_max_abs_diff': 0.0", "'train/train_current_rollout_logprob_max_abs_diff': nan"), "RLV-170 RLV-171 RLV-174", "max_abs_diff"},
          {"N2", all_in("run.log", "'train/train_rollout_logprob_abs_diff': 0.0", "'train/train_rollout_logprob_abs_diff': '0.0'"), "RLV-171", "abs_diff is missing or no finite number"},
          {"N3", all_in("run.log", "numel': 6.0", "numel': 0.0"), "RLV-172", "no token was compared"},
          {"N4", log("step 1:", "step 2:"), "RLV-173", "found 0, 2"},
          {"N4, A3", log("step 1: {", "step 1: }"), "RLV-173 RLV-181", "found 0"},
          {"N4", manifest("\"num_rollout\": 2", "\"num_rollout\": 3"), "RLV-173", "steps 0 to 2"},
          {"N5", all_in("run.log", count + "0.0", count + "0.5"), "RLV-174", "0 mismatches in every step"},
          {"N5", all_in("run.log", "max_abs_diff': 0.0", "max_abs_diff': 1e-07"), "RLV-174", ""},
      },
      passing_run);
  check_none({log(step0, step0 + ", 'train/nested': [nan, {'x': inf}]"), all_in("run.log", count + "0.0", count + "0"), all_in("run.log", count + "0.0", count + "-0.0"),
              log("step 0: {", "step 0: {'train/loss': 5}\nstep 0: {")},
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
  const auto no_updates = [](TestRun& run) { run.replace("manifest.json", "\"require_updates\": true", "\"require_updates\": false"); };
  check_all(
      {
          {"A1", manifest("\"advantage_estimator\": \"grpo\"", "\"advantage_estimator\": \"gspo\""), "RLV-109", "found gspo"},
          {"A1", manifest("\"algorithm\": {", "\"algorithm\": 5, \"x\": {"), "RLV-109", "found nothing"},
          {"A2", [](TestRun& run) { run.remove("weight-audit/"); }, "RLV-180", "found 0 audits"},
          {"A2",
           [](TestRun& run) {
             for (const char* const version : {"2", "3"}) {
               run.files["weight-audit/weight_v00000" + std::string(version) + ".json"] = run.files.at("weight-audit/weight_v000001.json");
             }
           },
           "RLV-180", "not shown to have changed"},
          {"A3", [](TestRun& run) {
             run.replace("manifest.json", "\"num_rollout\": 2", "\"num_rollout\": 1");
             run.replace("run.log", "step 1:", "ignored 1:");
           }, "RLV-181", "too few steps"},
          {"A4", log("'train/grad_norm': 0.021, 'train/lr-pg_0': 5e-07", "'train/grad_norm': 0.021, 'train/lr-pg_0': 0.0"), "RLV-182", "positive learning rate"},
          {"A4", log("'train/grad_norm': 0.021, 'train/lr-pg_0': 5e-07, ", "'train/grad_norm': 0.021, "), "RLV-182", ""},
          {"A5", all_in("run.log", "'train/grad_norm': 0.02", "'train/grad_norm': 0.0, 'train/x': 0.02"), "RLV-183", "no step has a gradient"},
          {"A3-A5, N4, N5", [](TestRun& run) { run.replace_all("run.log", " step ", " stop "); }, "RLV-173 RLV-174 RLV-181 RLV-182 RLV-183", ""},
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
           in("weight-audit/weight_v000001.json", "\"sha256\": \"7e9f", "\"sha256\": [], \"x\": \"7e9f"), [](TestRun& run) { run.files["weight-audit/weight_v000001.json"] = "[]"; },
           [](TestRun& run) { run.files["weight-audit/weight_v000001.json"] = "{"; }, all_in("run.log", "'train/lr-pg_0': 5e-07", "'train/lr-pg_0': 'x'"), all_in("run.log", "'train/grad_norm': 0.02", "'train/grad_norm': None, 'x': 0.02")}) {
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
          {"T2", manifest("\"offload_rollout\": true", "\"offload_rollout\": \"yes\""), "RLV-107", "topology.offload_rollout differs"},
          {"T3, C2", manifest("\"tp\": 4", "\"tp\": 4.0"), "RLV-107 RLV-108", "tp times cp"},
          {"T5", manifest("\"offload_train\": false", "\"offload_train\": 0"), "RLV-107", "offload_train is not what the layout asks for"},
          {"T6", manifest("\"rollout_gpus\": 8", "\"rollout_gpus\": 8.0"), "RLV-107", "engine size"},
          {"T7", manifest("\"rollout_engines\": 1", "\"rollout_engines\": 1.5"), "RLV-107", "another number of rollout engines"},
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
  check_none({manifest("\"colocate\": true", "\"colocate\": 1"), manifest("\"pp\": 1", "\"pp\": true"), manifest("\"gpus\": 8,", "\"gpus\": 8.0,")}, passing_run);
}

TEST_CASE("C1-C8: the training command") {
  check_all(
      {
          {"C1", manifest("\"train_command\": [", "\"train_command\": null, \"x\": ["), "RLV-108", "the training command is missing"},
          {"C1", manifest("\"--advantage-estimator\", \"grpo\"", "\"--advantage-estimator\", \"ppo\""), "RLV-108", "lacks --advantage-estimator grpo"},
          {"C2", manifest("\"--actor-num-gpus-per-node\", \"8\"", "\"--actor-num-gpus-per-node=8\""), "RLV-108", "lacks --actor-num-gpus-per-node 8"},
          {"C2", manifest("\"--rollout-num-gpus\", \"8\"", "\"--rollout-num-gpus\", 8"), "RLV-108", "lacks --rollout-num-gpus 8"},
          {"C2", manifest("\"--tensor-model-parallel-size\", \"4\"", "\"--tensor-model-parallel-size\", \"2\""), "RLV-108", "lacks --tensor-model-parallel-size 4"},
          {"C2", manifest("\"--context-parallel-size\", \"2\"", "\"--context-parallel-size\", \"4\""), "RLV-108", "lacks --context-parallel-size 2"},
          {"C2", manifest("\"--rollout-num-gpus-per-engine\", \"8\"", "\"--rollout-num-gpus-per-engine\", \"4\""), "RLV-108", "lacks --rollout-num-gpus-per-engine 8"},
          {"C3", manifest("\"--vllm-prefill-context-parallel-size\", \"2\"", "\"2\""), "RLV-108", "lacks --vllm-prefill-context-parallel-size 2"},
          {"C4", manifest("\"--colocate\", ", ""), "RLV-108", "lacks --colocate"},
          {"C4", manifest("\"--offload-rollout\",", "\"--no-offload-rollout\","), "RLV-108", "lacks --offload-rollout"},
          {"C5", manifest("\"--no-offload-train\"", "\"--offload-train\""), "RLV-108", "lacks --no-offload-train"},
          {"C6", manifest("\"--colocate\"", "\"--colocate\", \"--use-rollout-logprobs\""), "RLV-108", "the command has --use-rollout-logprobs"},
          {"C8", manifest("linear_logp_provider.provider\"", "linear_logp_provider.other\""), "RLV-108", "lacks --linear-logp-provider rl_engine"},
          {"C8", manifest("\"--linear-logp-provider-mode\", \"strict\"", "\"--linear-logp-provider-mode\", \"lax\""), "RLV-108", "lacks --linear-logp-provider-mode strict"},
      },
      passing_run);
  check_all({{"C7", manifest("\"--colocate\"", "\"--colocate\", \"--linear-logp-provider\""), "RLV-108", "the command has --linear-logp-provider"},
             {"C7", manifest("\"--colocate\"", "\"--colocate\", \"--linear-logp-provider-mode\""), "RLV-108", "the command has --linear-logp-provider-mode"}},
            native_run);
  check_none({[](TestRun& run) {
               run.replace("manifest.json", "\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": true");
               run.replace("manifest.json", "\"--colocate\"", "\"--colocate\", \"--use-rollout-logprobs\"");
             }},
             passing_run);
}

TEST_CASE("M1, L1, L2: memory and two literals of the log") {
  check_all(
      {
          {"M1", manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": 2"), "RLV-110", "recomputed in another way"},
          {"M1", manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": 1, \"more\": 1"), "RLV-110", ""},
          {"M1", manifest("\"training_memory\": {", "\"memory\": {"), "RLV-110", "found nothing"},
          {"L1", log("fallback=false", "Fallback=True"), "RLV-112", "fallback=true"},
          {"L2", log("Job submission", "Traceback (most recent call last):\nJob submission"), "RLV-113", "traceback"},
      },
      passing_run);
  check_none({manifest("\"recompute_num_layers\": 1", "\"recompute_num_layers\": true"), log("fallback=false", "fallback: True")}, passing_run);
}

}  // namespace rlverify::readback
