#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --schema on a run also checks the document that is about to be written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 validate "$passing" --schema
expect 1 validate "$failing" --schema
cat > own.json <<'SCHEMA'
{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"group": {"const": "native"}}}
SCHEMA
expect 1 validate "$passing" --schema=own.json
has err "/group"
