// SPDX-License-Identifier: Apache-2.0
// One small change of anything that a verdict rests on, and the run must not pass: bits of log-probs, values of the
// manifest, missing files, files and records that are doubled or exchanged. Left out, since they change nothing that
// the evidence states: a step record repeated with the same bytes (a note, by the rule on repeated steps), and two
// readbacks of one side exchanging their names (a process id is all that a name adds).
#include <catch2/catch.hpp>
#include <random>

#include "judge/strict_support.h"

namespace rlverify::judge::test {
namespace {

using rlverify::test::dump_path;
using rlverify::test::sidecar_path;

/// Judges changed copies of the passing run and keeps those that pass all the same.
class Flips {
 public:
  Flips() : disk_(passing_run()) {}

  [[nodiscard]] const TestRun& run() const { return disk_.run(); }
  [[nodiscard]] const std::string& file(const std::string& name) const { return run().files.at(name); }

  void expect_refusal(const std::string& what, const RunOnDisk::Changes& changes) {
    ++count_;
    if (disk_.judge(changes).exit_code() == core::ExitCode::kPassed) {
      slipped_ += what + "\n";
    }
  }
  void replaced(const std::string& what, const std::string& name, std::string bytes) {
    REQUIRE(bytes != file(name));
    expect_refusal(what, {{name, std::move(bytes)}});
  }
  void exchanged(const std::string& a, const std::string& b) {
    REQUIRE(file(a) != file(b));
    expect_refusal("exchange " + a + " and " + b, {{a, file(b)}, {b, file(a)}});
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::string& slipped() const { return slipped_; }

 private:
  RunOnDisk disk_;
  std::size_t count_ = 0;
  std::string slipped_;
};

/// Where the bytes of a payload's vectors lie in its file: each vector has a storage of its own, written as one entry.
std::vector<std::size_t> log_prob_bytes(const std::string& file, PtValue payload,
                                        const std::vector<std::string>& path) {
  std::vector<std::size_t> offsets;
  for (const char* field : {"train_log_probs", "log_probs", "rollout_log_probs"}) {
    PtValue* owner = &payload;
    for (const std::string& key : path) {
      owner = &(*owner)[key];
    }
    if (std::holds_alternative<std::monostate>((*owner)[field].variant())) {
      owner->erase(field);
      continue;
    }
    for (std::size_t sample = 0; sample < 2; ++sample) {
      const std::string& bytes = (*owner)[field].at(sample).tensor().bytes;
      // Train and rollout hold the same bytes: both places are found.
      for (std::size_t at = file.find(bytes); at != std::string::npos && !bytes.empty();
           at = file.find(bytes, at + 1)) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          offsets.push_back(at + i);
        }
      }
    }
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

struct Target {
  std::string name;
  std::size_t offset;
};
std::vector<Target> all_log_prob_bytes(const Flips& flips) {
  std::vector<Target> targets;
  for (int rank = 0; rank < 8; ++rank) {
    for (int call = 0; call < 2; ++call) {
      const std::string sidecar = sidecar_path(rank, call);
      for (const std::size_t at :
           log_prob_bytes(flips.file(sidecar), rlverify::test::sidecar_payload(rank, call), {})) {
        targets.push_back({sidecar, at});
      }
      const std::string dump = dump_path(rank, call);
      for (const std::size_t at :
           log_prob_bytes(flips.file(dump), rlverify::test::dump_payload(rank, call), {"rollout_data"})) {
        targets.push_back({dump, at});
      }
    }
  }
  return targets;
}

struct ManifestFlip {
  const char* from;
  const char* to;
};
/// Each value that docs/rules.md lists under "Manifest values that are judged".
const std::vector<ManifestFlip>& manifest_flips() {
  static const std::vector<ManifestFlip> kFlips = {
      {"tp4_cp2_200.run.v1", "tp4_cp2_200.run.v0"},
      {"  \"schema_version\": \"rlkernel.vime_qwen3_8b_tp4_cp2_200.run.v1\",\n", ""},
      {"\"status\": \"submitted\"", "\"status\": \"planned\""},
      {"\"status\": \"submitted\"", "\"status\": \"Submitted\""},
      {"  \"status\": \"submitted\",\n", ""},
      {"\"submission_id\": \"vime200-small-run\"", "\"submission_id\": \"vime200-small-rum\""},
      {"\"submission_id\": \"vime200-small-run\"", "\"submission_id\": \"vime200-small-run-2\""},
      {"\"submission_id\": \"vime200-small-run\"", "\"submission_id\": \"vime200-small\""},
      {"\"submission_id\": \"vime200-small-run\"", "\"submission_id\": 7"},
      {"  \"submission_id\": \"vime200-small-run\",\n", ""},
      {"\"returncode\": 0", "\"returncode\": 1"},
      {"\"returncode\": 0", "\"returncode\": -15"},
      {"\"returncode\": 0", "\"returncode\": false"},
      {"\"returncode\": 0", "\"returncode\": 0.0"},
      {"\"group\": \"consistency\"", "\"group\": \"native\""},
      {"\"group\": \"consistency\"", "\"group\": \"G11\""},
      {"\"attention_case\": \"R/R\"", "\"attention_case\": \"P/R\""},
      {"\"attention_case\": \"R/R\"", "\"attention_case\": \"R/P\""},
      {"\"attention_case\": \"R/R\"", "\"attention_case\": \"P/P\""},
      {"\"ffn_case\": \"R/R\"", "\"ffn_case\": \"P/R\""},
      {"\"ffn_case\": \"R/R\"", "\"ffn_case\": \"P/P\""},
      {"\"logp_case\": \"R/R\"", "\"logp_case\": \"P/R\""},
      {"\"logp_case\": \"R/R\"", "\"logp_case\": \"R/P\""},
      {"\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": true"},
      {"\"framework_use_rollout_logprobs\": false", "\"framework_use_rollout_logprobs\": null"},
      {"\"num_rollout\": 2", "\"num_rollout\": 1"},
      {"\"num_rollout\": 2", "\"num_rollout\": 3"},
      {"\"num_rollout\": 2", "\"num_rollout\": 200"},
      {"\"global_batch_size\": 2", "\"global_batch_size\": 1"},
      {"\"global_batch_size\": 2", "\"global_batch_size\": 4"},
      {"\"gpus\": 8, \"offload", "\"gpus\": 4, \"offload"},
      {"\"actor_gpus\": 8", "\"actor_gpus\": 4"},
      {"\"rollout_gpus\": 8", "\"rollout_gpus\": 16"},
      {"\"tp\": 4}", "\"tp\": 2}"},
      {"\"tp\": 4}", "\"tp\": 8}"},
      {"\"cp\": 2", "\"cp\": 1"},
      {"\"cp\": 2", "\"cp\": 4"},
      {"\"pp\": 1", "\"pp\": 2"},
      {"\"colocate\": true", "\"colocate\": false"},
      {"\"offload_train\": false", "\"offload_train\": true"},
      {"\"offload_rollout\": true", "\"offload_rollout\": false"},
      {"\"rollout_tp\": 4", "\"rollout_tp\": 8"},
      {"\"rollout_cp\": 2", "\"rollout_cp\": 1"},
      {"\"rollout_gpus_per_engine\": 8", "\"rollout_gpus_per_engine\": 4"},
      {"\"rollout_engines\": 1", "\"rollout_engines\": 2"},
      {"\"evidence_level\": \"experimental\"", "\"evidence_level\": \"reference\""},
      {"\"pp\": 1", "\"pp\": 1, \"ep\": 1"},
      {"\"advantage_estimator\": \"grpo\"", "\"advantage_estimator\": \"gae\""},
      {"\"recompute_granularity\": \"full\"", "\"recompute_granularity\": \"selective\""},
      {"\"recompute_method\": \"uniform\"", "\"recompute_method\": \"block\""},
      {"\"recompute_num_layers\": 1", "\"recompute_num_layers\": 2"},
      {"\"recompute_num_layers\": 1", "\"recompute_num_layers\": 1, \"offload\": true"},
      {"\"cudagraph_mode\": \"FULL_DECODE_ONLY\"", "\"cudagraph_mode\": \"PIECEWISE\""},
      {"\"cudagraph_required\": true", "\"cudagraph_required\": false"},
      {"\"enforce_eager\": false", "\"enforce_eager\": true"},
      {"\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1]"},
      {"\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1, 2, 4]"},
      {"\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1, 3]"},
      {"\"capture_sizes\": [1, 2]", "\"capture_sizes\": []"},
      {"\"--advantage-estimator\", \"grpo\"", "\"--advantage-estimator\", \"gae\""},
      {"\"--actor-num-gpus-per-node\", \"8\"", "\"--actor-num-gpus-per-node\", \"4\""},
      {"\"--rollout-num-gpus\", \"8\"", "\"--rollout-num-gpus\", \"4\""},
      {"\"--tensor-model-parallel-size\", \"4\"", "\"--tensor-model-parallel-size\", \"2\""},
      {"\"--context-parallel-size\", \"2\"", "\"--context-parallel-size\", \"1\""},
      {"\"--rollout-num-gpus-per-engine\", \"8\"", "\"--rollout-num-gpus-per-engine\", \"4\""},
      {"\"--vllm-prefill-context-parallel-size\", \"2\"", "\"--vllm-prefill-context-parallel-size\", \"1\""},
      {"\"--colocate\", ", ""},
      {"\"--offload-rollout\",", ""},
      {"\"--no-offload-train\", ", ""},
      {"\"--no-offload-train\", ", "\"--offload-train\", "},
      {"\"train.py\", ", "\"train.py\", \"--use-rollout-logprobs\", "},
      {"linear_logp_provider.provider\"", "linear_logp_provider.native\""},
      {"\"--linear-logp-provider-mode\", \"strict\"", "\"--linear-logp-provider-mode\", \"auto\""},
      {"\"RL_KERNEL_LOGP_CASE\": \"R/R\"", "\"RL_KERNEL_LOGP_CASE\": \"P/R\""},
  };
  return kFlips;
}

std::string replaced_once(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

/// Every digit of the metrics that a step record is judged by, and of its number, changed.
void step_record_flips(Flips& flips) {
  const std::string& log = flips.file("run.log");
  std::vector<std::string> lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(" - step ") == std::string::npos) {
      continue;
    }
    const std::string kept = lines[i];
    for (const char* key :
         {"'train/train_rollout_logprob_abs_diff': 0", "mismatch_count': 0", "max_abs_diff': 0", "numel': 6"}) {
      std::string line = kept;
      const std::size_t at = line.find(key) + std::string_view(key).size() - 1;
      REQUIRE(at < line.size());
      for (const char digit : {'1', '3', '9'}) {
        line[at] = digit;
        lines[i] = line;
        flips.replaced(std::string(key) + " becomes " + digit, "run.log", joined(lines));
      }
    }
    lines[i].clear();
    flips.replaced("a step record removed", "run.log", joined(lines));
    lines[i] = replaced_once(kept, "'train/loss': 0.00", "'train/loss': 0.10");
    const std::string other = lines[i];
    lines[i] = kept + other;
    flips.replaced("a step record doubled with another value", "run.log", joined(lines));
    lines[i] = kept.substr(0, kept.size() - 2) + "\n";
    flips.replaced("a step record cut", "run.log", joined(lines));
    lines[i] = kept;
  }
}

}  // namespace

TEST_CASE("Flips: no bit of a used log-prob can change") {
  Flips flips;
  const std::vector<Target> targets = all_log_prob_bytes(flips);
  // 8 ranks, both sides, sidecars and dumps: 4 replicas of 2 samples of 6 tokens, in 2 rounds, of 4 bytes.
  REQUIRE(targets.size() == 4 * 2 * 6 * 2 * 4 * 2 * 2);
  std::mt19937 random(20260919);
  for (int i = 0; i < 1800; ++i) {
    const Target& target = targets[std::uniform_int_distribution<std::size_t>(0, targets.size() - 1)(random)];
    const int bit = std::uniform_int_distribution<int>(0, 7)(random);
    std::string bytes = flips.file(target.name);
    bytes[target.offset] = static_cast<char>(bytes[target.offset] ^ (1 << bit));
    flips.replaced(target.name + " byte " + std::to_string(target.offset) + " bit " + std::to_string(bit), target.name,
                   bytes);
  }
  CAPTURE(flips.slipped());
  CHECK(flips.slipped().empty());
  CHECK(flips.count() == 1800);
}

TEST_CASE("Flips: no judged value of the manifest can change") {
  Flips flips;
  for (const ManifestFlip& flip : manifest_flips()) {
    flips.replaced(std::string(flip.from) + " becomes " + flip.to, "manifest.json",
                   replaced_once(flips.file("manifest.json"), flip.from, flip.to));
  }
  CAPTURE(flips.slipped());
  CHECK(flips.slipped().empty());
}

TEST_CASE("Flips: no required file can be missing, doubled or exchanged") {
  Flips flips;
  std::vector<std::string> names;
  for (const auto& [name, bytes] : flips.run().files) {
    flips.expect_refusal("without " + name, {{name, std::nullopt}});
    flips.expect_refusal("empty " + name, {{name, ""}});
    names.push_back(name);
  }
  for (const std::string& name : names) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      continue;
    }
    const std::string extension = name.substr(name.rfind('.'));
    flips.expect_refusal("copy of " + name, {{name.substr(0, slash) + "/copy" + extension, flips.file(name)}});
  }
  for (int rank = 0; rank < 8; ++rank) {
    flips.expect_refusal("readback doubled", {{"readbacks/megatron-training-" + std::to_string(90 + rank) + ".json",
                                               flips.file(megatron(rank))}});
    flips.expect_refusal("readback doubled",
                         {{"readbacks/vllm-rollout-" + std::to_string(90 + rank) + ".json", flips.file(vllm(rank))}});
    flips.expect_refusal("readback doubled in place of another",
                         {{megatron(rank), flips.file(megatron((rank + 1) % 8))}});
    flips.expect_refusal("readback doubled in place of another", {{vllm(rank), flips.file(vllm((rank + 3) % 8))}});
    flips.exchanged(megatron(rank), vllm(rank));
    for (int call = 0; call < 2; ++call) {
      flips.expect_refusal("sidecar doubled", {{sidecar_path(rank, call + 2), flips.file(sidecar_path(rank, call))}});
      flips.expect_refusal("dump doubled", {{dump_path(rank, call + 2), flips.file(dump_path(rank, call))}});
      for (int other = rank + 1; other < 8; ++other) {
        flips.exchanged(sidecar_path(rank, call), sidecar_path(other, call));
        flips.exchanged(dump_path(rank, call), dump_path(other, call));
      }
    }
    flips.exchanged(sidecar_path(rank, 0), sidecar_path(rank, 1));
    flips.exchanged(dump_path(rank, 0), dump_path(rank, 1));
  }
  for (int version = 1; version <= 3; ++version) {
    const std::string name = "weight-audit/weight_v00000" + std::to_string(version) + ".json";
    const std::string next = "weight-audit/weight_v00000" + std::to_string(version % 3 + 1) + ".json";
    flips.exchanged(name, next);
    flips.expect_refusal("audit doubled", {{next, flips.file(name)}});
  }
  step_record_flips(flips);
  CAPTURE(flips.slipped());
  CHECK(flips.slipped().empty());
  CHECK(flips.count() == 395);
}

}  // namespace rlverify::judge::test
