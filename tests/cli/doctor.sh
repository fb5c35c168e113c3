#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# doctor: facts as text and as JSON that agree.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 doctor
empty err
for label in rlverify compiler build options SIMD "CUDA toolkit" "CUDA device" "torch module" schemas "finding codes"; do
  grep -q "^$label" out || fail "no line for $label"
done
cp out text
expect 0 doctor --format json -o facts.json
cmp -s out facts.json || fail "-o and --format json differ"
python3 - <<'PYTHON' || fail "the JSON"
import json
facts = json.load(open("facts.json"))
text = dict(line.split(None, 1) for line in open("text") if line.startswith(("schemas", "rlverify", "compiler")))
assert facts["rlverify"] == text["rlverify"].strip(), facts
assert facts["build"]["compiler"] == text["compiler"].strip(), facts
assert facts["schemas"] == int(text["schemas"]) >= 4, facts
assert facts["finding_codes"] > 50 and facts["simd"]["tensors"][0] == "scalar", facts
assert bool(facts["cuda"]["devices"]) == (facts["cuda"]["reason"] is None), facts
assert facts["torch_module"]["found"] == (facts["torch_module"]["reason"] is None), facts
PYTHON
expect 0 doctor -o -
cmp -s out facts.json || fail "-o - differs"
