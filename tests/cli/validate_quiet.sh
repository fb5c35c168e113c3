#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -q leaves stdout empty; the exit code tells.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 validate "$passing" -q
empty out
empty err
expect 1 validate "$failing" --quiet --format json
empty out
empty err
