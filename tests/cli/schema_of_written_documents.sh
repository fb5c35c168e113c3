#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every document that a command writes is valid against its schema, and so are the published ones and a complete run, where they are at hand.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
valid() {
  expect 0 validate "$1" --schema
  has out "schema $2"
}
for run in passing failing; do
  "$RLVERIFY" validate "$SOURCE_DIR/examples/runs/$run" -q -o "validation-$run.json" --findings "findings-$run.json"
  valid "validation-$run.json" validation
  valid "findings-$run.json" findings
done
"$RLVERIFY" compare "$passing" "$failing" -q -o comparison.json --findings compared.json
valid comparison.json comparison
valid compared.json findings
"$RLVERIFY" report "$passing" "$failing" --validate example-passing --scope "Two tiny runs." -o bundle.json >/dev/null
valid bundle.json bundle
expect 0 seal "$passing" -q -o record.json
valid record.json run_record
expect 0 inspect "$passing/mismatch-sidecars/rank00000.call00000000.pt" --values --format json
cp out inspection.json
valid inspection.json inspection
"$RLVERIFY" diff "$passing/mismatch-sidecars/rank00000.call00000000.pt" "$failing/mismatch-sidecars/rank00004.call00000001.pt" -q -o diff.json
valid diff.json findings
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" inputs || fail "kernel inputs can't be written"
for file in inputs/logp-inputs/*.pt; do
  valid "$file" logp_inputs
done
copy_run "$passing" short_run
rm -r short_run/readbacks
expect 3 validate short_run -q -o short.json
valid short.json validation
has out "form short"

shared=${RLVERIFY_SHARED:-$SOURCE_DIR/../shared}
[[ -d $shared/seeds ]] || skip "the shared acceptance folder is not here (the documents of the examples are valid)"
# The published files hold text around the document.
python3 - "$shared" <<'PYTHON' || fail "the published documents can't be read"
import json, pathlib, sys
for file in sorted(pathlib.Path(sys.argv[1], "seeds").iterdir()):
    document = json.JSONDecoder().raw_decode(file.read_text().lstrip())[0]
    pathlib.Path(file.stem[:3] + ".json").write_text(json.dumps(document))
PYTHON
valid 000.json bundle
valid 003.json logp_prior_art
/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "python3-torch is not installed (the documents are valid)"
/usr/bin/python3 "$shared/tools/make_run.py" --out whole_run >/dev/null || fail "make_run.py"
expect 0 validate whole_run --rules reference --schema
