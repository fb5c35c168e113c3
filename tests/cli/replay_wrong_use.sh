#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unknown names are wrong use; what is not there is bad input; a device that is not there is never a silent CPU run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" run || fail "the inputs can't be written"
expect 2 replay
expect 2 replay run --contract vllm_gathr
has err 'did you mean "vllm_gather"?'
expect 2 replay run --backend tpu
expect 2 replay run --device -1
expect 3 replay missing
expect 3 replay run --sidecar missing.pt
expect 0 replay run --contract vllm_gather
has_not out megatron_ce
code=0
"$RLVERIFY" replay run --backend cuda --device 1023 >out 2>err || code=$?
[[ $code -eq 5 ]] || fail "exit code $code instead of 5 for a device that is not there"
has err "--backend cuda: "
empty out
