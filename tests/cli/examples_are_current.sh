#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The committed examples are what their script writes, and small.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python3 "$SOURCE_DIR/examples/make_examples.py" --check || fail "examples/runs is not what examples/make_examples.py writes"
bytes=$(find "$passing" "$failing" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
((bytes < 300000)) || fail "$bytes bytes"
