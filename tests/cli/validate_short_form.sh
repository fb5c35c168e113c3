#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run that can't be judged: the short document and exit code 3.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir run
expect 3 validate run --rules reference --format json
has out '"passed": false'
has out '"schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.validation.v1"'
has_not out cudagraph
copy_run "$passing" whole
rm whole/run.log
expect 3 validate whole --rules reference
has out "run.log"
