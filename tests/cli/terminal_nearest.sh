#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mistyped commands, options, values and paths get the nearest match and exit code 2 (a path: 3); what is far from all gets none.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
wrong() {
  local message=$1
  shift
  expect 2 "$@"
  empty out
  has err "$message"
}
wrong 'rlverify has no command "vlaidate"; did you mean "validate"?' vlaidate x
wrong 'rlverify has no command "comp"; did you mean "compare"?' comp
wrong 'rlverify has no command "qqqqqqqq"' qqqqqqqq
has_not err "did you mean"
has err "Try: rlverify --help"
wrong 'rlverify has no option --versoin; did you mean "--version"?' --versoin
wrong 'rlverify has no option -q; those of a command come after its name' -q validate "$passing"
wrong 'rlverify validate has no option --ruels; did you mean "--rules"?' validate --ruels strict "$passing"
has err "Try: rlverify validate --help"
wrong 'rlverify compare has no option --fromat; did you mean "--format"?' compare a b --fromat=json
wrong '--rules takes strict or reference, not "strct"; did you mean "strict"?' validate --rules strct "$passing"
wrong '--format takes ' validate "--format=jsn" "$passing"
has err 'did you mean "json"?'
wrong '--color takes auto or always or never, not "alwys"; did you mean "always"?' diff a b --color alwys
wrong 'rlverify validate needs RUN_DIR|FILE' validate
wrong 'rlverify compare needs [NAME=]CANDIDATE' compare "$passing"
# A value that begins with a hyphen is no option.
wrong 'rlverify diff has no option --atool; did you mean "--atol" or "--rtol"?' diff a b --tensor -x --atool 1
# The word help.
expect 0 help
has out "Commands:"
expect 0 help compare
has out "Usage: rlverify compare"
wrong 'rlverify has no command "comparr"; did you mean "compare"?' help comparr
expect 2 "$(printf 'val\033[31m')"
has_not err $'\x1b'
cp -r "$passing" run-one
expect 3 validate run-onee
has err 'did you mean "run-one"?'
expect 3 compare run-one other=run-one/../rum-one/
has err 'did you mean "run-one/../run-one"'
expect 3 validate nothing-like-it
has_not err "did you mean"
# Only the path that the message is about, only by its name, and never the same path again.
mkdir -p a/very/long/folder/with/runs
cp -r "$passing" a/very/long/folder/with/runs/seventeen
expect 3 validate a/very/long/folder/with/runs/baseline
has_not err "did you mean"
touch results.jso
expect 3 compare run-one nothing-like-it -o results.json
has_not err "did you mean"
ln -s nowhere dangling
expect 3 validate dangling
has_not err "did you mean"
# What is quoted can't break the line.
touch a.safetensors b.safetensors
printf '[{"pattern": "a\\n\\u001b[31m[", "ulp": 1}]' > rules.json
expect 2 diff a.safetensors b.safetensors --tolerances rules.json
[[ $(wc -l < err) -eq 1 ]] || fail "the message has $(wc -l < err) lines"
has err 'a\x0a\x1b[31m['
