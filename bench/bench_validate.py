#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `rlverify validate` on a run of 200 steps against the Python way (torch.load and compare) and against reading the same bytes.

  bench/bench_validate.py [BINARY] [--pairs 5] [--rounds 200] [--run RUN_DIR]

The two programs and the plain reading take turns in one loop, so that a busy machine slows all of them; each ratio is the median over the
pairs. The targets are 20 times faster than Python and less than 100 MB. Needs the acceptance folder (RLVERIFY_SHARED or ../shared: it
writes the run and holds the Python program) and torch for /usr/bin/python3; without them the exit code is 77.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"


class Timing:
    """Wall-clock and CPU seconds and peak resident memory (bytes) of one program."""

    def __init__(self, command, expected):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        self.wall, self.cpu, self.peak_bytes = time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        if os.waitstatus_to_exitcode(status) != expected:
            raise SystemExit(f"{' '.join(map(str, command))} ended with {os.waitstatus_to_exitcode(status)}")


def read_everything(run):
    """(wall-clock seconds, CPU seconds, bytes): every file opened, read whole and closed."""
    before, start, count = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter(), 0
    for folder, _, names in os.walk(run):
        for name in names:
            descriptor = os.open(os.path.join(folder, name), os.O_RDONLY)
            count += len(os.read(descriptor, os.fstat(descriptor).st_size))
            os.close(descriptor)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, count


def measure(binary, baseline, run, pairs):
    for rules in ("reference", "strict"):  # a warm-up, and proof that the run passes
        Timing([binary, "validate", run, "-q", "--rules", rules], 0)
    rows = []
    for pair in range(pairs):
        ours = Timing([binary, "validate", run, "-q", "--rules", "reference"], 0)
        strict = Timing([binary, "validate", run, "-q"], 0)
        python = Timing([PYTHON, baseline, run], 0)
        wall, cpu, count = read_everything(run)
        rows.append((ours, strict, python, wall, cpu, count))
        print(f"pair {pair + 1}: reference {ours.wall:.3f} s, strict {strict.wall:.3f} s, Python {python.wall:.2f} s, reading {wall:.3f} s", flush=True)
    return rows


def report(rows):
    def median(value):
        return statistics.median(value(*row) for row in rows)

    print(f"bytes read: {rows[0][5] / 1e6:.1f} MB")
    for name, pick in (("reference", lambda row: row[0]), ("strict", lambda row: row[1])):
        wall = statistics.median(row[2].wall / pick(row).wall for row in rows)
        cpu = statistics.median(row[2].cpu / pick(row).cpu for row in rows)
        reading = statistics.median(pick(row).wall / row[3] for row in rows)
        reading_cpu = statistics.median(pick(row).cpu / row[4] for row in rows)
        peak = max(pick(row).peak_bytes for row in rows)
        print(f"{name}: {wall:.1f} times faster than Python (CPU time: {cpu:.1f} times less), {reading:.2f} of the time of reading the same bytes "
              f"(CPU: {reading_cpu:.2f}), peak memory {peak / 1e6:.0f} MB")
    return median(lambda ours, strict, python, wall, cpu, count: python.wall / ours.wall) >= 20 and max(row[0].peak_bytes for row in rows) < 100e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", type=Path, default=ROOT / "build/release/bin/rlverify")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--run", type=Path, help="an existing run of make_run.py")
    options = parser.parse_args()
    tools = Path(os.environ.get("RLVERIFY_SHARED", ROOT.parent / "shared")) / "tools"
    if not (tools / "baseline_validate.py").is_file() or subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("bench_validate: needs the acceptance folder and torch for Python", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run = options.run or Path(folder) / "run"
        if not options.run:
            subprocess.run([PYTHON, tools / "make_run.py", "--out", run, "--rounds", str(options.rounds)], check=True, stdout=subprocess.DEVNULL)
        reached = report(measure(options.binary.resolve(), tools / "baseline_validate.py", run, options.pairs))
    print("target reached" if reached else "target missed: 20 times faster than Python and below 100 MB")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
