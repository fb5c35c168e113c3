// SPDX-License-Identifier: Apache-2.0
#include "support/test_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rlverify::test {
namespace {

constexpr const char* kManifest = R"({
  "algorithm": {"advantage_estimator": "grpo", "require_updates": true},
  "arm": {"attention_case": "R/R", "ffn_case": "R/R", "framework_use_rollout_logprobs": false, "group": "consistency", "logp_case": "R/R"},
  "batching": {"global_batch_size": 2, "max_response_len": 6, "n_samples_per_prompt": 2, "rollout_batch_size": 1},
  "num_rollout": 2,
  "run_id": "small-run",
  "runtime_env": {"env_vars": {"RL_KERNEL_ATTENTION_CASE": "R/R", "RL_KERNEL_FFN_CASE": "R/R", "RL_KERNEL_LOGP_CASE": "R/R"}},
  "sampling": {"support": "complete_recomputed", "temperature": 0.7, "top_k": -1, "top_p": 0.95},
  "schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1",
  "status": "submitted",
  "submission": {"returncode": 0, "stderr": "", "stdout": ""},
  "submission_id": "vime200-small-run",
  "topology": {"actor_gpus": 8, "colocate": true, "cp": 2, "evidence_level": "experimental", "gpus": 8, "offload_rollout": true, "offload_train": false, "pp": 1,
    "rollout_cp": 2, "rollout_engines": 1, "rollout_gpus": 8, "rollout_gpus_per_engine": 8, "rollout_tp": 4, "tp": 4},
  "train_command": ["entrypoint.sh", "train.py", "--actor-num-gpus-per-node", "8", "--rollout-num-gpus", "8", "--colocate", "--no-offload-train", "--offload-rollout",
    "--advantage-estimator", "grpo", "--tensor-model-parallel-size", "4", "--context-parallel-size", "2",
    "--linear-logp-provider", "rl_engine.integrations.orchestrators.vime.providers.linear_logp_provider.provider", "--linear-logp-provider-mode", "strict",
    "--rollout-num-gpus-per-engine", "8", "--vllm-prefill-context-parallel-size", "2"],
  "training_memory": {"recompute_granularity": "full", "recompute_method": "uniform", "recompute_num_layers": 1},
  "vllm_execution": {"capture_sizes": [1, 2], "cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_required": true, "enforce_eager": false}
}
)";

constexpr const char* kLog =
    "Job submission server address: http://127.0.0.1:8265\n"
    "[RL-Kernel] required vLLM full-decode CUDA Graph capture sizes: [1,2]\n"
    "\x1b[36m(VLLMEngine pid=5190)\x1b[0m engine args: enforce_eager=False, compilation_config={'cudagraph_mode': "
    "<CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>, "
    "'cudagraph_capture_sizes': [1, 2]}\n"
    "\x1b[36m(MegatronTrainRayActor pid=4100)\x1b[0m rlkernel mismatch sidecar active: logp_case=R/R\n"
    "[RL-Kernel][route] framework=megatron target=training module=attention requested=rl_kernel "
    "actual=rlkernel.attention.deterministic.v1 fallback=false\n";

std::string step_line(int step) {
  const std::string n = std::to_string(step);
  return "\x1b[36m(MegatronTrainRayActor pid=4100)\x1b[0m [2026-09-19 00:00:00] model.py:1 - step " + n +
         ": {'train/loss': 0.00" + std::to_string(step + 1) +
         ", 'train/train_rollout_logprob_abs_diff': 0.0, 'train/train_current_rollout_logprob_mismatch_count': 0.0, "
         "'train/train_current_rollout_logprob_max_abs_diff': 0.0, 'train/train_current_rollout_logprob_numel': 6.0, "
         "'train/grad_norm': 0.02" +
         n + ", 'train/lr-pg_0': 5e-07, 'train/lr-pg_1': 5e-07, 'train/global_batch_size': 2, 'train/step': " + n +
         "}\n";
}

std::string log_text() {
  std::string text = kLog;
  for (int step = 0; step < kRounds; ++step) {
    const std::string n = std::to_string(step);
    text += "\x1b[36m(RolloutManager pid=4000)\x1b[0m [2026-09-19 00:00:00] data.py:1 - rollout " + n +
            ": {'rollout/response_lengths': 6.0, 'rollout/total_lengths': " + std::to_string(total_length(step)) +
            ".0, 'rollout/truncated': 1.0}\n";
    text += step_line(step);
    text += "\x1b[36m(MegatronTrainRayActor pid=4100)\x1b[0m [2026-09-19 00:00:00] perf.py:1 - perf " + n +
            ": {'perf/step_time': 45.5, 'perf/train_time': 5.5}\n";
  }
  return text + "\x1b[32mJob 'vime200-small-run' succeeded\x1b[39m\n";
}

std::string audit_text(int version) {
  const std::string name = "weight_v00000" + std::to_string(version);
  // SHA-256 of the canonical JSON of each tensors map, computed once with Python's hashlib.
  static constexpr std::array<const char*, 3> kTotals = {
      "7e9f198758d5c7785b7f8fe2343cdfc0b1cd9582631bd4899fa272ea8fb7a13a",
      "4f29f4c78551e04929f5cb394e9b100cfc0954888ef07dd0ade1f4d6ec18c62b",
      "6dc4517e97376aaba7dbe531113e5ab9269af6735b6b2227a0bf98ccfb3c262a"};
  const std::string digest(64, static_cast<char>('0' + version));
  return "{\n  \"version\": \"" + name + "\",\n  \"scope\": \"all_exported_parameters\",\n  \"sha256\": \"" +
         kTotals.at(static_cast<std::size_t>(version) - 1) +
         "\",\n  \"tensor_count\": 1,\n  \"tensors\": {\"model.norm.weight\": {\"sha256\": \"" + digest +
         "\", \"shape\": [2], \"dtype\": \"torch.bfloat16\"}}\n}\n";
}

/// Positions of the response that a context-parallel rank owns, in the order of its vectors: each chunk's logits one by
/// one.
std::vector<int> owned_positions(int total, int response, int cp_rank) {
  const int prompt = total - response;
  const int chunk = (total + 2 * kContextParallel - 1) / (2 * kContextParallel);
  std::vector<int> positions;
  for (const int piece : {cp_rank, 2 * kContextParallel - 1 - cp_rank}) {
    for (int logit = piece * chunk; logit < (piece + 1) * chunk; ++logit) {
      if (logit >= prompt - 1 && logit <= total - 2) {
        positions.push_back(logit - (prompt - 1));
      }
    }
  }
  return positions;
}

float log_prob(int call, int sample, int position) {
  return -0.03125F - static_cast<float>((call * 31 + sample * 17 + position * 5) % 29) / 16.0F;
}

PtValue::List log_probs(int rank, int call) {
  PtValue::List samples;
  for (int sample = 0; sample < kBatch; ++sample) {
    std::vector<float> values;
    for (const int position :
         owned_positions(total_length(call), kResponse, rank / kTensorParallel % kContextParallel)) {
      values.push_back(log_prob(call, sample, position));
    }
    samples.emplace_back(float_tensor(values));
  }
  return samples;
}

PtValue::List repeated(const PtValue& value) {
  return PtValue::List(kBatch, value);
}

std::string record_text(const std::string& framework, const std::string& module, int rank) {
  const bool megatron = framework == "megatron";
  const std::string backend = module == "attention" ? "rlkernel.attention.deterministic.v1"
                              : module == "ffn"     ? "rlkernel.ffn.qwen3.deterministic.v1"
                                                    : "rlkernel.linear_logp.bitwise.v1";
  std::string execution = "{\"cp_rank\": " + std::to_string(rank / 4) +
                          ", \"cp_world_size\": 2, \"fallback\": false, \"strict_backend\": true, \"tp_rank\": " +
                          std::to_string(rank % 4) + ", \"tp_world_size\": 4";
  if (!megatron && module == "attention") {
    execution +=
        ", \"attention_merge\": \"rank_ordered_output_gather_no_reduction\", \"attention_queries\": "
        "\"disjoint_cp_partitions\", \"kv_storage\": \"token_sharded\"";
  }
  execution += "}";
  return "\"" + module + "\": {\"backend_id\": \"" + backend +
         "\", \"call_count\": 4, \"case_id\": \"R/R\", \"execution_mode\": \"" +
         (megatron || module == "logp" ? "eager" : "compiled_cuda_graph") + "\", \"framework\": \"" + framework +
         "\", \"implementation\": \"rl_kernel\", \"module\": \"" + module +
         "\", \"provenance\": {\"actual_backend\": \"" + backend + "\"" +
         (module == "logp" ? ", \"deterministic_linear_logp\": true" : "") + ", \"execution\": " + execution +
         ", \"fallback\": false, \"runtime_platform\": \"cuda\", \"triton_used\": false}, \"target\": \"" +
         (megatron ? "training" : "rollout") + "\"}";
}

std::size_t place_of(const std::string& text, std::string_view from, const std::string& path) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error(path + " has no \"" + std::string(from) + "\"");
  }
  return at;
}

}  // namespace

void TestRun::replace(const std::string& path, std::string_view from, std::string_view to) {
  std::string& text = files.at(path);
  const std::size_t at = place_of(text, from, path);
  if (text.find(from, at + 1) != std::string::npos) {
    throw std::logic_error(path + " has \"" + std::string(from) + "\" more than once");
  }
  text.replace(at, from.size(), to);
}

void TestRun::replace_all(const std::string& path, std::string_view from, std::string_view to) {
  std::string& text = files.at(path);
  for (std::size_t at = place_of(text, from, path); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void TestRun::remove(std::string_view prefix) {
  const std::size_t before = files.size();
  for (auto file = files.begin(); file != files.end();) {
    file = file->first.rfind(prefix, 0) == 0 ? files.erase(file) : std::next(file);
  }
  if (files.size() == before) {
    throw std::logic_error("no file begins with " + std::string(prefix));
  }
}

std::vector<std::string> TestRun::names(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& [path, content] : files) {
    if (path.rfind(folder + "/", 0) == 0) {
      names.push_back(path.substr(folder.size() + 1));
    }
  }
  return names;
}

void TestRun::write(const std::string& directory) const {
  std::filesystem::create_directories(directory);
  for (const auto& [path, content] : files) {
    const std::filesystem::path target = std::filesystem::path(directory) / path;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  }
}

std::string sidecar_path(int rank, int call) {
  return "mismatch-sidecars/rank0000" + std::to_string(rank) + ".call0000000" + std::to_string(call) + ".pt";
}
std::string dump_path(int rank, int call) {
  return "train-data/" + std::to_string(call) + ".rank" + std::to_string(rank) + ".pt";
}
std::string readback_path(const std::string& framework, int rank) {
  return "readbacks/" + framework + (framework == "megatron" ? "-training-4100" : "-rollout-5200") +
         std::to_string(rank) + ".json";
}

PtValue sidecar_payload(int rank, int call) {
  const PtTensor mask = int_tensor(std::vector<std::int32_t>(kResponse, 1));
  return PtValue::Dict{{"schema_version", "rlkernel.vime_rocm_attention_mismatch_sidecar.v1"},
                       {"rank", rank},
                       {"call_index", call},
                       {"tensor_parallel_size", kTensorParallel},
                       {"context_parallel_size", kContextParallel},
                       {"train_log_probs", log_probs(rank, call)},
                       {"rollout_log_probs", log_probs(rank, call)},
                       {"loss_masks", repeated(mask)},
                       {"total_lengths", repeated(total_length(call))},
                       {"response_lengths", repeated(kResponse)}};
}

PtValue dump_payload(int rank, int call) {
  const int total = total_length(call);
  PtValue::List tokens;
  PtValue::List indices;
  for (int sample = 0; sample < kBatch; ++sample) {
    std::vector<std::int64_t> ids;
    for (int position = 0; position < total; ++position) {
      // The samples of a round share their prompt.
      ids.push_back(100 + call * 1000 + position * 7 + (position >= total - kResponse ? sample * 300 : 0));
    }
    tokens.emplace_back(long_tensor(ids));
    indices.emplace_back(call * kBatch + sample);
  }
  const PtTensor mask = int_tensor(std::vector<std::int32_t>(kResponse, 1));
  return PtValue::Dict{{"rollout_id", call},
                       {"rank", rank},
                       {"rollout_data", PtValue::Dict{{"tokens", tokens},
                                                      {"total_lengths", repeated(total)},
                                                      {"response_lengths", repeated(kResponse)},
                                                      {"loss_masks", repeated(mask)},
                                                      {"sample_indices", indices},
                                                      {"log_probs", log_probs(rank, call)},
                                                      {"rollout_log_probs", log_probs(rank, call)}}}};
}

std::string readback_text(const std::string& framework, int rank) {
  const bool megatron = framework == "megatron";
  return "{\"fallbacks\": [], \"framework\": \"" + framework +
         "\", \"installed_hooks\": {\"attention\": \"hook.a\", \"ffn\": \"hook.f\", \"logp\": \"hook.l\"}, "
         "\"operators\": {" +
         record_text(framework, "attention", rank) + ", " + record_text(framework, "ffn", rank) + ", " +
         record_text(framework, "logp", rank) +
         "}, \"plan\": {\"cases\": {}, \"schema_version\": \"plan.v1\"}, \"profile_calls\": {}, \"target\": \"" +
         (megatron ? "training" : "rollout") + "\"}";
}

TestRun passing_run() {
  TestRun run;
  run.files["manifest.json"] = kManifest;
  run.files["run.log"] = log_text();
  run.files["ray-status.txt"] =
      "Status for job 'vime200-small-run': \x1b[32mSUCCEEDED\x1b[39m\nStatus message: Job finished successfully.\n";
  for (int version = 1; version <= kRounds + 1; ++version) {
    run.files["weight-audit/weight_v00000" + std::to_string(version) + ".json"] = audit_text(version);
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    run.files[readback_path("megatron", rank)] = readback_text("megatron", rank);
    run.files[readback_path("vllm", rank)] = readback_text("vllm", rank);
    for (int call = 0; call < kRounds; ++call) {
      run.files[sidecar_path(rank, call)] = write_pt(sidecar_payload(rank, call));
      run.files[dump_path(rank, call)] = write_pt(dump_payload(rank, call));
    }
  }
  return run;
}

}  // namespace rlverify::test
