#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is missing, no tensor file, damaged or of another byte order ends with 3 and names the file and the reason.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 3 inspect missing.pt
has err "missing.pt"
printf abc >broken.pt
expect 3 inspect broken.pt
has err "expected a file of torch.save"
expect 3 inspect "$SOURCE_DIR/tests/data/pt/big_endian.pt"
has err 'expected byte order "little", found "big"'
head -c 1000 "$SOURCE_DIR/tests/data/pt/nested_p2.pt" >cut.pt
expect 3 inspect cut.pt
has err "the file is cut off"
empty out
