#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The acceptance folder's own check of `validate`, where that folder and torch for Python are at hand.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
shared=${RLVERIFY_SHARED:-$SOURCE_DIR/../shared}
[[ -f $shared/tools/accept.py ]] || skip "no acceptance folder (RLVERIFY_SHARED)"
/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no torch for /usr/bin/python3"
/usr/bin/python3 "$shared/tools/accept.py" "$RLVERIFY" > out 2> err || fail "accept.py: $(tail -n 1 out)"
tail -n 1 out
