#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The JSON document follows its schema and is the same every time.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
for name in nested_p5 unsafe exploding_strides exploding_nesting contains_itself legacy; do
  code=0
  [[ $name == unsafe ]] && code=3
  expect "$code" inspect "$SOURCE_DIR/tests/data/pt/$name.pt" --format json --values
  cp out "$name.json"
  expect "$code" inspect "$SOURCE_DIR/tests/data/pt/$name.pt" --format json --values
  cmp -s out "$name.json" || fail "two runs, two documents of $name"
  expect 0 validate "$name.json" --schema
done
