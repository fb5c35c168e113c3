#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A full disk is exit code 5 with the reason, and nothing is left behind.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[[ $(id -u) -eq 0 ]] || skip "mounting a small file system needs root"
mkdir disk
mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || skip "no tmpfs can be mounted here"
trap 'umount "$scratch/disk"; rm -rf "$scratch"' EXIT
dd if=/dev/zero of=disk/filler bs=4k count=100 2>/dev/null
expect 5 validate "$passing" -o disk/report.json
[[ -s err ]] || fail "no reason given"
[[ $(ls -A disk) == filler ]] || fail "left behind: $(ls -A disk)"
if [[ -c /dev/full ]]; then
  code=0
  "$RLVERIFY" validate "$passing" > /dev/full 2>err || code=$?
  [[ $code -eq 5 ]] || fail "exit code $code for a full stdout"
fi
