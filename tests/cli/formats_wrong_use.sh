#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What can't be rendered is told before anything is judged, and nothing is written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 2 validate "$passing" --format xml
expect 2 validate "$passing" --output htlm=a.html
has err 'no format is called htlm'
has err 'html'
expect 2 validate "$passing" --output a.html
expect 2 validate "$passing" --output html=
expect 2 validate "$passing" --output html=-
has err '--format html'
expect 2 validate "$passing" --output html=a --output junit=a
has err 'two renderings go to a'
expect 2 validate "$passing" --output html=a --output junit=./a
# A pipe that nobody reads is not waited for.
mkfifo pipe
expect 5 validate "$passing" --output html=pipe
GITHUB_STEP_SUMMARY=pipe expect 5 validate "$passing" --format github
rm pipe
# One value each: the run after it is the run.
expect 0 validate --output junit=a.xml "$passing"
rm a.xml
expect 0 validate "$passing" -o document.json
expect 2 validate document.json --schema --format junit
expect 2 validate document.json --schema --output html=a
expect 0 validate document.json --schema --output json=a
expect 5 validate "$passing" --output html=missing/a.html
[[ ! -e missing ]] || fail "made a folder"
expect 5 validate "$passing" --seal --output html=missing/a.html
[[ ! -e $passing/COMPLETE ]] || fail "sealed although a rendering wasn't written"
