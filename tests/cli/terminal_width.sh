#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Text fits the terminal: at 60, 80 and 120 columns no line of validate, compare, diff, explain or help is wider, and the words are the same.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
command -v script > /dev/null || skip "no script(1) to make a terminal"
command -v python3 > /dev/null || skip "no python3 to count columns"
# at COLUMNS ARGUMENT...: what the program writes on a terminal of that width, in the file screen.
at() {
  local columns=$1
  shift
  TERM=xterm script -qec "stty cols $columns; $(printf '%q ' "$RLVERIFY" "$@") --color never" /dev/null < /dev/null | tr -d '\r' > screen
}
ln -s "$failing" failing
ln -s "$passing" passing
for columns in 60 80 120; do
  for arguments in "validate failing" "validate passing" "compare passing failing" "diff failing/mismatch-sidecars --per-position" "explain RLV-330" "compare --help"; do
    # shellcheck disable=SC2086
    at $columns $arguments
    [[ -s screen ]] || fail "nothing written by $arguments"
    python3 - $columns <<'PYTHON' || fail "$arguments is wider than $columns columns"
import sys
lines = [line for line in open("screen", encoding="utf-8").read().splitlines() if not line.startswith("  rlverify ")]
wide = [line for line in lines if len(line) > int(sys.argv[1])]
print(*wide, sep="\n", file=sys.stderr)
sys.exit(bool(wide))
PYTHON
  done
done
