#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A reader that goes away ends the program quietly.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
{ "$RLVERIFY" validate "$failing" --format json 2>err; echo $? > code; } | head -c 0
empty err
[[ $(cat code) -eq 1 ]] || fail "exit code $(cat code)"
