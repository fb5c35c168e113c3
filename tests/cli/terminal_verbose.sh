#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -v: files and times on stderr, the result unchanged; without it stderr is empty.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 1 validate "$failing"
empty err
cp out plain
expect 1 validate "$failing" -v
cmp -s out plain || fail "-v changes the result"
has err "opened $failing/manifest.json ("
grep -qE '^[0-9:.]+ sidecars: 16 in [0-9.]+ s$' err || fail "no time for the sidecars"
grep -qE '^[0-9:.]+ exit code 1 after [0-9.]+ s$' err || fail "no time in all"
expect 0 seal "$passing" -o record.json --verbose
grep -qE 'hashing: [0-9]+ kB in' err || fail "no bytes for hashing"
# Names of files reach the terminal without their control characters.
name=$(printf 'a\033[31mb.pt')
cp "$passing/mismatch-sidecars/rank00000.call00000000.pt" "$name"
expect 0 inspect "$name" -v
has_not err $'\x1b'
has err "opened a?[31mb.pt ("
