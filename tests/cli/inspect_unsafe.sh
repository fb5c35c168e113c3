#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A file that would run code is shown with opcode, place and name, ends with 3 and runs nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 3 inspect "$SOURCE_DIR/tests/data/pt/unsafe.pt"
has out "UNSAFE: opcode GLOBAL at byte 233 names posix.system"
has out "torch.float32 [6]"
expect 3 inspect "$SOURCE_DIR/tests/data/pt/unsafe.pt" --format json
has out '"safe": false'
has out '"global": "posix.system"'
printf "cposix\nsystem\n(S'touch was-run'\ntR." >bare.pkl
expect 3 inspect bare.pkl
has err "posix.system"
[[ ! -e was-run ]] || fail "the pickle was executed"
