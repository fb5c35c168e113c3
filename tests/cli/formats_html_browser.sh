#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The pages in headless Chromium, at 390 and 1440 pixels, light and dark: they render from disk, nothing is wider than
# the screen, nothing is written to the console, and a hostile name stays text.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium (Debian: chromium)"
copy_run "$failing" run
python3 - <<'PY'
import json
manifest = json.load(open("run/manifest.json"))
manifest["run_id"] = "</title><script>document.title='broken'</script>" + "wide" * 200
json.dump(manifest, open("run/manifest.json", "w"))
PY
expect 1 validate run --output html=validate.html
expect 1 compare "$passing" again="$passing" changed=run --output html=compare.html
python3 "$SOURCE_DIR/tests/cli/browser_check.py" "$browser" validate.html compare.html || fail "the pages don't hold in a browser"
