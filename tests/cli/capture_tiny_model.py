#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A tiny random language model whose log-prob inputs are kept with examples/capture_logp_inputs.py.

  capture_tiny_model.py EXAMPLES RUN_DIR     writes RUN_DIR/logp-inputs (call 0: logits, call 1: hidden states) and RUN_DIR/weight-updates

Exits with 77 where torch is missing."""
import sys
from pathlib import Path

try:
    import torch
except ImportError:
    print("no torch for /usr/bin/python3")
    sys.exit(77)


def main(examples, run_dir):
    sys.path.insert(0, examples)
    from capture_logp_inputs import OutputHook, Recorder, response_rows
    torch.manual_seed(7)
    vocab, width, totals, responses = 3000, 32, [9, 14], [5, 8]
    embedding, layer, head = torch.nn.Embedding(vocab, width), torch.nn.Linear(width, width), torch.nn.Linear(width, vocab, bias=False)
    tokens = torch.randint(vocab, (sum(totals),))
    hook = OutputHook(head)
    with torch.no_grad():
        head(torch.tanh(layer(embedding(tokens))))
    logits = response_rows(hook.logits, totals, responses)
    hidden = response_rows(hook.hidden, totals, responses)
    ends = torch.cumsum(torch.tensor(totals), 0).tolist()
    targets = [tokens[end - response:end] for end, response in zip(ends, responses)]

    def log_probs(temperature):
        return [torch.log_softmax(rows / torch.tensor(temperature), dim=-1).gather(-1, target[:, None]).squeeze(-1) for rows, target in zip(logits, targets)]

    recorder = Recorder(run_dir, real_vocab_size=vocab, padded_vocab_size=vocab, temperature=0.7, calls=2)
    recorder.record(logits=logits, targets=targets, train_log_probs=log_probs(0.7), rollout_log_probs=log_probs(0.7))
    recorder.record(hidden=hidden, targets=targets, weight_version="weight_v000001", train_log_probs=log_probs(0.7), rollout_log_probs=log_probs(0.7))
    if recorder.record(logits=logits, targets=targets) is not None:
        sys.exit("a third call was written")
    for wrong in ({"logits": logits, "targets": targets[:1]}, {"logits": logits[0], "targets": targets}, {"targets": targets}):
        try:
            Recorder(run_dir, real_vocab_size=vocab, padded_vocab_size=vocab).record(**wrong)
        except ValueError:
            continue
        sys.exit(f"accepted {sorted(wrong)}")
    weights = Path(run_dir) / "weight-updates" / "weight_v000001"
    weights.mkdir(parents=True)
    torch.save({"lm_head.weight": head.weight.detach().clone()}, weights / "model.pt")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
