#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Device code of the native kernels: PTX by nvcc, and SASS of the objects where there is a cuobjdump.
# usage: check_device_code.sh NVCC CUOBJDUMP SOURCE_DIR OBJECT...
set -euo pipefail
nvcc=$1 cuobjdump=$2 sources=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nvcc" -std=c++20 -O3 -fmad=false -arch=compute_90 -ptx -I"$sources/include" -I"$sources/src" "$sources/src/cuda/cuda_native.cu" -o "$work/native.ptx"
python3 "$sources/tests/check_device_code.py" ptx "$work/native.ptx"
if [[ ! -x $cuobjdump ]]; then
  echo "no cuobjdump here: the SASS was not looked at"
  exit 0
fi
looked_at=0
for object in "$@"; do
  [[ $object == *cuda_native* ]] || continue
  PATH=$(dirname "$cuobjdump"):$PATH "$cuobjdump" -sass "$object" >"$work/native.sass"
  python3 "$sources/tests/check_device_code.py" sass "$work/native.sass"
  looked_at=1
done
[[ $looked_at -eq 1 ]] || { echo "no object of cuda_native.cu among: $*"; exit 1; }
