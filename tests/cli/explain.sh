#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# explain: codes in any spelling, several at once, and an unknown one among them.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 explain RLV-162
cp out one
expect 0 explain rlv-162
cmp -s one out || fail "lower case says something else"
expect 0 explain 162 RLV-330
[[ $(grep -c '^RLV-' out) -eq 2 ]] || fail "not two codes"
has out "RLV-330  Log-probs differ"
expect 2 explain 162 RLV-999
empty out
has err "RLV-999 is no finding code"
expect 0 explain
[[ $(wc -l < out) -gt 100 ]] || fail "not all codes are listed"
