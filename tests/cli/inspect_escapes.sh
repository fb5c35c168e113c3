#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names and strings of a file can't write escape sequences to the terminal.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python3 - <<'PYTHON'
import zipfile
with zipfile.ZipFile("evil.pt", "w") as archive:
    archive.writestr("archive/data.pkl", b"\x80\x02}(X\x05\x00\x00\x00a\x1b[1mX\x05\x00\x00\x00b\x1b[2mu.")
PYTHON
expect 0 inspect evil.pt
has out 'a\x1b[1m'
has_not out $'\x1b'
