#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# diff: the exit code of each answer, selections, tolerances, and documents that follow their schema.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[[ -x /usr/bin/python3 ]] || skip "no python3"
/usr/bin/python3 "$SOURCE_DIR/tests/cli/diff_pair.py" . || fail "the models were not written"
expect 0 diff a.safetensors a.safetensors
has out "EQUAL  4 tensors, 12,356 elements (24.3 KiB compared)"
expect 1 diff a.safetensors b.safetensors -o findings.json
has out "DIFFERENT  4 of 4 tensors, 1,219 of 12,356 elements (24.3 KiB compared)"
has out "first      model.embed_tokens.weight [250, 0]:"
has out "hint       only beyond the real vocabulary: rows 250 to 255 of 256, vocabulary"
has out "hint       tensor-parallel shard: only columns 16 to 31 of 64, which is part 2"
has out "classes    NaN against number: 1, infinity: 1"
expect 0 validate --schema findings.json
has findings.json '"answer": "different"'
has findings.json '"kind": "vocabulary"'
expect 1 diff a.safetensors b.safetensors --format json
cmp -s out findings.json || fail "stdout and -o differ"
expect 1 diff a.safetensors b.safetensors -o -
cmp -s out findings.json || fail "-o - is not the document"
expect 1 diff a.safetensors b.safetensors -q
empty out
# A tolerance of one step covers the shard alone.
expect 0 diff a.safetensors b.safetensors --tensor gate_proj --ulp 1 -o within.json
has out "WITHIN TOLERANCE  1 of 1 tensor differ, 1,024 of 4,096 elements"
expect 0 validate --schema within.json
expect 1 diff a.safetensors b.safetensors --tensor gate_proj
expect 1 diff a.safetensors b.safetensors --ulp 1
expect 0 diff a.safetensors b.safetensors --ignore 'embed|norm' --atol 0.01
# NaN and infinity are within no tolerance.
expect 1 diff a.safetensors b.safetensors --tensor norm.weight --atol 1e30 --ulp 4294967295
has out "DIFFERENT  1 of 1 tensor, 2 of 64 elements outside tolerance"
printf '[{"pattern": "gate", "ulp": 1}, {"pattern": "embed", "atol": 4}]' > rules.json
expect 0 diff a.safetensors b.safetensors --tolerances rules.json --ignore norm
expect 2 diff a.safetensors b.safetensors --tolerances rules.json
has err 'rules.json: no rule matches the name "model.layers.10.norm.bias" and 1 more'
