#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the documents that tests/report compares with, by Python's own json module: the text that ours has to equal byte for byte.

  write_expected.py          writes validation_passed.json and validation_failed.json beside itself
"""
import json
from pathlib import Path

EVIDENCE = ("VIME runtime torch.ne/max metrics; VIME reports sample means, converted to counts with "
            "global_batch_size")
REASON = "current VIME dump lacks captured training log_probs; runtime exact metrics are used"
BACKENDS = {"attention": "rlkernel.attention.deterministic.v1", "ffn": "rlkernel.ffn.qwen3.deterministic.v1",
            "logp": "rlkernel.linear_logp.bitwise.v1"}
SCHEMA = "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1"


def framework(processes, calls):
    return {"readback_count": processes, "modules": {
        name: {"backend_ids": [backend], "call_count": calls[name], "case_id": "R/R", "expected_implementation": "rl_kernel",
               "implementations": ["rl_kernel"], "installed_processes": processes} for name, backend in BACKENDS.items()}}


def row(step, tokens, mismatches=0.0):
    return {"active_token_count": tokens * 8, "bitwise_mismatch_count": mismatches * 8, "max_abs_dlogp": 0.0, "mean_abs_dlogp": 0.0,
            "step": step, "vime_mean_active_tokens_per_sample": tokens, "vime_mean_mismatch_count_per_sample": mismatches}


def passed(run):
    return {
        "schema_version": SCHEMA, "run_id": "pcp2-ipc-r3", "group": "consistency", "passed": True, "errors": [],
        "cudagraph": {"checks": dict.fromkeys(["capture_sizes", "engine_mode", "launcher_marker", "not_eager"], True),
                      "expected_capture_sizes": list(range(1, 9)), "passed": True},
        "offline_tensor_comparison": {"artifact_count": 16, "comparable_artifact_count": 16, "reason": None, "status": "available"},
        "pcp_execution": {"cp_rank_worker_counts": [4, 4], "errors": [], "expected_workers_per_cp_rank": 4, "passed": True, "required": True},
        "runtime_readbacks": {"errors": [], "passed": True, "frameworks": {
            "megatron/training": framework(8, {"attention": 2304, "ffn": 2304, "logp": 48}),
            "vllm/rollout": framework(11, {"attention": 5472, "ffn": 5480, "logp": 8})}},
        "runtime_scalar_logprob": {"bitwise_zero": True, "errors": [], "evidence_source": EVIDENCE, "passed": True,
                                   "rows": [row(0, 512.0), row(1, 512.0)], "total_active_token_exposure": 8192.0},
        "train_rollout_logprob": {
            "artifacts": [f"{run}/mismatch-sidecars/rank{rank:05}.call{call:08}.pt" for rank in range(8) for call in range(2)],
            "bitwise_equal": True, "bitwise_mismatch_count": 0, "element_count": 8192, "errors": [], "max_abs_diff": 0.0,
            "mismatch_count": 0, "mismatch_k3_kl": 0.0, "mismatch_kl": 0.0, "passed": True, "require_exact": True, "sample_count": 16,
            "torch_equal": True, "train_rollout_logprob_abs_diff": 0.0}}


def failed(run):
    """What passes nothing: every null, every empty list, numbers of every layout, text beyond ASCII."""
    nothing = {"backend_ids": [], "call_count": 0, "case_id": "P/P", "expected_implementation": "production", "implementations": [],
               "installed_processes": 0}
    scalar = "run.log line 7, step 1: no finite number: expected a finite number, found nan"
    return {
        "schema_version": SCHEMA, "run_id": "l\u00e4uft \U0001f642 \ud800 \"q\"\\\x7f\n", "group": None, "passed": False,
        "errors": [scalar, "manifest.json, topology.tp: has the wrong value: expected 4, found 3 (2 times, also at manifest.json, topology.cp)"],
        "cudagraph": {"checks": {"capture_sizes": False, "engine_mode": True, "launcher_marker": False, "not_eager": True},
                      "expected_capture_sizes": [], "passed": False},
        "offline_tensor_comparison": {"artifact_count": 16, "comparable_artifact_count": 15, "reason": REASON, "status": "unavailable"},
        "pcp_execution": {"errors": [], "passed": True, "required": False},
        "runtime_readbacks": {"errors": ["no readback: expected at least one file"], "passed": False, "frameworks": {
            "megatron/training": {"readback_count": 1, "modules": {
                "attention": nothing, "ffn": nothing,
                "logp": dict(nothing, native_marker_present=True, native_backend_id="vime.utils.ppo_utils.calculate_log_probs_and_entropy")}}}},
        "runtime_scalar_logprob": {
            "bitwise_zero": False, "errors": [scalar], "evidence_source": EVIDENCE, "passed": False, "total_active_token_exposure": 0,
            "rows": [{"active_token_count": 4096, "bitwise_mismatch_count": 1e16, "max_abs_dlogp": 5e-07, "mean_abs_dlogp": 0.0001, "step": 0,
                      "vime_mean_active_tokens_per_sample": 512, "vime_mean_mismatch_count_per_sample": 1250000000000000.0},
                     {"active_token_count": None, "bitwise_mismatch_count": None, "max_abs_dlogp": None, "mean_abs_dlogp": None, "step": 1,
                      "vime_mean_active_tokens_per_sample": None, "vime_mean_mismatch_count_per_sample": None}]},
        "train_rollout_logprob": {
            "artifacts": [], "bitwise_equal": False, "bitwise_mismatch_count": 3, "element_count": 0,
            "errors": ["mismatch-sidecars: no files"], "max_abs_diff": None, "mismatch_count": 2, "mismatch_k3_kl": None, "mismatch_kl": None,
            "passed": False, "require_exact": False, "sample_count": 0, "torch_equal": False, "train_rollout_logprob_abs_diff": None}}


def main():
    folder = Path(__file__).resolve().parent
    for name, document in {"validation_passed.json": passed("/runs/pcp2-ipc-r3"), "validation_failed.json": failed("/runs/x")}.items():
        (folder / name).write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
