#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run that passes: exit code 0, a first line that says so, nothing on stderr, under both rule sets.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
for rules in strict reference; do
  expect 0 validate "$passing" --rules $rules
  [[ $(head -n 1 out) == "PASSED example-passing ($rules rules)" ]] || fail "another first line"
  empty err
done
expect 0 validate "$passing"
has out "(strict rules)"
