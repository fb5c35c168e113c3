#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --findings writes what every renderer draws from; it is valid against its own schema.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 1 validate "$failing" --findings findings.json
has findings.json '"schema_version": "rlverify.findings.v1"'
has findings.json '"verdict": "failed"'
expect 0 validate findings.json --schema
expect 1 validate "$failing" --findings -
cmp -s findings.json out || fail "stdout and file differ"
