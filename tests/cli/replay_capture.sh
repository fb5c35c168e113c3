#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What examples/capture_logp_inputs.py keeps of a tiny random model is read back: torch's own log_softmax is reproduced bit for bit by the torch
# backend where its module is built, and told apart by temperature everywhere.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
code=0
/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no torch for /usr/bin/python3"
/usr/bin/python3 "$SOURCE_DIR/tests/cli/capture_tiny_model.py" "$SOURCE_DIR/examples" run || fail "the capture exits with $?"
logits=run/logp-inputs/rank00000.call00000000.pt
[[ $(find run/logp-inputs -type f | sort | xargs -n 1 basename | tr '\n' ' ') == "rank00000.call00000000.pt rank00000.call00000001.pt " ]] || fail "other files: $(ls -A run/logp-inputs)"

"$RLVERIFY" replay "$logits" --backend torch --contract vllm_gather >out 2>err || code=$?
if [[ $code -eq 5 ]]; then
  has err "--backend torch"
  echo "the torch module is not built: $(cat err)"
else
  [[ $code -eq 0 ]] || fail "exit code $code from the torch backend"
  tr -s '\n ' '  ' <out >line
  has line "train follows vllm_gather at temperature 0.7, the whole vocabulary (3000 columns): all 13 values"
  has line "on torch"
fi

# The hidden states of call 1 need the weights of their version. torch's product has another order, so no contract is named, but the temperature is.
code=0
"$RLVERIFY" replay run >out 2>err || code=$?
[[ $code -eq 0 || $code -eq 1 ]] || fail "exit code $code"
tr -s '\n ' '  ' <out >line
has line "26 rows from 2 files on cpu"
has line "at temperature 0.7"
has_not out "RLV-50"
expect 3 replay run/missing.pt
