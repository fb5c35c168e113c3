#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command block of README and docs, and every example of --help, runs and ends with the exit code that it should.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
command -v python3 > /dev/null || skip "no python3"
python3 "$SOURCE_DIR/tests/cli/docs_commands.py" "$SOURCE_DIR" "$scratch/copies" "$RLVERIFY" || fail "the documentation has commands that don't do as it says"
