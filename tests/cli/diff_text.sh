#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The text of diff, byte for byte: piped, in a C locale, on terminals of 80 and 160 columns, with and without colour.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
data=$SOURCE_DIR/tests/data/diff
[[ -x /usr/bin/python3 ]] || skip "no python3"
/usr/bin/python3 "$SOURCE_DIR/tests/cli/diff_pair.py" . || fail "the models were not written"
same() { cmp -s "$1" "$data/$2" || { diff "$data/$2" "$1" | cat -v | head -n 20 >&2; fail "the text is not that of $2"; }; }
expect 1 diff a.safetensors b.safetensors --ignore bias
same out 80.txt
LC_ALL=C expect 1 diff a.safetensors b.safetensors --ignore bias
same out 80_c_locale.txt
FORCE_COLOR=1 expect 1 diff a.safetensors b.safetensors --ignore bias
same out 80_colour.txt
expect 1 diff "$failing/mismatch-sidecars" --per-position
same out sidecars_80.txt
command -v script > /dev/null || skip "no script(1) to make a terminal"
# on_terminal COLUMNS NAME=VALUE...: the text as it arrives on a terminal of that width.
on_terminal() {
  local columns=$1
  shift
  env "$@" script -qec "stty cols $columns; '$RLVERIFY' diff a.safetensors b.safetensors --ignore bias" /dev/null < /dev/null | tr -d '\r' > out
}
on_terminal 80 TERM=xterm
same out 80_colour.txt
on_terminal 80 TERM=xterm NO_COLOR=1
same out 80.txt
on_terminal 160 TERM=xterm NO_COLOR=1
same out 160.txt
