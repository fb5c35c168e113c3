# SPDX-License-Identifier: Apache-2.0
"""Reads the device code of the native kernels: every element of a loop's body costs one ex2 and no more, 16-byte loads
are used, and nothing but a merge touches local memory.

usage: check_device_code.py ptx|sass FILE      (FILE: output of nvcc -ptx or cuobjdump -sass)
"""
import re
import sys

# Per partial-sum kernel: elements in the bodies of its loops, plus the exponentials that chain tiles.
EXPECTED = {
    "RlKernelWs2": 4 + 8 + 8,  # three trees
    "RlKernelStrictTp": 1,
    "RlKernelStrictTopP": 1,
    "RlKernelStrictSingle": 1 + 2,
    "RlKernelSparseNucleus": 0,  # an exponential of its own
    "VllmGather": 1 + 1 + 4 + 1,  # narrow rows; head, body and tail of wide ones
    "VllmBatchInvariant": 4,
    "MegatronCe": 1 + 4 + 1 + 4,  # head, body, tail; rows too narrow for vectors
    "VimeDefault": 1 + 4 + 1 + 4,
    "MegatronCeFused": 4,
    "VerlFusedOfILb0": 2 + 1,
    "VerlFusedOfILb1": 2 + 1 + 1,
}
WORDS = {
    "ptx": (r"\.entry\s+(\w+)", r"\bex2\.approx", r"\bld\.global\.nc\.v4", r"\b(?:ld|st)\.local"),
    "sass": (r"Function : (\w+)", r"\bMUFU\.EX2", r"\bLDG\.E\.128", r"\b(?:LDL|STL)\b"),
}


def counts(kind, path):
    entry, *words = (re.compile(word) for word in WORDS[kind])
    found = {}
    name = None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = entry.search(line)
            if match:
                name = match.group(1)
                found.setdefault(name, []).append([0, 0, 0])
            elif name:
                for i, word in enumerate(words):
                    found[name][-1][i] += len(word.findall(line))
    return found


def main():
    kind, path = sys.argv[1], sys.argv[2]
    seen = set()
    faults = []
    for function, copies in counts(kind, path).items():
        match = re.search(r"14partial_kernelINS0_\d+(\w+?)(?:E?NS0_9NativeOps|ENS0_9NativeOps)", function)
        if not match:
            continue
        name = re.sub(r"E+$", "", match.group(1))
        for ex2, wide_loads, local in copies:
            seen.add(name)
            print(f"{kind} {name}: {ex2} ex2, {wide_loads} loads of 16 bytes, {local} of local memory")
            if name not in EXPECTED or ex2 != EXPECTED[name]:
                faults.append(f"{name}: {ex2} ex2, expected {EXPECTED.get(name)}")
            if wide_loads == 0:
                faults.append(f"{name}: no load of 16 bytes")
            if local != 0:
                faults.append(f"{name}: local memory, so registers were spilled or an array is indexed at run time")
    missing = set(EXPECTED) - seen
    if missing:
        faults.append(f"not in {path}: {', '.join(sorted(missing))}")
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
