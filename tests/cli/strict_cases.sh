#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The strict verdict on every case of the acceptance folder, held against the table in strict_cases.py.
set -euo pipefail
exec /usr/bin/python3 "$SOURCE_DIR/tests/cli/strict_cases.py" "$RLVERIFY"
