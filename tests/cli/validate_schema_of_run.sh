#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --schema on a run also checks its own JSON files and the document that is about to be written, which stays what the rules say.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 validate "$passing" --schema
has out "JSON files of the run fit theirs"
expect 0 validate "$passing"
has_not out "schemas:"
expect 1 validate "$failing" --schema
cat > own.json <<'SCHEMA'
{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"group": {"const": "native"}}}
SCHEMA
expect 1 validate "$passing" --schema=own.json
has err "/group"

# A fault that the reference rules don't judge: they pass, and --schema doesn't.
copy_run "$passing" run
sed -i 's/"diagnostic_axes": \[\]/"diagnostic_axes": 7/; s/"call_count": 288/"call_count": 288.0/' run/readbacks/megatron-training-41003.json
sed -i 's/"seed": 1234/"seed": "1234"/' run/manifest.json
sed -i 's/"scope": "all_exported_parameters"/"scope": "some"/' run/weight-audit/weight_v000002.json
expect 0 validate run --rules reference -o plain.json
expect 1 validate run --rules reference --schema -o checked.json --findings findings.json
cmp -s plain.json checked.json || fail "the validation document changed"
[[ $(head -n 1 out) == FAILED* ]] || fail "the text says passed"
python3 - <<'PYTHON' || fail "other findings"
import json
findings = json.load(open("findings.json"))
assert findings["verdict"] == "failed" and findings["exit_code"] == 1
seen = {(f["code"], f["section"], f["place"]["file"], f["place"]["field"]) for f in findings["findings"]}
readback = "readbacks/megatron-training-41003.json"
assert ("RLV-194", "launch", "manifest.json", "/seed") in seen, seen
assert ("RLV-195", "backends", readback, "/operators/attention/call_count") in seen, seen
assert ("RLV-195", "backends", readback, "/plan/cases/attention/diagnostic_axes") in seen, seen
assert ("RLV-196", "weights", "weight-audit/weight_v000002.json", "/scope") in seen, seen
lines = open("run/manifest.json").read().split("\n")
place = next(f["place"] for f in findings["findings"] if f["code"] == "RLV-194")
assert lines[place["line"] - 1][place["column"] - 1:] == '"1234",', place
PYTHON
# What can't be read fits nothing.
copy_run "$passing" torn
: > torn/manifest.json
expect 3 validate torn --schema
has out "schemas: 20 JSON files of the run fit theirs; 1 can't be read"
# Another schema for the document takes nothing from the check of the files.
echo '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}' > any.json
expect 1 validate run --rules reference --schema=any.json
has out "RLV-194"
has out "of the findings are about them"
expect 1 validate run --rules reference --schema --seal -q
[[ ! -e run/COMPLETE ]] || fail "sealed a run whose files don't fit"
