#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare: table, exit codes, documents, names, and what is no run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 compare "$passing" other="$passing"
has out "PASSED 1 candidate against"
has out "other: everything compared is bit-identical"
empty err
expect 2 compare "$passing" "$passing"
has err "give one of them another name, as NAME=PATH"
expect 0 compare "$passing" b="$passing" c="$passing/" --format json
python3 -c 'import json, sys; d = json.load(open("out")); assert list(d) == ["reference", "comparisons", "records"], list(d); assert [c["name"] for c in d["comparisons"]] == ["b", "c"]' || fail "the document"
expect 0 compare "$passing" b="$passing" -o doc.json --findings findings.json
expect 0 validate --schema=comparison doc.json
expect 0 validate --schema doc.json
expect 0 validate --schema=findings findings.json
expect 0 compare "$passing" b="$passing" -q -o -
has out '"reference"'
expect 0 compare "$passing" b="$passing" -q
empty out
expect 3 compare "$passing" nowhere
has err "nowhere"
mkdir model
: > model/model.safetensors
expect 3 compare model model
has err "these are model directories, not runs: rlverify diff A B"
expect 2 compare "$passing"
expect 2 compare "$passing" b="$passing" --weights nobody=model
has err "no run is called nobody"
expect 2 compare "$passing" b="$passing" --weights nobody
# A repeated option takes one value each time and never swallows a run.
mkdir -p empty
expect 3 compare --weights b=empty "$passing" b="$passing"
has err "neither a model nor a directory with versions of one"
mkdir bare_a bare_b
echo '{}' > bare_a/manifest.json
echo '{}' > bare_b/manifest.json
expect 4 compare bare_a bare_b --findings findings.json
has out "nothing could be compared"
expect 0 validate --schema findings.json
