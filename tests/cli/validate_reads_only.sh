#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judging changes nothing in the run and takes no notice of an earlier report or of hidden and temporary files.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
echo junk > run/run-validation.json
echo junk > run/readbacks/vllm-rollout-1.json.tmp
echo junk > run/mismatch-sidecars/.rank00000.call00000002.pt.41000.tmp
find run -type f -exec sha256sum {} + | sort > before
expect 0 validate run --rules reference
find run -type f -exec sha256sum {} + | sort > after
cmp -s before after || fail "the run was changed"
