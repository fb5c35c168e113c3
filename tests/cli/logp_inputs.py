#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a run with kernel inputs whose log-probs are known without computing: all logits are 0, so a log-prob is minus the log of the number of columns.

  logp_inputs.py RUN_DIR [--rollout-columns N] [--drop FIELD] [--ranks N]     4 columns, 3 of them real; train counts 3

Needs nothing but Python."""
import argparse
import io
import math
import pickle
import struct
import sys
import types
import zipfile
from pathlib import Path

REAL, PADDED, ROWS = 3, 4, 5


def stand_in(module, name):
    parent = sys.modules.setdefault(module, types.ModuleType(module))
    value = types.FunctionType((lambda *args: None).__code__, {"__name__": module}, name)
    value.__qualname__, value.__module__ = name, module
    setattr(parent, name, value)
    return value


REBUILD = stand_in("torch._utils", "_rebuild_tensor_v2")
STORAGES = {"f": stand_in("torch", "FloatStorage"), "q": stand_in("torch", "LongStorage")}


class Storage:
    def __init__(self, kind, values):
        self.kind, self.count, self.data = kind, len(values), struct.pack(f"<{len(values)}{kind}", *values)


class Tensor:
    def __init__(self, kind, values, shape):
        self.storage, self.shape = Storage(kind, values), shape

    def __reduce__(self):
        strides = [math.prod(self.shape[i + 1:]) for i in range(len(self.shape))]
        return REBUILD, (self.storage, 0, tuple(self.shape), tuple(strides), False, {})


class Pickler(pickle.Pickler):
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.storages = []

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        self.storages.append(value)
        return "storage", STORAGES[value.kind], str(len(self.storages) - 1), "cpu", value.count


def save(payload, path):
    file = io.BytesIO()
    pickler = Pickler(file)
    pickler.dump(payload)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", file.getvalue())
        for index, storage in enumerate(pickler.storages):
            archive.writestr(f"archive/data/{index}", storage.data)
        archive.writestr("archive/version", "3\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run_dir")
    parser.add_argument("--rollout-columns", type=int, default=REAL)
    parser.add_argument("--drop", default="")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--write-ranks", type=int, default=0)
    parser.add_argument("--first-target", type=int, default=0)
    parser.add_argument("--first-logit", type=float, default=0.0)
    args = parser.parse_args()
    columns = PADDED // args.ranks
    for rank in range(args.write_ranks or args.ranks):
        payload = {
            "schema_version": "rlverify.logp_inputs.v1", "rank": rank, "call_index": 0, "tensor_parallel_size": args.ranks, "context_parallel_size": 1,
            "temperature": 1.0, "real_vocab_size": REAL, "padded_vocab_size": PADDED, "logits_are_temperature_scaled": False,
            "targets": [Tensor("q", [args.first_target, 1, 2, 0, 1], [ROWS])], "logits": [Tensor("f", [args.first_logit] + [0.0] * (ROWS * columns - 1), [ROWS, columns])],
            "train_log_probs": [Tensor("f", [-math.log(REAL)] * ROWS, [ROWS])],
            "rollout_log_probs": [Tensor("f", [-math.log(args.rollout_columns)] * ROWS, [ROWS])],
        }
        for field in filter(None, args.drop.split(",")):
            del payload[field]
        save(payload, Path(args.run_dir) / "logp-inputs" / f"rank{rank:05d}.call00000000.pt")


main()
