#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the two runs of the published evidence with the acceptance folder's make_run.py, adds three weight versions as
small safetensors with matching audits and the 18 attention cases, and holds a bundle against the published one.

  compare_pair.py write SHARED OUT_DIR
  compare_pair.py check SHARED BUNDLE     apart from token digests and artifact paths, byte for byte
"""
import hashlib
import json
import random
import re
import struct
import sys
from pathlib import Path

NAMES = ("cpgrad-tp4cp2-r5", "pcp2-ipc-r3")
SEED = "seeds/000_e96fe98ef14ca88e.txt"


def write_weights(run):
    for version in (1, 2, 3):
        values = random.Random(version)
        header, data, audit = {}, b"", {}
        for name in ("lm_head.weight", "model.embed_tokens.weight", "model.norm.weight"):
            raw = b"".join(struct.pack("<H", values.randrange(0x3C00, 0x4000)) for _ in range(32))
            header[name] = {"dtype": "BF16", "shape": [4, 8], "data_offsets": [len(data), len(data) + len(raw)]}
            audit[name] = {"sha256": hashlib.sha256(raw).hexdigest(), "shape": [4, 8], "dtype": "torch.bfloat16"}
            data += raw
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        stem = f"weight_v{version:06d}"
        folder = run / "weight-updates" / stem
        folder.mkdir(parents=True)
        (folder / "model-00001-of-00001.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
        total = hashlib.sha256(json.dumps(audit, sort_keys=True).encode()).hexdigest()
        (run / "weight-audit" / f"{stem}.json").write_text(json.dumps(
            {"version": stem, "scope": "all_exported_parameters", "sha256": total, "tensor_count": 3, "tensors": audit}, indent=2) + "\n")


def write_cases(run, torch):
    generator = torch.Generator().manual_seed(3)
    folder = run / "gpu-attention-cases"
    folder.mkdir()
    for cp in (2, 4, 8):
        for interleave in (1, 8, 16):
            for queries in (21, 3):
                case = {"out": torch.randn(queries, 4, 8, generator=generator).to(torch.bfloat16), "lse": torch.randn(queries, 4, generator=generator)}
                for side in ("eager", "cuda_graph"):
                    torch.save(case, folder / f"cp{cp}.interleave{interleave}.queries{queries}.{side}.pt")


def write(shared, out):
    sys.path.insert(0, str(shared / "tools"))
    import make_run
    import torch
    for name in NAMES:
        make_run.main(["--out", str(out / name), "--record", name])
        write_weights(out / name)
        write_cases(out / name, torch)


def masked(text):
    """Token digests and the folder of artifact paths are the run's own."""
    text = re.sub(r'^(\s+"\d+": )"[0-9a-f]{64}"', r'\1"digest"', text, flags=re.M)
    return re.sub(r'^(\s+)"[^"]*/mismatch-sidecars/', r'\1"RUN/mismatch-sidecars/', text, flags=re.M)


def check(shared, bundle):
    published, ours = masked((shared / SEED).read_text()), masked(bundle.read_text())
    if published != ours:
        place = next(i for i, (a, b) in enumerate(zip(published + "\0", ours + "\0")) if a != b)
        sys.exit(f"differs at character {place}: {published[place - 40:place + 40]!r} against {ours[place - 40:place + 40]!r}")
    if published.count('"digest"') != 4:
        sys.exit("the published bundle has no token digests where they are expected")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
