#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A .pt file one of whose storages rotted: damaged and named, never a difference; and a record of it is still a record.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python3 "$SOURCE_DIR/tests/cli/logp_inputs.py" inputs || fail "the file can't be written"
mv inputs/logp-inputs/rank00000.call00000000.pt good.pt
cp good.pt bad.pt
python3 - <<'PYTHON' || fail "the file can't be damaged"
import zipfile
entry = zipfile.ZipFile("bad.pt").getinfo("archive/data/1")
with open("bad.pt", "r+b") as file:
    file.seek(entry.header_offset + 30 + len(entry.filename) + 3)
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 1]))
PYTHON
expect 0 diff good.pt good.pt
expect 1 diff good.pt bad.pt
has out "INCOMPLETE"
has out "RLV-220"
has out '"archive/data/1" with CRC '
has out "the file is damaged"
has_not out "RLV-401"
copy_run "$passing" run
rm -r run/weight-audit
mkdir -p run/weight-updates/weight_v000001
cp bad.pt run/weight-updates/weight_v000001/model.pt
expect 1 seal run
has out "the file is damaged"
expect 0 validate --schema run/rlverify-record.json
# Equal bytes are equal, whatever became of them.
expect 0 compare run other=run
copy_run run whole
rm whole/rlverify-record.json
cp good.pt whole/weight-updates/weight_v000001/model.pt
expect 0 seal whole
expect 1 compare run whole=whole
has out "the file is damaged"
# What was whole when it was sealed, and rotted since.
cp bad.pt whole/weight-updates/weight_v000001/model.pt
expect 1 check-seal whole
has out "RLV-368"
# A damaged sidecar whose replicas are whole: the record fails where the run does.
copy_run "$passing" rotten
python3 - <<'PYTHON' || fail "the sidecar can't be damaged"
import zipfile
path = "rotten/mismatch-sidecars/rank00003.call00000001.pt"
entry = next(e for e in zipfile.ZipFile(path).infolist() if e.filename.endswith("data/2"))
with open(path, "r+b") as file:
    file.seek(entry.header_offset + 26)
    lengths = file.read(4)
    file.seek(entry.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"))
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 1]))
PYTHON
expect 1 compare "$passing" b=rotten
has out "RLV-335"
expect 1 seal rotten -o rotten.json
expect 0 validate --schema rotten.json
expect 1 compare "$passing" b=rotten.json
has out "RLV-335"
has out "rotten.json: mismatch-sidecars/rank00003.call00000001.pt"
expect 0 seal "$passing" -o whole.json
expect 0 compare "$passing" b=whole.json
has_not whole.json '"faults"'
