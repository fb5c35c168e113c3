#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare: a difference is exit code 1 with the first divergence; what follows from it says so.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" other
sed -i "s/'train\/grad_norm': [0-9.e-]*/'train\/grad_norm': 0.75/" other/run.log
expect 1 compare "$passing" other=other --findings findings.json
has out "FAILED 1 candidate against"
has out "other: first divergence: step 0, norms: gradient norms differ at step 0"
has out "because of the first RLV-340"
expect 0 validate --schema findings.json
expect 1 compare "$passing" same="$passing" other=other
has out "same: everything compared is bit-identical"
# Without tokens a required section has no evidence.
copy_run "$passing" bare
rm -r bare/train-data
expect 1 compare "$passing" bare=bare -o doc.json
has doc.json '"tokens_equal": null'
expect 0 validate --schema doc.json
