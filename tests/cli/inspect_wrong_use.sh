#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A pattern that matches nothing, a pattern that is none and a format that isn't known are wrong use.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
file=$SOURCE_DIR/tests/data/pt/nested_p4.pt
expect 2 inspect "$file" --tensor nothing-like-it
has err "no tensor of"
empty out
expect 2 inspect "$file" --tensor '('
has err "no regular expression"
expect 2 inspect "$file" --format yaml
expect 2 inspect
