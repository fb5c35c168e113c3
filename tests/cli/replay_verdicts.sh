#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Exit 0 when both sides follow one contract, 1 when they part; the text says backend, device, exactness, both sides and the first place.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
inputs=$SOURCE_DIR/tests/cli/logp_inputs.py
python3 "$inputs" same && python3 "$inputs" parts --rollout-columns 4 && python3 "$inputs" far --rollout-columns 40 || fail "the inputs can't be written"
expect 0 replay same
has out "PASSED both sides follow the same contract, temperature and vocabulary"
has out "on cpu ("
has out "vllm_gather"
empty err
expect 0 replay same/logp-inputs/rank00000.call00000000.pt
expect 1 replay parts
has out "FAILED the sides part"
has out "real vocabulary (3 columns)"
has out "padded vocabulary (4 columns)"
has out "RLV-510"
has out "RLV-514"
has out "position 0"
has out "-1.3862944 (0xbfb17218)"
expect 1 replay far
has out "FAILED the rollout side follows no contract"
has out "RLV-511"
has out "-3.6888795"
expect 1 replay parts -q
empty out
