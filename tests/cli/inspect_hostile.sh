#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Views, nesting and cycles that unfold without end are told at once.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
pt=$SOURCE_DIR/tests/data/pt
expect 0 inspect "$pt/exploding_strides.pt"
has out "[1000000, 1000000]"
has out "never walked"
expect 0 inspect "$pt/exploding_strides.pt" --values
has out "... 999,999,999,000 more"
expect 0 inspect "$pt/exploding_nesting.pt"
has out "unfolded it would be 1.15e+18 values"
expect 0 inspect "$pt/contains_itself.pt"
has out "contains itself"
