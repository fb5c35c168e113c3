// SPDX-License-Identifier: Apache-2.0
// Values: spec/run-artifacts.md sections 2, 5 and 10.
#include "run/profile.h"

namespace rlverify::run {
namespace {

constexpr Profile kQwen3Dense = {
    "vime_qwen3_8b_tp4_cp2_200",
    "rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1",
    8,
    "cuda",
    "FULL_DECODE_ONLY",
    {"rlkernel.attention.deterministic.v1", "rlkernel.ffn.qwen3.deterministic.v1", "rlkernel.linear_logp.bitwise.v1"},
    {"rlkernel.attention.deterministic.v1", "rlkernel.ffn.qwen3.deterministic.v1", "rlkernel.linear_logp.bitwise.v1",
     "rlkernel.cuda.det_gemm_swiglu"},
    {"fallback", "fallback_used", "used_fallback", "attention_fallback", "split_kv_fallback"},
    {"gpus", "actor_gpus", "rollout_gpus", "tp", "cp", "pp", "colocate", "offload_train", "offload_rollout",
     "rollout_tp", "rollout_cp", "rollout_gpus_per_engine", "rollout_engines", "evidence_level"},
    true,
    1,
};

}  // namespace

const Profile* find_profile(std::string_view manifest_schema) {
  return manifest_schema == kQwen3Dense.manifest_schema ? &kQwen3Dense : nullptr;
}

}  // namespace rlverify::run
