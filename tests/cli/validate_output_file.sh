#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -o FILE writes the document beside the text; -o - is stdout and silences the text.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 validate "$passing" -o report.json
[[ $(head -n 1 out) == PASSED* ]] || fail "no text"
cp report.json first
expect 0 validate "$passing" -o -
cmp -s first out || fail "stdout and file differ"
expect 0 validate "$passing" --format json
cmp -s first out || fail "--format json differs"
[[ $(find . -type f | wc -l) -eq 4 ]] || fail "left behind: $(find . -type f)"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' report.json || fail "no JSON"
tail -c 1 report.json | od -c | grep -q '\\n' || fail "no newline at the end"
