#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# diff of the two sides inside sidecars: one file, a folder, positions, the document.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 diff "$passing/mismatch-sidecars"
has out "EQUAL  4 samples, 48 log-probs (16 files,"
expect 1 diff "$failing/mismatch-sidecars" --per-position -o findings.json
has out "DIFFERENT  1 of 4 samples, 1 of 48 log-probs (16 files,"
has out "first      call 1, dp 0, sample 0, position"
has out "|"
expect 0 validate --schema findings.json
has findings.json '"RLV-410"'
expect 1 diff "$failing/mismatch-sidecars/rank00004.call00000001.pt"
has out "DIFFERENT  1 of 2 samples, 1 of"
expect 0 diff "$failing/mismatch-sidecars" --atol 0.01
has out "WITHIN TOLERANCE  1 of 4 samples differ, 1 of 48 log-probs"
expect 2 diff "$failing/mismatch-sidecars" --tensor x
has err "--tensor chooses among the tensors of two models"
# One bad file among others is a finding.
cp -r "$passing/mismatch-sidecars" bad && chmod -R u+w bad && echo nothing > bad/rank00009.call00000000.pt
expect 1 diff bad
has out "INCOMPLETE"
has out "RLV-411"
# The folder above the sidecars of a run without a manifest, and a folder without any.
mkdir -p bare && cp -r "$passing/mismatch-sidecars" bare/
expect 3 diff bare
has err "bare: expected sidecars (*.pt), found none; did you mean bare/mismatch-sidecars?"
mkdir none
expect 3 diff none
has err "none: expected sidecars (*.pt), found none"
has_not err "did you mean"

# Two sidecars are compared as any two files.
expect 0 diff "$passing/mismatch-sidecars/rank00000.call00000000.pt" "$passing/mismatch-sidecars/rank00001.call00000000.pt"
