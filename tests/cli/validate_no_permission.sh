#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Folders and files that may not be read or written: said, with the right exit code.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[[ $(id -u) -eq 0 ]] || skip "becoming another user needs root"
command -v setpriv > /dev/null || skip "no setpriv"
chmod 755 "$scratch"
copy_run "$passing" run
cp "$RLVERIFY" rlverify
cat > as_nobody <<'SCRIPT'
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
SCRIPT
chmod 755 as_nobody rlverify
./as_nobody ./rlverify --version > /dev/null 2>&1 || skip "another user can't run the program here"
as_nobody() {
  local expected=$1 code=0
  shift
  ./as_nobody ./rlverify "$@" >out 2>err || code=$?
  [[ $code -eq $expected ]] || fail "exit code $code instead of $expected: $*"
}
as_nobody 0 validate run
as_nobody 5 validate run -q -o run/report.json
as_nobody 5 validate run -q --seal
chmod 600 run/readbacks/megatron-training-41000.json
as_nobody 3 validate run --rules reference
has out "megatron-training-41000.json"
chmod 700 run
as_nobody 3 validate run
has err "run"
