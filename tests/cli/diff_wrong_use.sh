#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# diff: what is refused, with which code, and what it says instead.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[[ -x /usr/bin/python3 ]] || skip "no python3"
/usr/bin/python3 "$SOURCE_DIR/tests/cli/diff_pair.py" . || fail "the models were not written"
expect 2 diff
expect 2 diff a.safetensors b.safetensors --tensor model.layers.10.norm.wieght
has err 'did you mean "model.layers.10.norm.weight"'
expect 2 diff a.safetensors b.safetensors --ignore .
has err "leaves nothing"
expect 2 diff a.safetensors b.safetensors --tensor 'a(b'
has err '--tensor: "a(b" is no regular expression (RE2): missing ): a(b, at character 1'
expect 2 diff a.safetensors b.safetensors --ulp -1
has err 'expected a whole number from 0 to 18446744073709551615, found "-1"'
expect 2 diff a.safetensors b.safetensors --ulp 18446744073709551616
has err 'found "18446744073709551616"'
expect 2 diff a.safetensors b.safetensors --atol nan
expect 2 diff a.safetensors b.safetensors --atol -1
has err "not negative"
expect 2 diff a.safetensors b.safetensors --atol 1 --tolerances rules.json
printf '[{"pattern": "a[", "ulp": 1}]' > rules.json
expect 2 diff a.safetensors b.safetensors --tolerances rules.json
has err 'rules.json:1:14: "a["'
expect 2 diff "$passing" "$failing"
has err "rlverify compare $passing $failing"
expect 2 diff "$passing"
has err "rlverify validate $passing"
expect 2 diff a.safetensors "$passing"
# One file that is no sidecar.
expect 2 diff "$SOURCE_DIR/tests/data/pt/nested_p4.pt"
has err "is no sidecar"
expect 3 diff a.safetensors none.safetensors
has err "none.safetensors"
expect 3 diff none.pt
expect 3 diff a.safetensors "$SOURCE_DIR/tests/data/pt/unsafe.pt"
head -c 100 a.safetensors > cut.safetensors
expect 3 diff a.safetensors cut.safetensors
expect 3 diff a.safetensors b.safetensors --tolerances none.json
# Readable, and nothing in common.
expect 4 diff a.safetensors "$SOURCE_DIR/tests/data/pt/nested_p4.pt"
has out "NOTHING COMPARED"
