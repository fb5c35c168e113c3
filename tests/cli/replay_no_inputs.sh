#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Without inputs, or without log-probs of either side: 4. One side without: 1. A rank that is missing: 1, named.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
inputs=$SOURCE_DIR/tests/cli/logp_inputs.py
mkdir none
expect 4 replay none
has out "nothing could be compared"
python3 "$inputs" bare --drop train_log_probs,rollout_log_probs
expect 4 replay bare
has out "RLV-504"
python3 "$inputs" half --drop rollout_log_probs
expect 1 replay half
has out "no log-probs of the rollout side"
python3 "$inputs" sliced --ranks 2
expect 0 replay sliced
python3 "$inputs" missing --ranks 2 --write-ranks 1
expect 1 replay missing
has out "RLV-502"
has out "rank00001.call00000000.pt, one of 2 ranks"
python3 "$inputs" broken --drop targets
expect 1 replay broken
has out "targets: a list"
has out "no input could be used"
has_not out "no log-probs"
expect 3 replay broken/logp-inputs/rank00000.call00000000.pt
has err "targets"
