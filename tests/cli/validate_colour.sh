#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Colour only on a terminal; FORCE_COLOR wins; NO_COLOR and a dumb terminal switch it off.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
escape=$'\x1b['
expect 1 validate "$failing"
has_not out "$escape"
FORCE_COLOR=1 expect 1 validate "$failing"
has out "$escape"
FORCE_COLOR=0 expect 1 validate "$failing"
has_not out "$escape"
FORCE_COLOR=1 NO_COLOR=1 expect 1 validate "$failing"
has out "$escape"
FORCE_COLOR=1 expect 1 validate "$failing" --format json
has_not out "$escape"
command -v script > /dev/null || skip "no script(1) to make a terminal"
on_terminal() { env "$@" script -qec "'$RLVERIFY' validate '$failing'" /dev/null > out < /dev/null; }
on_terminal TERM=xterm
has out "$escape"
on_terminal TERM=dumb
has_not out "$escape"
on_terminal TERM=xterm NO_COLOR=1
has_not out "$escape"
