#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 312 differences give ten annotations; the table is appended to the step summary.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_STEP_SUMMARY
for side in a b; do
  copy_run "$passing" "$side"
  python3 - "$side" <<'PY'
import re, sys
side = sys.argv[1]
path = f"{side}/run.log"
lines = open(path).read().splitlines()
template = next(line for line in lines if "'train/grad_norm'" in line)
kept = [line for line in lines if "'train/grad_norm'" not in line]
for step in range(312):
    line = re.sub(r"step \d+:", f"step {step}:", template)
    line = re.sub(r"'train/step': \d+", f"'train/step': {step}", line)
    kept.append(re.sub(r"'train/grad_norm': [^,}]+", f"'train/grad_norm': {0.5 + step * 1e-3 + (1e-9 if side == 'b' else 0)!r}", line))
open(path, "w").write("\n".join(kept) + "\n")
PY
done
expect 1 compare a b=b --findings findings.json
differences=$(grep -c '"code": "RLV-340"' findings.json)
[[ $differences -eq 312 ]] || fail "$differences findings about norms instead of 312"
expect 1 compare a b=b --format github
[[ $(grep -c '^::' out) -eq 10 ]] || fail "$(grep -c '^::' out) annotations"
[[ $(wc -l <out) -eq 11 ]] || fail "more than the verdict and ten annotations"
tail -n 1 out | grep -q '::30[0-9] more: .*in gradient norms' || fail "the last doesn't say how many more and where"
echo "before" >summary.md
GITHUB_STEP_SUMMARY=summary.md expect 1 compare a b=b --format github --output github=file.txt
[[ $(head -n 1 summary.md) == before ]] || fail "the summary was replaced"
[[ $(grep -c 'rlverify compare: FAILED' summary.md) -eq 1 ]] || fail "not appended once"
has summary.md '| norms | ❌ differ |'
GITHUB_STEP_SUMMARY=summary2.md expect 1 compare a b=b --format junit
[[ ! -e summary2.md ]] || fail "another format wrote a summary"
GITHUB_STEP_SUMMARY=missing/summary.md expect 5 compare a b=b --format github
has err 'GITHUB_STEP_SUMMARY'
