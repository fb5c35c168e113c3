# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What every test of the real binary starts with (source it): a scratch folder that is the working directory and goes away, and a few checks.
# RLVERIFY is the binary, SOURCE_DIR the source tree; both are set by ctest. A test that can't run here ends with code 77.
set -uo pipefail
: "${RLVERIFY:?the binary to test}" "${SOURCE_DIR:?the source tree}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passing=$SOURCE_DIR/examples/runs/passing
failing=$SOURCE_DIR/examples/runs/failing
unset NO_COLOR FORCE_COLOR
export LC_ALL=C.UTF-8

fail() {
  echo "FAILED: $*" >&2
  for file in out err; do
    if [[ -s $file ]]; then
      echo "-- $file:" >&2
      head -n 30 "$file" >&2
    fi
  done
  exit 1
}
skip() {
  echo "SKIPPED: $*"
  exit 77
}
# expect CODE ARGUMENT...: runs the program, its output in `out` and `err`, and checks its exit code.
expect() {
  local expected=$1 code=0
  shift
  "$RLVERIFY" "$@" >out 2>err </dev/null || code=$?
  [[ $code -eq $expected ]] || fail "exit code $code instead of $expected: rlverify $*"
}
has() { grep -qF -- "$2" "$1" || fail "no \"$2\" in $1"; }
has_not() { ! grep -qF -- "$2" "$1" || fail "\"$2\" in $1"; }
empty() { [[ ! -s $1 ]] || fail "$1 is not empty"; }
# copy_run FROM NAME: a run that may be changed.
copy_run() {
  cp -r "$1" "$2"
  chmod -R u+w "$2"
}
