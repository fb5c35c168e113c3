#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What can't be read or written: an error with its reason, and nothing half-written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
ln -s nowhere run/dangling
expect 3 seal run
has err "run/dangling"
[[ ! -e run/rlverify-record.json ]] || fail "a record was written"
rm run/dangling
expect 0 compare "$passing" b=run
ln -sf nowhere run/run.log
expect 1 compare "$passing" b=run
has out "run.log"
rm run/run.log
cp "$passing/run.log" run/run.log
expect 5 seal run -o missing-folder/record.json
expect 5 report "$passing" b=run --validate b -o missing-folder/bundle.json
expect 5 compare "$passing" b=run -o missing-folder/doc.json
[[ $(id -u) -eq 0 ]] || skip "mounting a file system and becoming another user need root"
command -v setpriv > /dev/null || skip "no setpriv"
chmod 755 "$scratch"
chmod -R a+rX run
cp "$RLVERIFY" rlverify
chmod 755 rlverify
chmod 700 run/train-data
code=0
setpriv --reuid=65534 --regid=65534 --clear-groups ./rlverify seal run -o /dev/null > out 2> err || code=$?
[[ $code -eq 3 ]] || fail "exit code $code for a folder without permission"
has err "run/train-data"
code=0
setpriv --reuid=65534 --regid=65534 --clear-groups ./rlverify compare run b=run > out 2> err || code=$?
[[ $code -eq 1 ]] || fail "exit code $code for comparing without permission"
has out "train-data"
chmod 755 run/train-data
chmod 700 run
code=0
setpriv --reuid=65534 --regid=65534 --clear-groups ./rlverify compare run b=run > out 2> err || code=$?
[[ $code -eq 3 ]] || fail "exit code $code for a run without permission"
chmod 755 run
mkdir disk
mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null || skip "no tmpfs can be mounted here"
trap 'umount "$scratch/disk"; rm -rf "$scratch"' EXIT
dd if=/dev/zero of=disk/filler bs=4k count=1000 2>/dev/null
for job in "seal run" "compare run b=run" "report run b=run --validate b"; do
  # shellcheck disable=SC2086
  expect 5 $job -o disk/document.json
  [[ $(ls -A disk) == filler ]] || fail "left behind by $job: $(ls -A disk)"
done
