#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The published evidence bundle, byte for byte, from two runs written after it; also from sealed records of deleted runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
shared=${RLVERIFY_SHARED:-$SOURCE_DIR/../shared}
[[ -f $shared/tools/make_run.py ]] || skip "no acceptance folder (RLVERIFY_SHARED)"
/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no torch for /usr/bin/python3"
pair=$SOURCE_DIR/tests/cli/compare_pair.py
/usr/bin/python3 "$pair" write "$shared" "$PWD" > out 2> err || fail "the runs could not be written"
scope="Two steps, response cap 512, temperature .7, top-p .95, top-k -1, KL .01. Responses truncated, PG zero. ROCm not rerun."
a=cpgrad-tp4cp2-r5
b=pcp2-ipc-r3
expect 0 report $a $b --validate $b --scope "$scope" -o bundle.json
/usr/bin/python3 "$pair" check "$shared" bundle.json || fail "the bundle differs from the published one"
expect 0 validate --schema bundle.json
expect 0 report $a $b --validate $b --scope "$scope" --rules reference
cmp -s out bundle.json || fail "the bundle under the reference rules differs"
expect 0 seal $a -o a.json
expect 0 seal $b -o b.json
mv $a away
expect 0 report a.json $b --validate $b --scope "$scope"
cmp -s out bundle.json || fail "the bundle with a sealed reference differs"
mv away $a
rm -r $b
expect 0 report $a b.json --validate $b --scope "$scope"
cmp -s out bundle.json || fail "the bundle with a sealed candidate differs"
rm -r $a
expect 0 report a.json b.json --validate $b --scope "$scope"
cmp -s out bundle.json || fail "the bundle of two sealed records differs"
