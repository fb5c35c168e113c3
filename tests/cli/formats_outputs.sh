#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --format chooses what stdout shows, --output writes further renderings; the same input gives the same bytes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_STEP_SUMMARY
expect 1 validate "$failing" --output junit=a.xml --output html=a.html --output markdown=a.md --output github=a.txt --output json=a.json --output text=a.text
[[ $(head -n 1 out) == FAILED* ]] || fail "stdout doesn't show the text"
expect 1 validate "$failing" -o document.json
cmp -s document.json a.json || fail "--output json is not the document of -o"
for format in junit:a.xml html:a.html markdown:a.md github:a.txt json:a.json text:a.text; do
  expect 1 validate "$failing" --format "${format%%:*}"
  cmp -s out "${format#*:}" || fail "--format ${format%%:*} and --output differ"
done
has a.xml '<testcase classname="rlverify.validate.example-failing" name="log-probs">'
has a.xml '<failure type="failed" message="RLV-162: '
has a.md '**First divergence**: RLV-162'
has a.txt "::error file=$failing/mismatch-sidecars/rank00004.call00000001.pt,title=RLV-162"
has a.html '<h2>First divergence</h2>'
expect 1 compare "$passing" "$failing" --format junit --output html=b.html
has out '<testcase classname="rlverify.compare.example-failing" name="log-probs">'
has b.html '<figcaption>Gradient norms</figcaption>'
has b.html '<figcaption>Candidates and checks</figcaption>'
expect 0 compare "$passing" again="$passing" --format markdown
has out '### ✅ rlverify compare: PASSED'
expect 1 diff "$failing/mismatch-sidecars" --format markdown --output html=d.html --output junit=d.xml
has out '| train against rollout | ❌ different |'
has d.xml 'message="RLV-410: '
has d.html 'Mismatches per sample'
expect 0 validate "$passing" -q --output junit=c.xml
empty out
has c.xml 'failures="0"'
expect 0 validate "$passing" -o - --format junit
has_not out '<testsuites'
[[ -z $(find . -name '*.tmp*' -o -name '.*.??????') ]] || fail "left behind: $(ls -a)"
