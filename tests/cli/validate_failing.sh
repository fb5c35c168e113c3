#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run that fails: exit code 1, and the place of the first differing element in decimal and in hex bits.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 1 validate "$failing"
[[ $(head -n 1 out) == "FAILED example-failing (strict rules)" ]] || fail "another first line"
has out "mismatch-sidecars/rank00004.call00000001.pt"
has out "0xbf403000"
has out "0xbf403001"
empty err
expect 1 validate "$failing" --rules reference --format json
has out '"bitwise_mismatch_count": 1,'
has out '"element_count": 48,'
