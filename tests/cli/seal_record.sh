#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# seal and check-seal: the record stands in for a deleted run, and every later change of the run is named.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
expect 0 seal run
has out "SEALED"
expect 0 validate --schema run/rlverify-record.json
expect 0 check-seal run/rlverify-record.json
has out "artifacts are as sealed"
cp run/rlverify-record.json first.json
expect 0 seal run -q
empty out
cmp -s first.json run/rlverify-record.json || fail "the record is not deterministic"
expect 0 seal run -o -
cmp -s first.json out || fail "-o - differs from the file"
# A run directory stands for the record inside it, also once nothing else is left of it.
expect 0 check-seal run
mkdir left
cp first.json left/rlverify-record.json
expect 0 compare left again=run
expect 0 compare again=run left
expect 2 check-seal left
has err "does not lie in its run"
has err "compare and report take the record"
expect 2 seal left
has err "nothing but its record is left"
# Another record is not replaced without a word.
sed 's/"status": "SUCCEEDED"/"status": "FAILED"/' first.json > other.json
cp other.json run/rlverify-record.json
expect 2 seal run
has err "says something else; nothing was written"
cmp -s other.json run/rlverify-record.json || fail "the record was replaced"
expect 0 seal run -o run/rlverify-record.json
has err "it was replaced"
cmp -s first.json run/rlverify-record.json || fail "the record was not replaced"
expect 0 seal run -o run/rlverify-record.json
empty err
# The record stands in for the run on either side.
expect 0 compare first.json again=run
expect 0 compare again=run first.json
expect 0 compare first.json b=first.json
expect 0 report a=run b=run --validate b --scope "two runs" -o live.json
expect 0 validate --schema live.json
for pair in "a=first.json b=run" "a=run b=first.json" "a=first.json b=first.json"; do
  # shellcheck disable=SC2086
  expect 0 report $pair --validate b --scope "two runs"
  cmp -s out live.json || fail "the bundle of $pair differs from that of the runs"
done
# A changed, a removed, an added file; the record itself and its like are no artifacts.
echo x >> run/run.log
rm run/ray-status.txt
echo y > run/added.txt
echo '{}' > run/run-validation.json
expect 1 check-seal run/rlverify-record.json
has out "RLV-365"
has out "run.log"
has out "RLV-366"
has out "ray-status.txt"
has out "RLV-367"
has out "added.txt"
has_not out "run-validation.json"
expect 1 check-seal first.json run
expect 3 check-seal first.json nowhere
expect 2 check-seal run/train-data
mkdir elsewhere
cp run/rlverify-record.json elsewhere/record.json
expect 2 check-seal elsewhere/record.json
has err "does not lie in its run: name the run as well"
expect 2 seal first.json
expect 3 check-seal run/run-validation.json
# A record that was tampered with is no record.
sed 's/"token_recipe": "rlverify.tokens.v1"/"token_recipe": 7/' first.json > bad.json
expect 3 compare bad.json b=first.json
has err "/token_recipe"
# A recipe of somebody else can't be compared.
sed 's/"token_recipe": "rlverify.tokens.v1"/"token_recipe": "other.v1"/' first.json > other.json
expect 1 compare first.json other=other.json
has out "RLV-327"
# A record from elsewhere doesn't write to the terminal.
expect 0 seal "$passing" -o record.json
sed 's/^  "name": "[^"]*"/  "name": "a\\n\\u001b[31m"/' record.json > named.json
expect 0 check-seal named.json "$passing"
has out 'PASSED a\x0a\x1b[31m:'
# An unchanged run is the same by whatever path it is named.
copy_run "$passing" moved
expect 0 seal moved
cp moved/rlverify-record.json first.json
for path in ./moved/ "$scratch/moved"; do
  expect 0 seal "$path"
  cmp -s moved/rlverify-record.json first.json || fail "the record was written again"
done
(cd moved && "$RLVERIFY" seal . -q) || fail "not the same from inside"
sed -i 's/"megatron"/"megatron" /' moved/readbacks/megatron-training-41003.json
expect 2 seal "$scratch/moved"
