#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A pickle that would run code is refused by name and runs nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
python3 - <<'PYTHON'
import zipfile
with zipfile.ZipFile("run/mismatch-sidecars/rank00000.call00000000.pt", "w") as archive:
    archive.writestr("archive/data.pkl", b"\x80\x02cposix\nsystem\nX\x11\x00\x00\x00touch executed-itq\x00\x85R.")
PYTHON
expect 1 validate run --rules reference
has out "posix.system"
[[ ! -e executed-it ]] || fail "the pickle was executed"
