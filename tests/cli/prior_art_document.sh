#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The document has the published keys in their order, follows its schema, and differs between two runs in nothing but latencies.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 prior-art --tokens 64 --vocab 4096 --real-vocab 4000 --repeats 2 --model tiny -o first.json
empty out
expect 0 validate first.json --schema
expect 0 prior-art --tokens 64 --vocab 4096 --real-vocab 4000 --repeats 2 --model tiny
expect 0 validate first.json --schema=logp_prior_art
"$RLVERIFY" prior-art --tokens 64 --vocab 4096 --real-vocab 4000 --repeats 2 --model tiny >second.json || fail "second run"
python3 - <<'PYTHON' || fail "the document"
import json
first, second = (json.load(open(name)) for name in ("first.json", "second.json"))
assert list(first) == ["kind", "rfc", "rl_kernel_commit", "tracked_tree_dirty", "environment", "third_party", "tokens", "nccl_settings", "candidates"]
assert first["kind"] == "tiny_logprob_prior_art" and first["tokens"] == 64 and len(first["nccl_settings"]) == 3
assert list(first["candidates"]) == ["rl_kernel_ws2", "vllm_gather", "megatron_ce", "vime_default", "miles_fused", "verl_fused"]
keys = ["tp4_equals_tp1", "nccl_setting_invariant", "batch_bitwise", "distinct_results_in_repeats", "repeats", "reference", "max_abs_vs_fp64", "max_abs_vs", "latency_us_tp4"]
for name, candidate in first["candidates"].items():
    assert list(candidate) == keys, name
    assert list(candidate["max_abs_vs"]) == [other for other in first["candidates"] if other != name]
    del candidate["latency_us_tp4"], second["candidates"][name]["latency_us_tp4"]
assert first == second
assert first["candidates"]["megatron_ce"]["max_abs_vs"]["vime_default"] == 0.0
for name in ("rl_kernel_ws2", "vllm_gather"):
    assert first["candidates"][name]["tp4_equals_tp1"] is True
PYTHON
