#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what `rlverify replay` computes log-probs from: the inputs of the log-prob kernel, one file per rank and call.

Copy this file beside a trainer (VIME, slime, verl: anything on torch) and

  1. make one Recorder per training process, after the process groups exist:

       recorder = Recorder(run_dir, rank=dist.get_rank(), tensor_parallel_size=tp, context_parallel_size=cp,
                           real_vocab_size=tokenizer_vocab, padded_vocab_size=args.padded_vocab_size, temperature=args.rollout_temperature)

  2. where the policy loss has them, hand over the logits and the log-probs, one entry per sample:

       VIME, slime (loss.py, policy_loss_function, beside the mismatch sidecar; `get_responses` yields one chunk per sample):
         recorder.record(logits=[chunk for chunk, _ in responses], targets=[tokens for _, tokens in responses])
       verl (dp_actor.py or megatron_actor.py, after the forward pass; logits as they are before `div_`):
         recorder.record(logits=list(logits), targets=list(responses), train_log_probs=list(log_probs), rollout_log_probs=list(rollout_log_probs))

     With VIME's sidecars the log-probs stay there and are found by rank and call: record() once for every policy-loss call, no more.
     Packed sequences are cut with response_rows(). Logits that were divided by the temperature already: scaled=True.

  3. or keep hidden states, which are smaller: OutputHook(model.output_layer) remembers what went into the output layer; give
     record(hidden=..., weight_version="weight_v000001"), and the weights are taken from RUN_DIR/weight-updates.

The files go to RUN_DIR/logp-inputs. They are large (tokens x vocabulary x 2 bytes): `calls` limits how many are written per process. Nothing
here changes a number: tensors are detached and copied to the CPU in their own dtype. Needs torch and nothing else.
"""
import os
from pathlib import Path

import torch

SCHEMA = "rlverify.logp_inputs.v1"
LOGIT_DTYPES = (torch.bfloat16, torch.float16, torch.float32)


def response_rows(packed, total_lengths, response_lengths):
    """The rows of each sample that predict its response, out of [sum of total_lengths, columns] (no context parallelism): the row before each response token."""
    if len(total_lengths) != len(response_lengths) or packed.shape[0] != sum(total_lengths):
        raise ValueError(f"{packed.shape[0]} rows for samples of {list(total_lengths)} tokens, responses of {list(response_lengths)}")
    rows, begin = [], 0
    for total, response in zip(total_lengths, response_lengths):
        if not 0 < response < total:
            raise ValueError(f"a response of {response} tokens in a sample of {total}: it needs a prompt")
        rows.append(packed[begin + total - response - 1:begin + total - 1])
        begin += total
    return rows


def kept(tensor, dtype=None):
    """A copy on the CPU that owns no more than its elements (torch.save writes whole storages)."""
    tensor = torch.as_tensor(tensor).detach()
    return tensor.to(device="cpu", dtype=dtype or tensor.dtype, copy=True).contiguous()


class Recorder:
    """Writes one file per record(); `calls` of 0 means no limit. `scaled`: the logits were divided by the temperature before record() sees them."""

    def __init__(self, run_dir, *, rank=0, tensor_parallel_size=1, context_parallel_size=1, real_vocab_size, padded_vocab_size, temperature=1.0, scaled=False, calls=0):
        self.folder = Path(run_dir) / "logp-inputs"
        self.header = {
            "schema_version": SCHEMA,
            "rank": int(rank),
            "tensor_parallel_size": int(tensor_parallel_size),
            "context_parallel_size": int(context_parallel_size),
            "temperature": float(temperature),
            "real_vocab_size": int(real_vocab_size),
            "padded_vocab_size": int(padded_vocab_size),
            "logits_are_temperature_scaled": bool(scaled),
        }
        self.calls = calls
        self.call_index = 0

    def record(self, *, targets, logits=None, hidden=None, weight_version=None, train_log_probs=None, rollout_log_probs=None):
        """Writes the next call: lists with one entry per sample, [tokens, columns] logits (whole or this rank's slice of the vocabulary) or hidden states.

        Returns the path, or None when enough calls were written (the call still counts, so that numbers stay those of the sidecars)."""
        call, self.call_index = self.call_index, self.call_index + 1
        if self.calls and call >= self.calls:
            return None
        if (logits is None) == (hidden is None):
            raise ValueError("give either logits or hidden states")
        name, matrices = ("logits", logits) if hidden is None else ("hidden", hidden)
        payload = dict(self.header, call_index=call, targets=[kept(target, torch.int64).reshape(-1) for target in targets])
        payload[name] = [kept(matrix) for matrix in matrices]
        if weight_version is not None:
            payload["weight_version"] = weight_version
        for key, values in (("train_log_probs", train_log_probs), ("rollout_log_probs", rollout_log_probs)):
            if values is not None:
                payload[key] = [kept(value).reshape(-1) for value in values]
        self.check(name, payload)
        return self.write(payload, f"rank{self.header['rank']:05d}.call{call:08d}.pt")

    def check(self, name, payload):
        samples = len(payload[name])
        for key in ("targets", "train_log_probs", "rollout_log_probs"):
            if key in payload and len(payload[key]) != samples:
                raise ValueError(f"{key}: {len(payload[key])} entries for {samples} samples")
        for index, matrix in enumerate(payload[name]):
            if matrix.dim() != 2 or matrix.dtype not in LOGIT_DTYPES:
                raise ValueError(f"{name}[{index}]: expected [tokens, columns] of bfloat16, float16 or float32, found {list(matrix.shape)} {matrix.dtype}")
            for key in ("targets", "train_log_probs", "rollout_log_probs"):
                if key in payload and payload[key][index].numel() != matrix.shape[0]:
                    raise ValueError(f"{key}[{index}]: {payload[key][index].numel()} values for {matrix.shape[0]} rows")

    def write(self, payload, name):
        """Under a hidden name first, so that a reader never meets half a file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self.folder / f".{name}.{os.getpid()}.tmp"
        torch.save(payload, unfinished)
        os.replace(unfinished, self.folder / name)
        return self.folder / name


class OutputHook:
    """Remembers input (`hidden`) and output (`logits`) of the output layer's last forward pass; remove() takes it off again."""

    def __init__(self, output_layer):
        self.hidden = self.logits = None
        self.handle = output_layer.register_forward_hook(self.keep)

    def keep(self, _layer, inputs, output):
        self.hidden = inputs[0].detach()
        self.logits = (output[0] if isinstance(output, tuple) else output).detach()

    def remove(self):
        self.handle.remove()
