#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A reader of JUnit files that isn't ours (junitparser) finds the same tests, failures and skips; hostile names survive.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import junitparser' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] || skip "no junitparser (Debian: python3-junitparser)"
copy_run "$failing" run
python3 - <<'PY'
import json
manifest = json.load(open("run/manifest.json"))
manifest["run_id"] = "a\x1b[31m<b> & \"c\" ]]> \u2028 \ufffe 'd'"
json.dump(manifest, open("run/manifest.json", "w"))
PY
expect 1 validate run --output junit=validate.xml
expect 1 compare "$passing" again="$passing" changed=run --output junit=compare.xml
"$python" - <<'PY' || fail "junitparser reads something else"
import junitparser

def read(path):
    xml = junitparser.JUnitXml.fromfile(path)
    cases = [case for suite in xml for case in suite]
    def outcomes(case):
        result = case.result
        return result if isinstance(result, list) else [result] if result else []
    failed = [case for case in cases if any(isinstance(one, junitparser.Failure) for one in outcomes(case))]
    skipped = [case for case in cases if any(isinstance(one, junitparser.Skipped) for one in outcomes(case))]
    assert (xml.tests, xml.failures, xml.skipped) == (len(cases), len(failed), len(skipped)), path
    return {case.name: outcomes(case) for case in failed}, len(cases), [suite.name for suite in xml]

failed, cases, suites = read("validate.xml")
assert cases == 9 and sorted(failed) == ["log-probs", "step records"], (cases, failed)
assert failed["log-probs"][0].message.startswith("RLV-162: run/mismatch-sidecars/rank00004.call00000001.pt, rank 4"), failed["log-probs"][0].message
assert suites == ["a\\x1b[31m<b> & \"c\" ]]> \\u2028 \\ufffe 'd'"], suites
failed, cases, suites = read("compare.xml")
assert cases == 12 and sorted(failed) == ["log-probs"] and suites == ["again", "changed"], (cases, failed, suites)
PY
