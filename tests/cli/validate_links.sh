#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links on disk are followed; a dangling one in the place of an artifact is a fault of that artifact.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
copy_run "$passing" run
mv run/mismatch-sidecars elsewhere
ln -s ../elsewhere run/mismatch-sidecars
expect 0 validate run
rm elsewhere/rank00000.call00000000.pt
ln -s nowhere elsewhere/rank00000.call00000000.pt
expect 1 validate run --rules reference
has out "rank00000.call00000000.pt"
ln -sfn nowhere run/run.log
expect 3 validate run --rules reference
