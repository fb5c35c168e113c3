#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# schema lists names and titles, prints one byte for byte, and answers an unknown name with the nearest.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 schema
has out "weight_audit      Weight audit"
[[ $(wc -l <out) -eq $(find "$SOURCE_DIR/schemas" -name '*.schema.json' | wc -l) ]] || fail "not one line for each schema"
sort -c out || fail "the list is not sorted"
for file in "$SOURCE_DIR"/schemas/*.schema.json; do
  name=$(basename "$file" .schema.json)
  expect 0 schema "$name"
  cmp -s out "$file" || fail "schema $name is not the file"
done
expect 2 schema manfest
has err 'there is no schema "manfest"; did you mean "manifest"?'
empty out
expect 2 schema manifest readback
