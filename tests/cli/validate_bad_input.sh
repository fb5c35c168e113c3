#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inputs that aren't there or are something else: exit code 3, and what they are is said.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 3 validate nothing
has err "nothing: No such file or directory"
mkdir model rocm
touch model/model-00001-of-00001.safetensors
expect 3 validate model
has err "is a model directory, not a run: rlverify diff A B"
has err "(model-00001-of-00001.safetensors is there, manifest.json is not)"
touch rocm/launch.json
expect 3 validate rocm
has err "ROCm arm directory"
ln -s nowhere dangling
expect 3 validate dangling
echo '{"a": 1' > broken.json
expect 3 validate broken.json --schema=validation
has err "broken.json"
