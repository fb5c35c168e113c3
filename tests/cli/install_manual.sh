#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual page: no warning of the formatter, every command, option, exit code and example in it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 generate manual-page
cp out rlverify.1
command -v groff > /dev/null || skip "no groff to format a manual page"
groff -man -ww -Tascii -P-cbou rlverify.1 > page 2> warnings || fail "groff"
[[ ! -s warnings ]] || fail "$(cat warnings)"
expect 0 --help
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z-]\+\) .*/\1/p' out)
for command in "${commands[@]}"; do
  grep -qE "rlverify $command " page || fail "no $command"
  expect 0 "$command" --help
  grep -oE -- ' --[a-z-]+' out | sort -u | while read -r option; do
    grep -qF -- "$option" page || fail "no $option of $command"
  done || exit 1
done
for section in NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS "EXIT STATUS" ENVIRONMENT EXAMPLES; do
  grep -q "^$section$" page || fail "no section $section"
done
has page "130, 143"
