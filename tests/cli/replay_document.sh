#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The document follows its schema, is the same every time, holds both sides' tables, and - as FILE silences the text.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" run --rollout-columns 4 || fail "the inputs can't be written"
expect 1 replay run -o first.json
has out "FAILED"
expect 1 replay run -o -
cmp -s out first.json || fail "two runs, two documents"
expect 1 replay run --format json
cmp -s out first.json || fail "--format json shows something else"
expect 0 validate first.json --schema
python3 - <<'PYTHON' || fail "the document"
import json
document = json.load(open("first.json"))
assert document["exit_code"] == 1 and document["verdict"] == "failed"
train, rollout, direct = document["tensors"]
assert train["name"] == "train_log_probs" and rollout["name"] == "rollout_log_probs" and direct["different"] == 5
assert train["backend"] == "cpu" and train["device"] and train["exactness"]
assert {row["vocabulary"] for row in train["follows"]} == {"real"} and {row["vocabulary"] for row in rollout["follows"]} == {"padded"}
assert len(train["hypotheses"]) == 14 * 2 * 2, len(train["hypotheses"])
assert all(row["compared"] == 5 for row in train["hypotheses"])
assert document["coverage"]["replay"] == {"files": 1, "tensors": 1, "elements": 5, "bytes": 80}
PYTHON
