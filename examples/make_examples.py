#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes examples/runs: small run directories as a training run leaves them, byte for byte the same every time.

  examples/make_examples.py [--check]     --check writes nothing and fails when the committed files are not what this script writes

Needs nothing but Python: files of torch.save are written here (a stored zip with a protocol-2 pickle). What a run directory holds is
told in docs/documents.md; the numbers are synthetic. `passing` passes; `failing` is `passing` with one bit of one rollout log-prob flipped
on every tensor-parallel replica of its shard.
"""
import argparse
import hashlib
import json
import struct
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "runs"
TP, CP = 4, 2                       # training: 8 ranks
ROLLOUT_TP, ROLLOUT_CP = 4, 2       # rollout: one engine of 8 GPUs
RANKS = TP * CP
ROUNDS, BATCH, RESPONSE = 2, 2, 12
PROMPTS = (9, 11)                   # tokens, per round
SIZES = [1, 2]
PROVIDER = "rl_engine.integrations.orchestrators.vime.providers.linear_logp_provider.provider"
BACKENDS = {"attention": "rlkernel.attention.deterministic.v1", "ffn": "rlkernel.ffn.qwen3.deterministic.v1", "logp": "rlkernel.linear_logp.bitwise.v1"}
CALLS = {"megatron": {"attention": 288, "ffn": 288, "logp": 6}, "vllm": {"attention": 396, "ffn": 397, "logp": 1}}


class Random:
    """A small generator of our own: Python's may change its sequences between versions."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


# ---------------------------------------------------------------- torch.save
class Storage:
    def __init__(self, kind, values):
        self.name, self.count = {"f": "FloatStorage", "i": "IntStorage", "q": "LongStorage"}[kind], len(values)
        self.data = bytearray(struct.pack(f"<{len(values)}{kind}", *values))


class Tensor:
    """A vector: a part of a storage that it may share, as torch.split gives."""

    def __init__(self, storage, offset, count):
        self.storage, self.offset, self.count = storage, offset, count


def vectors(kind, lists):
    """One tensor per list, all in one storage."""
    storage, tensors, offset = Storage(kind, [value for values in lists for value in values]), [], 0
    for values in lists:
        tensors.append(Tensor(storage, offset, len(values)))
        offset += len(values)
    return tensors


class Pickler:
    """Pickle protocol 2, as far as dicts, lists, strings, integers, floats and vectors need it."""

    def __init__(self):
        self.out, self.storages, self.memo = bytearray(b"\x80\x02"), [], {}

    def once(self, code):
        """Writes an opcode with its text, or a reference to the first time it was written."""
        if code in self.memo:
            self.out += b"h" + bytes([self.memo[code]])
        else:
            self.memo[code] = len(self.memo)
            self.out += code + b"q" + bytes([self.memo[code]])

    def text(self, value):
        data = value.encode()
        self.once(b"X" + struct.pack("<I", len(data)) + data)

    def integer(self, value):
        if 0 <= value < 256:
            self.out += b"K" + bytes([value])
        elif 0 <= value < 65536:
            self.out += b"M" + struct.pack("<H", value)
        else:
            self.out += b"J" + struct.pack("<i", value)

    def tensor(self, value):
        self.once(b"ctorch._utils\n_rebuild_tensor_v2\n")
        self.out += b"(("
        self.text("storage")
        self.once(b"ctorch\n" + value.storage.name.encode() + b"\n")
        if value.storage not in self.storages:
            self.storages.append(value.storage)
        self.text(str(self.storages.index(value.storage)))
        self.text("cpu")
        self.integer(value.storage.count)
        self.out += b"tQ"
        self.integer(value.offset)
        self.integer(value.count)
        self.out += b"\x85K\x01\x85\x89"
        self.once(b"ccollections\nOrderedDict\n")
        self.out += b")RtR"

    def write(self, value):
        if isinstance(value, Tensor):
            self.tensor(value)
        elif isinstance(value, dict):
            self.out += b"}("
            for key, item in value.items():
                self.text(key)
                self.write(item)
            self.out += b"u"
        elif isinstance(value, list):
            self.out += b"]("
            for item in value:
                self.write(item)
            self.out += b"e"
        elif isinstance(value, str):
            self.text(value)
        elif isinstance(value, int):
            self.integer(value)
        elif isinstance(value, float):
            self.out += b"G" + struct.pack(">d", value)
        else:
            raise TypeError(type(value))


def zip_stored(entries):
    """A zip archive without compression, dated 1 January 1980."""
    out, directory = bytearray(), bytearray()
    for name, data in entries:
        common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name.encode()
        out += b"PK\x03\x04" + common + name.encode() + data
    end = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(directory), len(out), 0)
    return bytes(out + directory + b"PK\x05\x06" + end)


def torch_file(value, top):
    pickler = Pickler()
    pickler.write(value)
    entries = [(f"{top}/data.pkl", bytes(pickler.out + b".")), (f"{top}/byteorder", b"little")]
    entries += [(f"{top}/data/{key}", bytes(storage.data)) for key, storage in enumerate(pickler.storages)]
    return zip_stored(entries + [(f"{top}/version", b"3\n")])


def to_json(value):
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


# ---------------------------------------------------------------- what the model did
class Story:
    """Tokens and log-probs of all samples: what sidecars, dumps and log must agree on."""

    def __init__(self, seed):
        random = Random(seed)
        self.tokens, self.log_probs, self.reference = [], [], []
        for call in range(ROUNDS):
            prompt = [random.below(151936) for _ in range(PROMPTS[call])]
            self.tokens.append([prompt + [random.below(151936) for _ in range(RESPONSE)] for _ in range(BATCH)])
            # Multiples of 2**-12 are exact in float32.
            self.log_probs.append([[-(1 + random.below(8192)) / 4096 for _ in range(RESPONSE)] for _ in range(BATCH)])
            self.reference.append([[value - (random.below(64) - 32) / 4096 for value in sample] for sample in self.log_probs[-1]])


def owned(total, cp_rank):
    """Response positions of one context-parallel rank: two chunks of the sequence, from both ends."""
    first_logit, chunk = total - RESPONSE - 1, -(-total // (2 * CP))
    positions = []
    for piece in (cp_rank, 2 * CP - 1 - cp_rank):
        positions += [logit - first_logit for logit in range(piece * chunk, (piece + 1) * chunk) if first_logit <= logit < total - 1]
    return positions


def shards(samples, call, rank):
    positions = owned(PROMPTS[call] + RESPONSE, rank // TP % CP)
    return vectors("f", [[sample[position] for position in positions] for sample in samples])


def sidecar(story, rank, call):
    total = PROMPTS[call] + RESPONSE
    return {"schema_version": "rlkernel.vime_rocm_attention_mismatch_sidecar.v1", "rank": rank, "call_index": call, "tensor_parallel_size": TP, "context_parallel_size": CP,
            "train_log_probs": shards(story.log_probs[call], call, rank), "rollout_log_probs": shards(story.log_probs[call], call, rank),
            "loss_masks": vectors("i", [[1] * RESPONSE] * BATCH), "total_lengths": [total] * BATCH, "response_lengths": [RESPONSE] * BATCH}


def train_dump(story, rank, call):
    total = PROMPTS[call] + RESPONSE
    zeros = [[0.0] * RESPONSE] * BATCH
    return {"rollout_id": call, "rank": rank, "rollout_data": {
        "tokens": vectors("q", story.tokens[call]), "total_lengths": [total] * BATCH, "response_lengths": [RESPONSE] * BATCH,
        "loss_masks": vectors("i", [[1] * RESPONSE] * BATCH), "rewards": [0.0, 1.0], "truncated": [1] * BATCH,
        "sample_indices": [call * BATCH + sample for sample in range(BATCH)],
        "log_probs": shards(story.log_probs[call], call, rank), "rollout_log_probs": shards(story.log_probs[call], call, rank),
        "ref_log_probs": shards(story.reference[call], call, rank), "advantages": shards(zeros, call, rank), "returns": shards(zeros, call, rank)}}


# ---------------------------------------------------------------- the run's own words
def manifest(run_id):
    command = ["/opt/rlk/aligned_python_entrypoint.sh", "train.py", "--train-backend", "megatron", "--actor-num-nodes", "1", "--actor-num-gpus-per-node", "8",
               "--rollout-num-gpus", "8", "--colocate", "--no-offload-train", "--offload-rollout", "--advantage-estimator", "grpo", "--num-rollout", str(ROUNDS),
               "--rollout-batch-size", "1", "--n-samples-per-prompt", str(BATCH), "--rollout-max-response-len", str(RESPONSE), "--rollout-temperature", "0.7",
               "--rollout-top-p", "0.95", "--rollout-top-k", "-1", "--global-batch-size", str(BATCH), "--tensor-model-parallel-size", str(TP),
               "--context-parallel-size", str(CP), "--recompute-granularity", "full", "--recompute-method", "uniform", "--recompute-num-layers", "1",
               "--linear-logp-provider", PROVIDER, "--linear-logp-provider-mode", "strict", "--rollout-num-gpus-per-engine", str(ROLLOUT_TP * ROLLOUT_CP),
               "--vllm-prefill-context-parallel-size", str(ROLLOUT_CP), "--get-mismatch-metrics", "--use-kl-loss", "--kl-loss-coef", "0.01"]
    return {
        "schema_version": "rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1", "created_at": "2026-09-19T00:00:00+00:00", "status": "submitted", "run_id": run_id,
        "submission_id": f"vime200-{run_id}", "submission": {"returncode": 0, "stderr": "", "stdout": ""},
        "arm": {"group": "consistency", "description": "RL-Kernel operator consistency", "framework_use_rollout_logprobs": False,
                "attention_case": "R/R", "ffn_case": "R/R", "logp_case": "R/R"},
        "num_rollout": ROUNDS, "seed": 1234, "rollout_seed": 42,
        "topology": {"gpus": 8, "actor_gpus": 8, "rollout_gpus": 8, "tp": TP, "cp": CP, "pp": 1, "colocate": True, "offload_train": False, "offload_rollout": True,
                     "rollout_tp": ROLLOUT_TP, "rollout_cp": ROLLOUT_CP, "rollout_gpus_per_engine": ROLLOUT_TP * ROLLOUT_CP, "rollout_engines": 1,
                     "evidence_level": "experimental"},
        "batching": {"rollout_batch_size": 1, "n_samples_per_prompt": BATCH, "global_batch_size": BATCH, "max_response_len": RESPONSE, "max_tokens_per_gpu": 4096},
        "sampling": {"temperature": 0.7, "top_p": 0.95, "top_k": -1, "support": "complete_recomputed"},
        "algorithm": {"optimizer": {"name": "adam", "lr": 5e-7, "weight_decay": 0.1}, "require_updates": True, "advantage_estimator": "grpo",
                      "reward_model": "deepscaler", "reference_model": {"enabled": True, "mode": "kl_loss", "coefficient": 0.01}},
        "training_memory": {"recompute_granularity": "full", "recompute_method": "uniform", "recompute_num_layers": 1},
        "vllm_execution": {"cudagraph_required": True, "cudagraph_mode": "FULL_DECODE_ONLY", "capture_sizes": SIZES, "enforce_eager": False},
        "revisions": {name: hashlib.sha1(name.encode()).hexdigest() for name in ("rl_kernel", "vime", "megatron")},
        "runtime_env": {"env_vars": {"RL_KERNEL_ATTENTION_CASE": "R/R", "RL_KERNEL_FFN_CASE": "R/R", "RL_KERNEL_LOGP_CASE": "R/R"}},
        "prompt_data_sha256": hashlib.sha256(b"prompt data").hexdigest(), "train_command": command}


def operator(framework, module, rank):
    megatron = framework == "megatron"
    execution = {"tp_world_size": TP if megatron else ROLLOUT_TP, "cp_world_size": CP if megatron else ROLLOUT_CP, "tp_rank": rank % 4, "cp_rank": rank // 4,
                 "fallback": False, "strict_backend": True}
    if not megatron and module == "attention":
        execution.update(kv_storage="token_sharded", attention_queries="disjoint_cp_partitions", attention_merge="rank_ordered_output_gather_no_reduction")
    provenance = {"runtime_platform": "cuda", "actual_backend": BACKENDS[module], "fallback": False, "triton_used": False, "execution": execution}
    if module == "logp":
        provenance["deterministic_linear_logp"] = True
    return {"framework": framework, "target": "training" if megatron else "rollout", "module": module, "case_id": "R/R", "implementation": "rl_kernel",
            "backend_id": BACKENDS[module], "call_count": CALLS[framework][module], "execution_mode": "eager" if megatron or module == "logp" else "compiled_cuda_graph",
            "provenance": provenance}


def readback(framework, operators):
    cases = {module: {"module": module, "case_id": "R/R", "training_implementation": "rl_kernel", "rollout_implementation": "rl_kernel",
                      "purpose": "RL-Kernel control", "diagnostic_axes": []} for module in BACKENDS}
    value = {"framework": framework, "target": "training" if framework == "megatron" else "rollout", "plan": {"schema_version": "plan.v1", "cases": cases},
             "installed_hooks": {module: f"{framework}.{module}.hook" for module in BACKENDS}, "fallbacks": [], "profile_calls": {}, "operators": operators}
    return json.dumps(value, indent=2, sort_keys=True).encode()


def readbacks():
    for framework, target, pid in (("megatron", "training", 41000), ("vllm", "rollout", 52000)):
        for rank in range(8):
            yield f"readbacks/{framework}-{target}-{pid + rank}.json", readback(framework, {module: operator(framework, module, rank) for module in BACKENDS})
    yield "readbacks/vllm-rollout-51990.json", readback("vllm", {})  # a helper process: hooks, and nothing run


def run_log(run_id):
    def ray(who, pid, text):
        return f"\x1b[36m({who} pid={pid})\x1b[0m [2026-09-19 00:00:00] {text}"

    lines = ["Job submission server address: http://127.0.0.1:8265",
             "[RL-Kernel] required vLLM full-decode CUDA Graph capture sizes: [" + ",".join(map(str, SIZES)) + "]",
             ray("VLLMEngine", 5190, "engine args: enforce_eager=False, compilation_config={'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>, "
                 f"'cudagraph_capture_sizes': {SIZES}}}"),
             ray("MegatronTrainRayActor", 4100, "rlkernel mismatch sidecar active: logp_case=R/R"),
             f"[RL-Kernel][route] framework=megatron target=training module=attention requested=rl_kernel actual={BACKENDS['attention']} fallback=false"]
    for step in range(ROUNDS):
        total = float(PROMPTS[step] + RESPONSE)
        rollout = {"rollout/rewards": 0.5, "rollout/raw_reward": 0.5, "rollout/response_lengths": float(RESPONSE), "rollout/truncated": 1.0,
                   "rollout/total_lengths": total, "rollout/kl": 0.0}
        scalars = {"train/loss": (3.984892828e-05, 4.126e-05)[step], "train/pg_loss": 0.0, "train/entropy_loss": 0.125, "train/pg_clipfrac": 0.0, "train/ppo_kl": 0.0,
                   "train/train_rollout_logprob_abs_diff": 0.0, "train/train_current_rollout_logprob_mismatch_count": 0.0,
                   "train/train_current_rollout_logprob_max_abs_diff": 0.0, "train/train_current_rollout_logprob_numel": float(RESPONSE), "train/kl_loss": 0.00398,
                   "train/grad_norm": (0.022594607, 0.034395368)[step], "train/lr-pg_0": 5e-07, "train/lr-pg_1": 5e-07, "train/global_batch_size": BATCH,
                   "train/step": step}
        perf = {"perf/update_weights_time": 27.5, "perf/train_wait_time": 39.25, "perf/train_time": 5.75, "perf/step_time": 45.0, "perf/wait_time_ratio": 39.25 / 45.0}
        lines += [ray("RolloutManager", 4000, f"data.py:1 - rollout {step}: {rollout!r}"), ray("MegatronTrainRayActor", 4100, f"model.py:1 - step {step}: {scalars!r}"),
                  ray("MegatronTrainRayActor", 4100, f"perf.py:1 - perf {step}: {perf!r}")]
    lines.append(f"\x1b[32mJob 'vime200-{run_id}' succeeded\x1b[39m")
    return ("\n".join(lines) + "\n").encode()


def weight_audits():
    shapes = {"lm_head.weight": [64, 16], "model.embed_tokens.weight": [64, 16], "model.norm.weight": [16]}
    for version in range(1, ROUNDS + 2):
        name = f"weight_v{version:06d}"
        tensors = {tensor: {"sha256": hashlib.sha256(f"{tensor} {version}".encode()).hexdigest(), "shape": shape, "dtype": "torch.bfloat16"} for tensor, shape in shapes.items()}
        total = hashlib.sha256(json.dumps(tensors, sort_keys=True).encode()).hexdigest()
        audit = {"version": name, "scope": "all_exported_parameters", "sha256": total, "tensor_count": len(tensors), "tensors": tensors}
        yield f"weight-audit/{name}.json", (json.dumps(audit, indent=2) + "\n").encode()


def make_run(run_id, flip_bit=False):
    """Path inside the run -> bytes."""
    story = Story(7)
    files = {"manifest.json": to_json(manifest(run_id)), "run.log": run_log(run_id),
             "ray-status.txt": f"Status for job 'vime200-{run_id}': \x1b[32mSUCCEEDED\x1b[39m\nStatus message: Job finished successfully.\n".encode()}
    files.update(readbacks())
    files.update(weight_audits())
    for rank in range(RANKS):
        for call in range(ROUNDS):
            payload, dump = sidecar(story, rank, call), train_dump(story, rank, call)
            if flip_bit and call == 1 and rank // TP % CP == 1:
                for tensors in (payload["rollout_log_probs"], dump["rollout_data"]["rollout_log_probs"]):
                    tensors[0].storage.data[0] ^= 1
            name = f"rank{rank:05d}.call{call:08d}"
            files[f"mismatch-sidecars/{name}.pt"] = torch_file(payload, f".{name}.pt.{41000 + rank}")
            files[f"train-data/{call}.rank{rank}.pt"] = torch_file(dump, f"{call}.rank{rank}")
    return files


RUNS = {"passing": lambda: make_run("example-passing"), "failing": lambda: make_run("example-failing", flip_bit=True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    wrong = 0
    for name, make in RUNS.items():
        files = make()
        known = {str(path.relative_to(FOLDER / name)) for path in (FOLDER / name).rglob("*") if path.is_file()}
        for path, data in files.items():
            target = FOLDER / name / path
            if check:
                if path not in known or target.read_bytes() != data:
                    wrong += 1
                    print(f"{name}/{path} is not what this script writes", file=sys.stderr)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        for path in sorted(known - files.keys()):
            wrong += 1
            print(f"{name}/{path} is no file of the example", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
