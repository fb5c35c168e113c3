#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same run gives the same bytes, and a trailing slash changes nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 1 validate "$failing" --format json
cp out first
expect 1 validate "$failing" --format json
cmp -s first out || fail "two runs, two documents"
expect 1 validate "$failing/" --format json
cmp -s first out || fail "the trailing slash shows"
