#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completion for bash: registered, and bash itself completes commands, options, values and files with it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
expect 0 generate bash-completion
cp out completion.bash
bash -n completion.bash || fail "syntax"
# completed WORD...: what bash offers for the last word.
completed() {
  env -i PATH="$PATH" bash --norc -c '
    . ./completion.bash
    complete -p rlverify > registered
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _rlverify rlverify "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@" > out 2> err || fail "completion of $*"
  empty err
}
completed rlverify ""
grep -qx "complete -o bashdefault -o default -F _rlverify rlverify" registered || fail "$(cat registered)"
for command in validate compare diff doctor check-seal --help --version; do
  grep -qx -- "$command" out || fail "no $command"
done
has_not out generate
completed rlverify che
[[ $(cat out) == check-seal ]] || fail "che"
completed rlverify validate --ru
[[ $(cat out) == --rules ]] || fail "--ru"
completed rlverify validate --rules ""
[[ $(sort out | xargs) == "reference strict" ]] || fail "values"
completed rlverify validate --rules = st
[[ $(cat out) == strict ]] || fail "value behind ="
completed rlverify explain RLV-33
grep -qx RLV-330 out || fail "codes"
completed rlverify schema man
[[ $(cat out) == manifest ]] || fail "schemas"
# Files: nothing of ours, so that bash completes them.
for words in "rlverify validate ex" "rlverify validate -o ex" "rlverify compare a ex"; do
  # shellcheck disable=SC2086
  completed $words
  [[ -z $(tr -d '\n' < out) ]] || fail "words where files belong: $words"
done
# Every option that help shows is offered.
expect 0 diff --help
grep -oE -- '--[a-z-]+' out | sort -u > options
completed rlverify diff -
while read -r option; do
  grep -qx -- "$option" out || fail "no $option for diff"
done < options
