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

# Forms that share one schema_version are told apart.
expect 0 validate good.json --schema
has out "form newest of three"
python3 - <<'PYTHON'
import json
document = json.load(open("good.json"))
del document["pcp_execution"]
json.dump(document, open("second.json", "w"))
document["train_rollout_logprob"] = document.pop("runtime_scalar_logprob")
json.dump(document, open("first.json", "w"))
PYTHON
expect 0 validate second.json --schema
has out "schema validation_form2"
has out "form second of three"
expect 0 validate first.json --schema
has out "schema validation_form1"
has out "form first of three"
expect 1 validate first.json --schema=validation

# The files of a run, and the payload of a sidecar.
expect 0 validate "$passing/manifest.json" --schema
has out "schema manifest"
expect 0 validate "$passing/readbacks/vllm-rollout-52001.json" --schema
has out "schema readback"
expect 0 validate "$passing/weight-audit/weight_v000001.json" --schema
has out "form newer: all exported parameters"
expect 0 validate "$passing/mismatch-sidecars/rank00000.call00000000.pt" --schema
has out "schema sidecar"
expect 2 validate "$passing/train-data/0.rank0.pt" --schema
expect 1 validate "$passing/mismatch-sidecars/rank00000.call00000000.pt" --schema=logp_inputs
has out '/schema_version: expected "rlverify.logp_inputs.v1"'

# The answer is a document with a schema of its own.
expect 1 validate bad.json --schema -o answer.json
expect 0 validate answer.json --schema
has out "schema schema_check"
