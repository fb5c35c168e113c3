// SPDX-License-Identifier: Apache-2.0
// Strict rules on log, readbacks, graphs and weights: a change that breaks each and what is said then, and changes
// close to it that must not.
#include <catch2/catch.hpp>

#include "judge/strict_support.h"

namespace rlverify::judge::test {
namespace {

constexpr const char* kLog = "run.log";
/// All capture sizes of the engine's line.
constexpr const char* kEngineSizes = "'cudagraph_capture_sizes': [1, 2]";

Change in_manifest(const std::string& from, const std::string& to) {
  return replace("manifest.json", from, to);
}
Change in_log(const std::string& from, const std::string& to) {
  return replace(kLog, from, to);
}

}  // namespace

TEST_CASE("Log: lines that speak of a fallback") {
  check({
      {"public spelling", log_line("attention fallback=true"), "RLV-112", "fallback=true"},
      {"JSON", log_line("{\"fallback\": true}"), "RLV-112", "a fallback was taken"},
      {"Python", log_line("'fallback_used': True"), "RLV-112", "fallback_used"},
      {"from the kernel library", log_line("[RL-Kernel] attention: fallback=true reason=shape"), "RLV-112",
       "reason=shape"},
      {"from the training script", log_line("(Actor pid=3) train.py:88 - attention fallback=true"), "RLV-112",
       "train.py:88"},
      {"one of two flags", log_line("disable_fallback=True fallback=true"), "RLV-112", "fallback=true"},
  });
  check_passes({
      {"asked for in a command", log_line("python train.py --colocate --allow-fallback=true"), ""},
      {"forbidden", log_line("DecodingConfig(disable_fallback=True)"), ""},
      {"forbidden with a hyphen", log_line("no-fallback: true"), ""},
      {"false", log_line("fallback=false, \"fallback\": false"), ""},
      {"another word", log_line("fallback_reason: trueness"), ""},
      {"handled traceback", log_line("Traceback (most recent call last)"), "RLV-113w"},
  });
}

TEST_CASE("Log: records") {
  const auto append_record = [](const char* from, const char* to) {
    return [from, to](TestRun& run) {
      std::string record = step_record(run, 1);
      const std::size_t at = record.find(from);
      REQUIRE(at != std::string::npos);
      record.replace(at, std::string(from).size(), to);
      run.files.at(kLog) += record;
    };
  };
  check({
      {"twice with other values", append_record("0.021", "0.022"), "RLV-175",
       "step 1 recorded twice with different values (lines 10, 13; pid 4100, 4100)"},
      {"missing", without_step(1), "RLV-173", "step 1 missing"},
      {"shifted", replace_all(kLog, "step 1:", "step 2:"), "RLV-173", "step 1 missing"},
      {"other number inside", in_log("'train/step': 1", "'train/step': 0"), "RLV-173", "another step number"},
      {"out of order",
       [](TestRun& run) {
         const std::string first = step_record(run, 0);
         run.replace(kLog, first, "");
         run.files.at(kLog) += first;
       },
       "RLV-173", "step 0 is recorded after step 1"},
      {"cut off",
       [](TestRun& run) {
         std::string& log = run.files.at(kLog);
         log.resize(log.find("'train/lr-pg_1': 5e-07, 'train/global_batch_size': 2, 'train/step': 1"));
       },
       "RLV-173 RLV-177", "doesn't end on its line"},
      {"a call inside", in_log("'train/grad_norm': 0.021", "'train/grad_norm': tensor(0.021)"), "RLV-173 RLV-177",
       "can't be read"},
      {"not finite", in_log("'train/grad_norm': 0.021", "'train/grad_norm': nan"), "RLV-170",
       "train/grad_norm is not finite"},
      {"metric missing",
       [](TestRun& run) { run.replace_all(kLog, "'train/train_rollout_logprob_abs_diff': 0.0, ", ""); }, "RLV-171",
       "train_rollout_logprob_abs_diff is missing"},
      {"no token in a step",
       [](TestRun& run) {
         std::string record = step_record(run, 1);
         const std::string before = record;
         record.replace(record.find("numel': 6.0"), 11, "numel': 0.0");
         run.replace(kLog, before, record);
       },
       "RLV-164 RLV-172", "no token was compared in this step"},
  });
  const auto tail = [](const char* text) {
    return [text](TestRun& run) { run.replace(kLog, "'train/step': 1}", std::string("'train/step': 1}") + text); };
  };
  check_passes({
      {"twice with the same bytes", [](TestRun& run) { run.files.at(kLog) += step_record(run, 1); }, "RLV-176n"},
      {"colour behind", tail("\x1b[0m"), ""},
      {"Ray's note behind", tail(" [repeated 4x across cluster]"), "RLV-178n"},
      {"numpy scalars", in_log("'train/grad_norm': 0.021", "'train/grad_norm': np.float64(0.021)"), ""},
      {"another batch size", replace_all("run.log", "'train/global_batch_size': 2", "'train/global_batch_size': 4"),
       "RLV-179w"},
      {"the critic's step", log_line("critic-step 1: {'train/loss': 9.0}"), "RLV-178n"},
      {"the critic's perf", log_line("critic-perf 1: {'perf/x': 9.0}"), "RLV-178n"},
      {"a quotation", log_line("the model said: step 1: {a, b"), "RLV-177w"},
      {"a set in a quotation", log_line("so step 0: {a, b}"), "RLV-177w"},
      {"a step far away in a quotation", log_line("then step 77: {"), "RLV-177w"},
      {"an unreadable perf record", log_line("perf 0: {tensor(3)}"), "RLV-177w"},
      {"a folded line", log_line("(Actor pid=3) hello [repeated 7x across cluster]"), "RLV-178n"},
      {"a very long line", log_line(std::string(17U << 20, 'x')), "RLV-178w"},
  });
}

TEST_CASE("Backends: every record of every process counts") {
  const std::string fallback = "\"fallback\": false, \"runtime_platform\"";
  check({
      {"no rollout readback", [](TestRun& run) { run.remove("readbacks/vllm"); }, "RLV-120 RLV-137",
       "no readback of vllm/rollout"},
      {"one that can't be read", [](TestRun& run) { run.files["readbacks/vllm-rollout-9.json"] = "{"; }, "RLV-102",
       "readbacks/vllm-rollout-9.json"},
      {"one of another kind", [](TestRun& run) { run.files["readbacks/vllm-rollout-9.json"] = "[]"; }, "RLV-102",
       "expected a JSON object"},
      {"all that can't be read",
       [](TestRun& run) {
         for (const std::string& name : run.names("readbacks")) {
           run.files["readbacks/" + name] = "{";
         }
       },
       "RLV-102 RLV-120 RLV-137", "no readback of megatron/training"},
      {"recorded fallback", replace(vllm(7), "\"fallbacks\": []", "\"fallbacks\": [{\"module\": \"ffn\"}]"), "RLV-121",
       "a fallback is recorded"},
      {"no hook",
       [](TestRun& run) {
         for (int rank = 0; rank < 8; ++rank) {
           run.replace(megatron(rank), "\"ffn\": \"hook.f\", ", "");
         }
       },
       "RLV-122", "no process installed the hook"},
      {"no hook in one process", replace(megatron(5), "\"ffn\": \"hook.f\", ", ""), "RLV-122",
       "a record without a hook"},
      {"empty hook", replace(megatron(5), "\"hook.f\"", "\"\""), "RLV-122", "installed_hooks.ffn"},
      {"a readback lost", [](TestRun& run) { run.remove(megatron(3)); }, "RLV-123", "7"},
      {"one too many",
       [](TestRun& run) { run.files["readbacks/megatron-training-77.json"] = run.files.at(megatron(3)); }, "RLV-123",
       "9"},
      {"one copied in place of another", [](TestRun& run) { run.files.at(megatron(3)) = run.files.at(megatron(2)); },
       "RLV-123", "claim one rank more often"},
      {"never called", replace_all(vllm(2), "\"call_count\": 4", "\"call_count\": 0"), "RLV-134 RLV-137", "call_count"},
      {"another case was planned",
       replace(megatron(4), "\"cases\": {}", "\"cases\": {\"ffn\": {\"case_id\": \"P/P\"}}"), "RLV-124",
       "another case was planned"},
      {"record of another module", replace(megatron(4), "\"module\": \"ffn\"", "\"module\": \"attention\""), "RLV-124",
       "module names another place"},
      {"Triton", replace_all(megatron(4), "\"triton_used\": false", "\"triton_used\": true"), "RLV-125", "Triton"},
      {"platform", replace_all(megatron(4), "\"runtime_platform\": \"cuda\"", "\"runtime_platform\": \"rocm\""),
       "RLV-126", "rocm"},
      {"another backend of the family",
       replace(megatron(4), "\"backend_id\": \"rlkernel.ffn.qwen3.deterministic.v1\"",
               "\"backend_id\": \"rlkernel.ffn.qwen3.fast.v1\""),
       "RLV-127", "rlkernel.ffn.qwen3.fast.v1"},
      {"name and content",
       [](TestRun& run) {
         run.files["readbacks/vllm-rollout-9x.json"] = run.files.at(vllm(3));
         run.remove(vllm(3));
       },
       "RLV-133", "vllm-rollout-9x.json"},
      {"calls as text", replace_all(megatron(4), "\"call_count\": 4", "\"call_count\": \"4\""), "RLV-134", "'4'"},
      {"calls as float", replace_all(megatron(4), "\"call_count\": 4", "\"call_count\": 4.0"), "RLV-134", "4.0"},
      {"size as boolean", replace_all(megatron(4), "\"cp_world_size\": 2", "\"cp_world_size\": true"), "RLV-134",
       "cp_world_size"},
      {"another size", replace_all(megatron(4), "\"tp_world_size\": 4", "\"tp_world_size\": 8"), "RLV-134",
       "tp_world_size"},
      {"negative rank", replace_all(megatron(0), "\"tp_rank\": 0", "\"tp_rank\": -1"), "RLV-134", "tp_rank"},
      {"HIP graph", replace_all(vllm(0), "compiled_cuda_graph", "compiled_hip_graph"), "RLV-134", "compiled_hip_graph"},
      {"prefill storage", replace(vllm(0), "token_sharded", "replicated"), "RLV-135 RLV-137", "kv_storage"},
      {"prefill fallback as zero",
       replace(
           vllm(0),
           "\"fallback\": false, \"strict_backend\": true, \"tp_rank\": 0, \"tp_world_size\": 4, \"attention_merge\"",
           "\"fallback\": 0, \"strict_backend\": true, \"tp_rank\": 0, \"tp_world_size\": 4, \"attention_merge\""),
       "RLV-130", "fallback reported at"},
  });
  check_passes({
      {"helper process",
       [](TestRun& run) {
         run.files["readbacks/vllm-rollout-9.json"] =
             "{\"fallbacks\": [], \"framework\": \"vllm\", \"installed_hooks\": {\"attention\": \"h\"}, \"operators\": "
             "{}, \"plan\": {}, \"profile_calls\": {}, \"target\": \"rollout\"}";
       },
       ""},
      {"plan of the arm", replace(megatron(4), "\"cases\": {}", "\"cases\": {\"ffn\": {\"case_id\": \"R/R\"}}"), ""},
      {"a part of the family inside",
       replace_all(megatron(4), "\"cp_rank\": 1,",
                   "\"cp_rank\": 1, \"projection\": {\"actual_backend\": \"rlkernel.cuda.det_gemm\"},"),
       ""},
      {"both padded the same",
       [](TestRun& run) {
         run.replace_all(megatron(0), "\"cp_rank\": 0,", "\"cp_rank\": 0, \"padded_vocab_size\": 152576,");
         run.replace_all(vllm(0), "\"cp_rank\": 0,", "\"cp_rank\": 0, \"padded_vocab_size\": 152576,");
       },
       ""},
  });
}

TEST_CASE("Graphs: the engine's own lines count") {
  const auto engine = [](const char* from, const char* to) { return in_log(from, to); };
  check({
      {"launcher silent", in_log("[RL-Kernel] required vLLM", "[RL-Kernel] vLLM"), "RLV-138", "did not state"},
      {"no mode", engine("<CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>", "'x'"), "RLV-139", "another CUDA-graph mode"},
      {"mode only in a command",
       all_of({engine("<CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>", "'x'"),
               log_line("train.py --x {\"cudagraph_mode\": \"FULL_DECODE_ONLY\"}")}),
       "RLV-139", "FULL_DECODE_ONLY"},
      {"mode set back later", log_line("WARNING FULL_DECODE_ONLY is not supported; setting cudagraph_mode=PIECEWISE"),
       "RLV-139", "PIECEWISE"},
      {"mode overridden", log_line("Overriding cudagraph_mode from FULL_DECODE_ONLY to NONE"), "RLV-139", "NONE"},
      {"eager", engine("enforce_eager=False", "enforce_eager=True"), "RLV-140",
       "manifest expects FULL_DECODE_ONLY, log shows eager"},
      {"one engine eager", log_line("(VLLMEngine pid=9) enforce_eager=True"), "RLV-140", "log shows eager"},
      {"silent about eager", engine("enforce_eager=False, ", ""), "RLV-140", "does not say"},
      {"not eager only in a command",
       all_of({engine("enforce_eager=False, ", ""), log_line("ray job submit -- x enforce_eager=False")}), "RLV-140",
       "does not say"},
      {"size missing", engine(kEngineSizes, "'cudagraph_capture_sizes': [1]"), "RLV-141", "missing capture size 2"},
      {"size unasked", engine(kEngineSizes, "'cudagraph_capture_sizes': [1, 2, 4]"), "RLV-141",
       "unasked capture size 4"},
      {"one engine with other sizes", log_line("(VLLMEngine pid=9) \"cudagraph_capture_sizes\":[1]"), "RLV-141",
       "missing capture size 2"},
      {"no sizes", engine(kEngineSizes, "'x': 1"), "RLV-141", "no capture sizes"},
      {"sizes only in a command",
       all_of({engine(kEngineSizes, "'x': 1"), log_line("--compilation-config {\"cudagraph_capture_sizes\":[1,2]}")}),
       "RLV-141", "no capture sizes"},
      {"another mode asked for",
       in_manifest("\"cudagraph_mode\": \"FULL_DECODE_ONLY\"", "\"cudagraph_mode\": \"FULL\""), "RLV-143",
       "cudagraph_mode"},
      {"graphs not required", in_manifest("\"cudagraph_required\": true", "\"cudagraph_required\": false"), "RLV-143",
       "cudagraph_required"},
      {"eager asked for", in_manifest("\"enforce_eager\": false", "\"enforce_eager\": true"), "RLV-143",
       "enforce_eager"},
      {"size 0",
       all_of({in_manifest("\"capture_sizes\": [1, 2]", "\"capture_sizes\": [0, 1, 2]"),
               engine(kEngineSizes, "'cudagraph_capture_sizes': [0, 1, 2]"), in_log("sizes: [1,2]", "sizes: [0,1,2]")}),
       "RLV-143", "no proper capture sizes"},
  });
  check_passes({
      {"other spacing", engine(kEngineSizes, "cudagraph_capture_sizes=[ 2,1 ]"), ""},
      {"JSON", engine(kEngineSizes, "\"cudagraph_capture_sizes\":[1,2]"), ""},
      {"mode said again", log_line("(VLLMEngine pid=9) cudagraph_mode=FULL_DECODE_ONLY"), ""},
      {"truncation warning", log_line("WARNING capture sizes exceed 512 and are truncated, see cudagraph docs"),
       "RLV-142w"},
      {"batches without a graph", all_of({in_manifest("\"n_samples_per_prompt\": 2", "\"n_samples_per_prompt\": 3")}),
       "RLV-142w"},
      {"a command asks for eager", log_line("ray job submit -- --x enforce_eager=True"), ""},
  });
}

TEST_CASE("Weights: versions, digests and changes") {
  const auto audit = [](int version) { return "weight-audit/weight_v00000" + std::to_string(version) + ".json"; };
  const auto copy = [&audit](int from, int to) {
    return [=](TestRun& run) {
      run.files[audit(to)] = run.files.at(audit(from));
      run.replace(audit(to), "weight_v00000" + std::to_string(from), "weight_v00000" + std::to_string(to));
    };
  };
  const auto metric = [](const std::string& name, const std::string& from, const std::string& to) {
    return replace_all("run.log", "'train/" + name + "': " + from, "'train/" + name + "': " + to);
  };
  check({
      {"no audit", [](TestRun& run) { run.remove("weight-audit/"); }, "RLV-180 RLV-184",
       "missing weight audit weight_v000001.json"},
      {"nothing ever changed", all_of({copy(1, 2), copy(1, 3)}), "RLV-180 RLV-186", "changed nothing"},
      {"last audit missing", [&audit](TestRun& run) { run.remove(audit(3)); }, "RLV-184",
       "missing weight audit weight_v000003.json"},
      {"one too many", copy(3, 4), "RLV-184 RLV-186", "this run doesn't have"},
      {"version inside", replace(audit(2), "weight_v000002", "weight_v000001"), "RLV-184", "name and version disagree"},
      {"last update did nothing", copy(2, 3), "RLV-186", "the update from weight_v000002 changed nothing"},
      {"went back", copy(1, 3), "RLV-186", "the weights are those of weight_v000001 again"},
      {"total", replace(audit(2), "4f29f4c7", "4f29f4c8"), "RLV-185", "total digest"},
      {"count", replace(audit(2), "\"tensor_count\": 1", "\"tensor_count\": 2"), "RLV-185", "tensor_count"},
      {"scope", replace(audit(2), "all_exported_parameters", "sampled"), "RLV-185", "another scope"},
      {"shape", replace(audit(2), "\"shape\": [2]", "\"shape\": [3]"), "RLV-185", "appear, vanish or change shape"},
      {"entry", replace(audit(2), "\"shape\": [2]", "\"shape\": 2"), "RLV-185", "entry is malformed"},
      {"not JSON", [&audit](TestRun& run) { run.files[audit(2)] = "{"; }, "RLV-102", "can't be read"},
      {"one step",
       all_of({in_manifest("\"num_rollout\": 2", "\"num_rollout\": 1"), without_step(1),
               [&audit](TestRun& run) {
                 run.remove(audit(3));
                 for (int rank = 0; rank < 8; ++rank) {
                   run.remove(rlverify::test::sidecar_path(rank, 1));
                   run.remove(rlverify::test::dump_path(rank, 1));
                 }
               }}),
       "RLV-181", "too few steps"},
      {"no learning rate", metric("lr-pg_0", "5e-07", "0.0"), "RLV-182", "positive learning rate"},
      {"no gradient", all_of({metric("grad_norm", "0.020", "0.0"), metric("grad_norm", "0.021", "0.0")}),
       "RLV-183 RLV-187", "vacuous: no weight update in 2 steps"},
  });
  check_passes({
      {"updates not required, nothing kept",
       all_of({in_manifest("\"require_updates\": true", "\"require_updates\": false"),
               [](TestRun& run) { run.remove("weight-audit/"); }}),
       ""},
      {"updates not required, nothing changed",
       all_of({in_manifest("\"require_updates\": true", "\"require_updates\": false"), copy(2, 3)}), "RLV-186w"},
      {"updates not required, no gradient",
       all_of({in_manifest("\"require_updates\": true", "\"require_updates\": false"),
               metric("grad_norm", "0.020", "0.0"), metric("grad_norm", "0.021", "0.0")}),
       "RLV-187w"},
  });
}

}  // namespace rlverify::judge::test
