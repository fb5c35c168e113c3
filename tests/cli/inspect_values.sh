#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nested keys with their dtypes, shapes and storages; values only when asked for, and only of the tensors that are chosen.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
file=$SOURCE_DIR/tests/data/pt/nested_p4.pt
expect 0 inspect "$file"
has out "model.layers.0.weight"
has out "torch.float32 [2, 3], strides [3, 1], 24 bytes, storage 0 of 24 bytes (2 tensors)"
has out "list of 1200 items: 0, 1, 2, 3, 4, 5, 6, 7, ..."
has_not out "[0.0, 1.0"
expect 0 inspect "$file" --tensor 'transposed$' --values
has out "[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]"
has_not out "layers.0.weight"
empty err
