#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A candidate that can't run has the reason and nothing else; logits of a file; wrong use.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 prior-art --tokens 4 --vocab 1001 --candidate vllm_gather --candidate megatron_ce
python3 -c '
import json
candidates = json.load(open("out"))["candidates"]
assert list(candidates) == ["vllm_gather", "megatron_ce"], candidates
assert list(candidates["megatron_ce"]) == ["unavailable"] and "1001" in candidates["megatron_ce"]["unavailable"], candidates
assert candidates["vllm_gather"]["max_abs_vs"] == {}, candidates' || fail "the document"
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" run || fail "the inputs can't be written"
expect 0 prior-art --logits run/logp-inputs/rank00000.call00000000.pt --repeats 1
has out '"kind": "captured_logprob_prior_art"'
has out '"tokens": 5'
# Values that no log-prob can be computed from.
inputs=logp-inputs/rank00000.call00000000.pt
for fault in "--first-target 4096:targets[0] at [0]" "--first-target -1:targets[0] at [0]" "--first-logit nan:logits[0] at [0, 0]" "--first-logit inf:logits[0] at [0, 0]"; do
  # shellcheck disable=SC2086
  python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" bad ${fault%%:*} || fail "the inputs can't be written"
  expect 3 prior-art --logits bad/$inputs --repeats 1
  has err "${fault#*:}"
  rm -r bad
done
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" masked --first-logit=-inf || fail "the inputs can't be written"
expect 0 prior-art --logits masked/$inputs --repeats 1 --candidate vllm_gather
expect 2 prior-art --candidate vllm
has err 'there is no contract "vllm"; there are'
has err 'vllm_gather'
# What the machine can't hold, and what is wrong, is refused before anything is allocated.
expect 5 prior-art --tokens 1048576 --vocab 268435456
has err "take 524288.0 GiB of memory"
expect 2 prior-art --tokens 1048576 --vocab 268435456 --candidate vllm
expect 2 prior-art --tokens 4 --vocab 64 --seed -1
has err 'found "-1"'
for option in --vocab --tokens --seed --real-vocab; do
  expect 2 prior-art --logits run/logp-inputs/rank00000.call00000000.pt $option 8
  has err "--logits"
done
expect 2 prior-art --tp 8
expect 2 prior-art --tokens 0
expect 2 prior-art --vocab 8 --real-vocab 9
expect 3 prior-art --logits missing.pt
expect 5 prior-art --tokens 4 --vocab 64 --repeats 1 -o no-such-folder/out.json
