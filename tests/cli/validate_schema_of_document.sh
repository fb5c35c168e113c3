#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# validate FILE --schema: kinds are recognised, every violation has pointer, line and column; another kind is wrong use.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 validate "$passing" -q -o good.json
expect 0 validate good.json --schema
[[ $(head -n 1 out) == "VALID  good.json  schema validation" ]] || fail "another first line"
sed 's/"passed": true/"passed": "yes"/' good.json > bad.json
expect 1 validate bad.json --schema
[[ $(head -n 1 out) == "INVALID  bad.json  schema validation" ]] || fail "another first line"
has out "bad.json:"
has out "/cudagraph/passed"
expect 1 validate bad.json --schema --format json
python3 -c 'import json; d = json.load(open("out")); assert not d["valid"] and all(v["line"] > 0 and v["column"] > 0 for v in d["violations"])' || fail "violations without places"
expect 0 validate good.json --schema=validation
expect 1 validate good.json --schema=findings
echo '{"some": "thing"}' > unknown.json
expect 2 validate unknown.json --schema
has err "no document of a known kind"
