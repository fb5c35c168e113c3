#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --color wins over the environment, on every command that prints text.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
escape=$'\x1b['
for command in "validate $failing" "compare $passing $failing" "diff $failing/mismatch-sidecars"; do
  # shellcheck disable=SC2086
  expect 1 $command --color always
  has out "$escape"
  # shellcheck disable=SC2086
  NO_COLOR=1 expect 1 $command --color always
  has out "$escape"
  # shellcheck disable=SC2086
  FORCE_COLOR=1 expect 1 $command --color never
  has_not out "$escape"
  # shellcheck disable=SC2086
  expect 1 $command --color auto
  has_not out "$escape"
  # shellcheck disable=SC2086
  FORCE_COLOR=1 expect 1 $command --color auto
  has out "$escape"
done
expect 1 validate "$failing" --color always --format json
has_not out "$escape"
