// SPDX-License-Identifier: Apache-2.0
// Rules G, R and P of the public validator (spec: run artifacts, section 10): CUDA graphs, readbacks, prefill context
// parallelism.
#include "readback/rule_cases.h"

namespace rlverify::readback {
namespace {

using rlverify::test::passing_run;
using namespace test;  // the tables of rule_cases.h

}  // namespace

TEST_CASE("G1-G4: CUDA graphs") {
  check_all(
      {
          {"G1", log("capture sizes: [1,2]", "capture sizes: [1, 2]"), "RLV-138", "launcher announced"},
          {"G1", log("[RL-Kernel] required vLLM", "[RL-Kernel] wanted vLLM"), "RLV-138", ""},
          {"G2", log("FULL_DECODE_ONLY", "PIECEWISE"), "RLV-139", "another CUDA-graph mode"},
          {"G3", log("enforce_eager=False", "enforce_eager=True"), "RLV-140", "eager"},
          {"G4", log("'cudagraph_capture_sizes': [1, 2]", "'cudagraph_capture_sizes': [1]"), "RLV-141",
           "captured other sizes"},
          {"G1, G4", manifest("\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1, 2, 3]"), "RLV-138 RLV-141", ""},
      },
      passing_run);
  check_none({log("required vLLM", "strict vLLM"),
              log("'cudagraph_capture_sizes': [1, 2]", "\"cudagraph_capture_sizes\":[1,2]"),
              log("capture sizes: [1,2]", "capture sizes: [1,2] and more")},
             passing_run);
}

TEST_CASE("R1-R11: readbacks of the consistency arm") {
  check_all(
      {
          {"R1", [](TestRun& run) { run.remove("readbacks/megatron"); }, "RLV-120", "no readback of megatron/training"},
          {"R1, P3", [](TestRun& run) { run.remove("readbacks/vllm"); }, "RLV-120 RLV-137",
           "no readback of vllm/rollout"},
          {"R2", in(readback_path("vllm", 1), "\"fallbacks\": []", "\"fallbacks\": [{\"module\": \"ffn\"}]"), "RLV-121",
           "vllm/rollout: a fallback is recorded"},
          {"R4", every_readback("megatron", "\"ffn\": \"hook.f\", ", ""), "RLV-122",
           "megatron/training ffn: no process installed the hook"},
          {"R5", every_readback("megatron", "\"call_count\": 4", "\"call_count\": 0"), "RLV-123",
           "megatron/training attention: never called"},
          {"R6", attention("megatron", "\"rl_kernel\"", "\"production\""), "RLV-124", "another implementation ran"},
          {"R6", attention("megatron", "\"case_id\": \"R/R\"", "\"case_id\": \"P/P\""), "RLV-124", "another case ran"},
          {"R7", attention("vllm", "\"triton_used\": false", "\"triton_used\": true"), "RLV-125", "Triton"},
          {"R7", attention("vllm", "\"execution_mode\": \"compiled", "\"execution_mode\": \"triton"), "RLV-125",
           "Triton"},
          {"R8", attention("megatron", "\"runtime_platform\": \"cuda\"", "\"runtime_platform\": \"CUDA\""), "RLV-126",
           "wrong platform"},
          {"R9",
           attention("megatron", "\"fallback\": false, \"runtime_platform\"",
                     "\"fallback\": true, \"runtime_platform\""),
           "RLV-121", "fallback reported"},
          {"R10", attention("megatron", "\"backend_id\": \"rlkernel.", "\"backend_id\": \"other."), "RLV-127",
           "backend is not RL-Kernel's"},
      },
      passing_run);
  check_none(
      {every_readback("megatron", "\"call_count\": 4", "\"call_count\": \"3\""),
       [](TestRun& run) { run.remove("readbacks/megatron-training-41007"); },
       in(readback_path("megatron", 1), "\"fallbacks\": []", "\"fallbacks\": {}"),
       attention("megatron", "\"fallback\": false, \"runtime_platform\"", "\"fallback\": 1, \"runtime_platform\"")},
      passing_run);
}

TEST_CASE("R3, R11: the native arm") {
  check_all(
      {
          {"R3", in(readback_path("megatron", 0), "\"ffn\": \"hook.f\"", "\"ffn\": \"hook.f\", \"logp\": \"hook.l\""),
           "RLV-122", "a hook is installed where production must run untouched"},
          {"R3", in(readback_path("megatron", 0), "}, \"plan\"", ", \"logp\": {\"call_count\": 1}}, \"plan\""),
           "RLV-128", "an operator record where production must leave none"},
          {"R3", log("logp_case=P/P", "logp_case=R/R"), "RLV-129", "attests no native route"},
          {"R11", attention("megatron", "\"actual_backend\": \"production.", "\"actual_backend\": \"rlkernel."),
           "RLV-128", "production was asked for and RL-Kernel ran"},
          {"R11",
           in(readback_path("vllm", 0), "\"deterministic_linear_logp\": false", "\"deterministic_linear_logp\": true"),
           "RLV-128", "vllm/rollout logp"},
          {"R11", attention("vllm", "\"strict_backend\": false", "\"strict_backend\": true"), "RLV-128",
           "RL-Kernel ran"},
      },
      native_run);
  check_none({[](TestRun& run) {
               run.replace("run.log", "rlkernel mismatch sidecar active: logp_case=P/P",
                           "linear_logp native active: backend_id=vime.utils.ppo_utils.calculate_log_probs_and_entropy "
                           "contract_id=vime.native.linear_logp.v1 route=unconfigured device=cuda");
             }},
             native_run);
  const Judged judged = judge(native_run());
  CHECK(judged.readbacks.megatron_training->modules[2].native_marker_present == true);
  CHECK_FALSE(judged.pcp.required);
}

TEST_CASE("P1-P3: prefill context parallelism") {
  check_all(
      {
          {"P1", attention("vllm", "\"cp_world_size\": 2", "\"cp_world_size\": 4"), "RLV-135 RLV-137",
           "cp_world_size of a prefill worker differs"},
          {"P1", attention("vllm", "\"tp_world_size\": 4", "\"tp_world_size\": 8"), "RLV-135 RLV-137", "tp_world_size"},
          {"P1", attention("vllm", "token_sharded", "replicated"), "RLV-135 RLV-137", "kv_storage"},
          {"P1", attention("vllm", "disjoint_cp_partitions", "all"), "RLV-135 RLV-137", "attention_queries"},
          {"P1", attention("vllm", "rank_ordered_output_gather_no_reduction", "sum"), "RLV-135 RLV-137",
           "attention_merge"},
          {"P1", attention("vllm", "\"fallback\": false, \"strict", "\"fallback\": null, \"strict"), "RLV-135 RLV-137",
           "fallback of a prefill worker"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": 2"), "RLV-135 RLV-137", "cp_rank"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": 0.0"), "RLV-135 RLV-137", "cp_rank"},
          {"P2", attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": -1"), "RLV-135 RLV-137", "cp_rank"},
          {"P3", attention("vllm", "\"call_count\": 4", "\"call_count\": 0"), "RLV-137",
           "prefill CP rank 0 has too few workers"},
          {"P3", [](TestRun& run) { run.remove("readbacks/vllm-rollout-52007"); }, "RLV-137",
           "prefill CP rank 1 has too few workers"},
      },
      passing_run);
  check_none(
      {attention("vllm", "\"fallback\": false, \"strict", "\"fallback\": 0, \"strict"),
       attention("vllm", "\"cp_world_size\": 2", "\"cp_world_size\": 2.0"),
       attention("vllm", "\"cp_rank\": 0", "\"cp_rank\": false"),
       [](TestRun& run) { run.files["readbacks/vllm-rollout-52008.json"] = run.files.at(readback_path("vllm", 0)); }},
      passing_run);
  const Judged judged = judge(passing_run());
  CHECK(judged.pcp.required);
  CHECK(judged.pcp.cp_rank_worker_counts == std::vector<std::int64_t>{4, 4});
  CHECK(judged.pcp.expected_workers_per_cp_rank == 4);
}

}  // namespace rlverify::readback
