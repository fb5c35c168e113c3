#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --help of every command: on stdout, exit code 0, an example, within the width, and every option of the parser in it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 2
empty out
for command in validate compare diff replay seal; do
  [[ $command == replay ]] && ! "$RLVERIFY" replay --help > help 2>&1 && continue
  grep -qE "^ +[$] rlverify $command " err || fail "no example of $command"
done
for command in check-seal doctor explain inspect report; do
  grep -qE "^  also: .*$command|^             .*$command" err || fail "$command is not named"
done
expect 0 --help
empty err
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z-]\+\) .*/\1/p' out)
((${#commands[@]} >= 9)) || fail "commands: ${commands[*]}"
for command in "${commands[@]}"; do
  expect 0 "$command" --help
  empty err
  has out "Usage: rlverify $command"
  grep -qE '^Examples?:$' out || fail "no example in the help of $command"
  grep -qE "^  rlverify $command" out || fail "the example of $command is of another command"
  has out "--verbose"
  [[ $command == prior-art ]] || has out "--color auto|always|never"
  (($(sed '/^  rlverify/d' out | wc -L) <= 80)) || fail "help of $command is wider than 80 columns"
  expect 0 "$command" -h
done
has_not out REQUIRED
for words in help "help help"; do
  # shellcheck disable=SC2086
  expect 0 $words
  has out "Usage: rlverify COMMAND"
done
expect 2 help hlep
expect 0 inspect --help
has out "Usage: rlverify inspect [OPTIONS] FILE"
expect 0 --version
