#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The strict verdict on every case of the acceptance folder: exit code and finding codes, held against the table below.

  strict_cases.py RLVERIFY [CASES_DIR]     CASES_DIR: cases that were made already; else they are made in a temporary folder

Codes of warnings end in w, of notes in n. docs/rules.md argues each verdict that differs from the public validator's.
Exits with 77 (skipped) where the acceptance folder ("shared", see RLVERIFY_SHARED) or python3-torch is missing.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# name: (exit code, codes)
STRICT = {
    "all_masks_zero_in_one_sample": (0, ""),
    "backend_not_rlkernel": (1, "RLV-127"),
    "bf16_both_sides": (0, "RLV-157w RLV-192n"),
    "capture_size_missing": (1, "RLV-141"),
    "colour_reset_after_record": (0, ""),
    "command_lost_colocate": (1, "RLV-108"),
    "command_reuses_rollout_logprobs": (1, "RLV-108"),
    "crlf_log": (0, ""),
    "eager_mode": (1, "RLV-140"),
    "empty_sidecar_file": (1, "RLV-151"),
    "fallback_recorded": (1, "RLV-121"),
    "fallback_true_in_log": (1, "RLV-112"),
    "grad_norm_nan": (1, "RLV-170"),
    "graph_mode_on_another_line": (1, "RLV-139"),
    "invalid_utf8_in_log": (0, ""),
    "launcher_marker_missing": (1, "RLV-138"),
    "legacy_torch_format": (0, ""),
    "list_field_missing": (1, "RLV-151 RLV-192n"),
    "log_missing": (3, "RLV-101"),
    "manifest_missing": (3, "RLV-101"),
    "manifest_not_json": (3, "RLV-101"),
    "mask_one_short": (1, "RLV-151 RLV-192n"),
    "minus_infinity_both_sides": (1, "RLV-159 RLV-191"),
    "native_arm": (1, "RLV-124 RLV-179w RLV-191"),
    "native_arm_ran_rlkernel": (1, "RLV-124 RLV-128 RLV-179w RLV-191"),
    "native_arm_without_marker": (1, "RLV-124 RLV-129 RLV-179w RLV-191"),
    "no_sidecars": (1, "RLV-150 RLV-161 RLV-163 RLV-192n"),
    "no_step_lines": (1, "RLV-173 RLV-181 RLV-182 RLV-183"),
    "no_train_data": (0, ""),
    "not_grpo": (1, "RLV-109"),
    "numpy_scalar_in_step": (0, ""),
    "offload_train_true": (1, "RLV-107 RLV-108"),
    "one_cp_rank_missing": (1, "RLV-154 RLV-164 RLV-165 RLV-192n"),
    "one_logp_changed_on_all_replicas": (1, "RLV-162 RLV-179 RLV-191"),
    "one_logp_changed_on_first_replica": (1, "RLV-153 RLV-162 RLV-179 RLV-191"),
    "one_logp_changed_on_other_replica": (1, "RLV-153 RLV-191"),
    "one_weight_audit": (1, "RLV-180 RLV-184"),
    "only_megatron_readbacks": (1, "RLV-120 RLV-137"),
    "pcp_not_required": (1, "RLV-134"),
    "pcp_rank_out_of_range": (1, "RLV-135 RLV-137"),
    "pcp_worker_wrong_storage": (1, "RLV-135 RLV-137"),
    "pickle_protocol_4": (0, ""),
    "pickle_protocol_5": (0, ""),
    "provider_not_strict": (1, "RLV-108"),
    "python_float_lists": (0, ""),
    "rank_as_tensor": (0, ""),
    "ray_status_coloured": (0, "RLV-105w"),
    "ray_status_failed": (1, "RLV-104 RLV-105"),
    "ray_status_missing": (1, "RLV-104"),
    "readback_not_json": (1, "RLV-102"),
    "recompute_differs": (1, "RLV-110"),
    "required_metric_inf": (1, "RLV-170 RLV-171"),
    "rollout_bf16_train_fp32": (1, "RLV-157"),
    "rollout_engines_wrong": (1, "RLV-107 RLV-137"),
    "rollout_one_short": (1, "RLV-156"),
    "second_call_missing": (1, "RLV-163 RLV-164 RLV-192n"),
    "signed_zero": (1, "RLV-162 RLV-191"),
    "single_sample_lists": (0, "RLV-179w RLV-192n"),
    "step_repeated_with_other_values": (1, "RLV-175"),
    "strided_views": (0, ""),
    "topology_missing": (3, "RLV-101"),
    "topology_tp_2": (1, "RLV-107 RLV-108 RLV-134 RLV-151 RLV-161 RLV-163 RLV-192n"),
    "tp_size_differs_from_manifest": (1, "RLV-151 RLV-192n"),
    "traceback_in_log": (0, "RLV-113w"),
    "train_data_without_log_probs": (1, "RLV-192n RLV-193"),
    "triton_in_a_value": (1, "RLV-125"),
    "truncated_sidecar": (1, "RLV-151 RLV-192n"),
    "two_tokens_masked": (0, ""),
    "unchanged": (0, ""),
    "unexpected_step_2": (1, "RLV-171 RLV-173 RLV-182"),
    "unfinished_temporary_file": (0, ""),
    "views_of_one_storage": (0, ""),
    "weights_never_changed": (1, "RLV-180 RLV-184 RLV-185"),
    "wrong_case_id": (1, "RLV-124"),
    "wrong_implementation": (1, "RLV-124"),
    "wrong_platform": (1, "RLV-126"),
    "wrong_schema_version": (1, "RLV-151 RLV-192n"),
    "zero_calls": (1, "RLV-123 RLV-134"),
}


def shared_folder():
    root = Path(__file__).resolve().parent.parent.parent
    return Path(os.environ.get("RLVERIFY_SHARED", root.parent / "shared"))


def verdict(binary, run):
    """Exit code and codes of all findings."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run([binary, "validate", str(run), "-q", "--findings", out.name], capture_output=True, timeout=120)
        findings = json.loads(Path(out.name).read_text())["findings"]
    suffix = {"error": "", "warning": "w", "note": "n"}
    return done.returncode, " ".join(sorted({f["code"] + suffix[f["severity"]] for f in findings}))


def main(binary, parent, run_cases):
    wrong = []
    if set(run_cases.CASES) != set(STRICT):
        wrong.append(f"cases without a row, or rows without a case: {sorted(set(run_cases.CASES) ^ set(STRICT))}")
    for name in sorted(set(run_cases.CASES) & set(STRICT)):
        run = parent / name
        if not run.is_dir():
            run_cases.make(run_cases.CASES[name], run)
        found = verdict(binary, run)
        if found != STRICT[name]:
            wrong.append(f"{name}: expected {STRICT[name]}, found {found}")
    print("\n".join(wrong) if wrong else f"{len(STRICT)} cases as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    tools = shared_folder() / "tools"
    if not (tools / "run_cases.py").is_file():
        print("skipped: the acceptance folder is not there")
        sys.exit(77)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: python3-torch is not installed")
        sys.exit(77)
    sys.path.insert(0, str(tools))
    import run_cases
    if len(sys.argv) > 2:
        sys.exit(main(sys.argv[1], Path(sys.argv[2]), run_cases))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(sys.argv[1], Path(folder), run_cases))
