#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An existing file is replaced whole; a folder that is not there is an error that leaves nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
echo old > report.json
expect 0 validate "$passing" -q -o report.json
has_not report.json old
expect 5 validate "$passing" -q -o no/such/folder/report.json
[[ -s err ]] || fail "no reason given"
[[ ! -e no ]] || fail "a folder was made"
mkdir folder
expect 5 validate "$passing" -q -o folder
