#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two small models as safetensors, a.safetensors and b.safetensors, with differences that are planted one by one.

  diff_pair.py OUT_DIR
"""
import json
import random
import struct
import sys
from pathlib import Path


def write(path, tensors):
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def bf16(codes):
    return struct.pack(f"<{len(codes)}H", *codes)


def main():
    out = Path(sys.argv[1])
    generator = random.Random(6)
    # bfloat16 codes of 0.5 up to 2, a third of them negative.
    embed = [generator.randrange(0x3F00, 0x4000) | (0x8000 if generator.random() < 0.3 else 0) for _ in range(256 * 32)]
    gate = [generator.randrange(0x3F00, 0x4000) for _ in range(64 * 64)]
    norm = [1.0 + i / 64 for i in range(64)]
    bias = [0.25] * 4
    reference = {
        "model.embed_tokens.weight": ("BF16", [256, 32], bf16(embed)),
        "model.layers.2.mlp.experts.gate_proj.weight": ("BF16", [64, 64], bf16(gate)),
        "model.layers.10.norm.weight": ("F32", [64], struct.pack("<64f", *norm)),
        "model.layers.10.norm.bias": ("F32", [4], struct.pack("<4f", *bias)),
    }
    for row in range(250, 256):  # beyond a vocabulary of 250
        for column in range(32):
            embed[row * 32 + column] ^= generator.randrange(1, 64)
    for row in range(64):  # the second of four parts of the columns, by one step each
        for column in range(16, 32):
            gate[row * 64 + column] += 1 if generator.random() < 0.5 else -1
    norm[7] = float("nan")
    norm[9] = float("inf")
    bias[1] = -bias[1]
    candidate = {
        "model.embed_tokens.weight": ("BF16", [256, 32], bf16(embed)),
        "model.layers.2.mlp.experts.gate_proj.weight": ("BF16", [64, 64], bf16(gate)),
        "model.layers.10.norm.weight": ("F32", [64], struct.pack("<64f", *norm)),
        "model.layers.10.norm.bias": ("F32", [4], struct.pack("<4f", *bias)),
    }
    write(out / "a.safetensors", reference)
    write(out / "b.safetensors", candidate)


main()
