#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cmake --install: program, manual page, completion, schemas, documentation and licence, all of it usable from where it was put.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
build=${RLVERIFY%/bin/rlverify}
[[ -e $build/cmake_install.cmake && -e $build/generated/rlverify.1 ]] || skip "not a whole build folder: $build"
command -v cmake > /dev/null || skip "no cmake"
cmake --install "$build" --prefix "$scratch/prefix" --component program > out 2> err || fail "cmake --install"
for file in bin/rlverify share/man/man1/rlverify.1 share/bash-completion/completions/rlverify share/doc/rlverify/copyright share/doc/rlverify/README.md \
  share/doc/rlverify/docs/quick-start.md; do
  [[ -s prefix/$file ]] || fail "$file is missing"
done
[[ $(find prefix/share/rlverify/schemas -name '*.schema.json' | wc -l) -eq $(find "$SOURCE_DIR/schemas" -maxdepth 1 -name '*.schema.json' | wc -l) ]] || fail "schemas are missing"
[[ -z $(find prefix -name '__pycache__' -o -name '*.pyc') ]] || fail "what Python left behind is installed"
[[ -z $(find prefix -name 'test_*' -o -name 'logp_check' -o -name 'bench_*') ]] || fail "more than the program is installed"
RLVERIFY=$scratch/prefix/bin/rlverify
expect 1 compare prefix/share/doc/rlverify/examples/runs/passing prefix/share/doc/rlverify/examples/runs/failing
has out "first divergence"
grep -q "_rlverify" prefix/share/bash-completion/completions/rlverify || fail "the completion is something else"
grep -q '^\.TH RLVERIFY 1' prefix/share/man/man1/rlverify.1 || fail "the manual page is something else"
