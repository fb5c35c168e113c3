# SPDX-License-Identifier: Apache-2.0
"""torch.log_softmax of python3-torch on raw logits, gathered at targets: the oracle of test_torch.cpp.

usage: torch_log_softmax.py LOGITS DTYPE ROWS COLUMNS TARGETS OUT   (raw files: logits, int64 targets, float32 result)
"""
import sys

import torch

logits_path, dtype, rows, columns, targets_path, out_path = sys.argv[1:7]
rows, columns = int(rows), int(columns)
kinds = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
with open(logits_path, "rb") as file:
    logits = torch.frombuffer(bytearray(file.read()), dtype=kinds[dtype]).reshape(rows, columns)
with open(targets_path, "rb") as file:
    targets = torch.frombuffer(bytearray(file.read()), dtype=torch.int64)
logp = torch.log_softmax(logits.to(torch.float32), dim=-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
with open(out_path, "wb") as file:
    file.write(bytes(logp.contiguous().view(torch.int32).numpy().tobytes()))
