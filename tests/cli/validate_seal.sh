#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --seal creates COMPLETE once, for a run that passes; an existing seal is refused before anything is written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
expect 0 validate run --seal -o report.json
[[ -f run/COMPLETE && ! -s run/COMPLETE ]] || fail "no empty COMPLETE"
rm report.json
expect 2 validate run --seal -o report.json
has err "sealed already"
[[ ! -e report.json ]] || fail "the report was written"
empty out
expect 0 validate run
ln -sf nowhere run/COMPLETE
expect 2 validate run --seal
copy_run "$failing" bad
expect 1 validate bad --seal
[[ ! -e bad/COMPLETE ]] || fail "a failing run was sealed"
