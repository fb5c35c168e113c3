#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A model file that is cut off while it is compared: an error that names the place, not a crash by the mapped page that is gone.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" candidate
# Two sparse files of 4 GiB of zeros: long enough to read, no room on the disk.
python3 - <<'PYTHON' || skip "no python3, or a file system without sparse files of 4 GiB"
import json, os, struct
size = 1 << 32
header = json.dumps({"model.weight": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}}).encode()
header += b" " * (-len(header) % 8)
for side in "ab":
    os.mkdir("weights_" + side)
    with open(f"weights_{side}/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)
PYTHON
"$RLVERIFY" compare "reference=$passing" candidate=candidate --weights "reference=weights_a" --weights "candidate=weights_b" >out 2>err </dev/null &
program=$!
# Cut once the program has the file open.
until ls -l "/proc/$program/fd" 2>/dev/null | grep -qF weights_b/model.safetensors; do
  kill -0 "$program" 2>/dev/null || fail "the program ended before the file was cut"
done
truncate -s 64M weights_b/model.safetensors
code=0
wait "$program" || code=$?
[[ $code -eq 1 ]] || fail "exit code $code instead of 1"
has out "error RLV-220"
has out "weights_b/model.safetensors, byte "
has out "it shrank while it was read"
