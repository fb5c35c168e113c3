#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# In the C locale the text is ASCII; the document is ASCII always.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
sed -i 's/"run_id": "[^"]*"/"run_id": "l\\u00e4uft"/' run/manifest.json
LC_ALL=C expect 0 validate run --rules reference
! LC_ALL=C grep -q -P '[^\x00-\x7F]' out || fail "bytes beyond ASCII"
expect 0 validate run --rules reference --format json
has out 'l\u00e4uft'
expect 0 validate run --rules reference
has out 'läuft'
