#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every error of the command line is exit code 2, with the reason on stderr and nothing on stdout.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
wrong() {
  expect 2 "$@"
  empty out
  [[ -s err ]] || fail "no reason given: rlverify $*"
}
wrong
wrong nonsense
wrong validate
wrong validate "$passing" --rules lax
wrong validate "$passing" --nonsense
wrong validate "$passing" "$failing"
wrong validate "$passing" --format yaml
wrong validate "$passing" --schema=validatoin
wrong validate "$passing/manifest.json"
wrong validate "$passing/train-data/0.rank0.pt" --schema
wrong validate "$passing/manifest.json" --schema --seal
