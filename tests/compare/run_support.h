// SPDX-License-Identifier: Apache-2.0
// Small runs of any topology over the same samples, as texts and payloads that a test changes before it compares them.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare_runs.h"
#include "core/test_support.h"
#include "support/finding_lookup.h"
#include "support/pt_writer.h"
#include "support/test_run.h"

namespace rlverify::compare::test {

using core::test::TemporaryFolder;
using rlverify::test::PtValue;

/// One sample as everybody agrees on it, before any topology cuts it.
struct PlainSample {
  std::int64_t index = 0;
  std::vector<std::int64_t> tokens;  ///< prompt and response
  std::vector<float> train;          ///< response log-probs
  std::vector<float> rollout;
};

/// A run that is written with any parallel sizes.
struct SmallRun {
  std::string name = "small";
  int tensor_parallel = 4;
  int context_parallel = 2;
  std::vector<std::vector<PlainSample>> steps;
  std::vector<std::string> norms = {"0.0225", "0.034"};  ///< as the log prints them
  std::string arm =
      R"({"attention_case": "R/R", "ffn_case": "R/R", "logp_case": "R/R", "group": "consistency", "framework_use_rollout_logprobs": false})";
  std::string engine =
      "(VLLMEngine pid=5) enforce_eager=False, compilation_config={'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: "
      "(2, 0)>, 'cudagraph_capture_sizes': [1, 2]}\n";
  std::string capture_sizes = "[1, 2]";
  bool sidecars = true;
  bool int32_tokens = false;
  bool require_updates = false;

  /// Two steps of two samples with prompts of 5 and 7 and responses of 11 tokens.
  static SmallRun standard(std::string name) {
    SmallRun run;
    run.name = std::move(name);
    for (int step = 0; step < 2; ++step) {
      run.steps.emplace_back();
      for (int sample = 0; sample < 2; ++sample) {
        PlainSample plain;
        plain.index = step * 2 + sample;
        for (int position = 0; position < 16 + 2 * sample; ++position) {
          plain.tokens.push_back(1000 * step + 100 * sample + 3 * position + 11);
        }
        for (int position = 0; position < kResponse; ++position) {
          plain.train.push_back(-0.0625F * static_cast<float>(1 + (position * 5 + sample * 3 + step) % 17));
          plain.rollout.push_back(plain.train.back());
        }
        run.steps.back().push_back(std::move(plain));
      }
    }
    return run;
  }
  static constexpr int kResponse = 11;

  [[nodiscard]] int ranks() const { return tensor_parallel * context_parallel; }
  [[nodiscard]] rlverify::test::TestRun files() const;
};

/// Response positions that a context-parallel rank holds, in the order of its vectors: counted logit by logit.
inline std::vector<std::size_t> held_positions(std::size_t total, std::size_t response, int context_parallel,
                                               int cp_rank) {
  std::vector<std::size_t> positions;
  const auto pieces = static_cast<std::size_t>(2 * context_parallel);
  const std::size_t chunk = (total + pieces - 1) / pieces;
  const std::size_t prompt = total - response;
  if (context_parallel == 1) {
    for (std::size_t i = 0; i < response; ++i) {
      positions.push_back(i);
    }
    return positions;
  }
  for (const std::size_t piece : {static_cast<std::size_t>(cp_rank), pieces - 1 - static_cast<std::size_t>(cp_rank)}) {
    for (std::size_t logit = piece * chunk; logit < (piece + 1) * chunk; ++logit) {
      if (logit + 1 >= prompt && logit + 2 <= total) {
        positions.push_back(logit + 1 - prompt);
      }
    }
  }
  return positions;
}

inline PtValue piece_of(const SmallRun& run, const PlainSample& sample, const std::vector<float>& values, int rank) {
  std::vector<float> piece;
  const int cp_rank = rank / run.tensor_parallel % run.context_parallel;
  for (const std::size_t position :
       held_positions(sample.tokens.size(), values.size(), run.context_parallel, cp_rank)) {
    piece.push_back(values[position]);
  }
  return rlverify::test::float_tensor(piece);
}

inline PtValue tokens_of(const SmallRun& run, const PlainSample& sample) {
  if (run.int32_tokens) {
    return rlverify::test::int_tensor(std::vector<std::int32_t>(sample.tokens.begin(), sample.tokens.end()));
  }
  return rlverify::test::long_tensor(sample.tokens);
}

inline PtValue dump_of(const SmallRun& run, int rank, int step) {
  PtValue::List tokens;
  PtValue::List totals;
  PtValue::List responses;
  PtValue::List indices;
  PtValue::List train;
  PtValue::List rollout;
  for (const PlainSample& sample : run.steps[static_cast<std::size_t>(step)]) {
    tokens.push_back(tokens_of(run, sample));
    totals.emplace_back(static_cast<std::int64_t>(sample.tokens.size()));
    responses.emplace_back(static_cast<std::int64_t>(sample.train.size()));
    indices.emplace_back(sample.index);
    train.push_back(piece_of(run, sample, sample.train, rank));
    rollout.push_back(piece_of(run, sample, sample.rollout, rank));
  }
  return PtValue::Dict{{"rollout_id", step},
                       {"rank", rank},
                       {"rollout_data", PtValue::Dict{{"tokens", tokens},
                                                      {"total_lengths", totals},
                                                      {"response_lengths", responses},
                                                      {"sample_indices", indices},
                                                      {"log_probs", train},
                                                      {"rollout_log_probs", rollout}}}};
}

/// One file with whole samples (the newer form of train dumps).
inline PtValue whole_dump_of(const SmallRun& run, int step) {
  PtValue::List samples;
  for (const PlainSample& sample : run.steps[static_cast<std::size_t>(step)]) {
    samples.emplace_back(PtValue::Dict{{"sample_index", sample.index},
                                       {"data_parallel_rank", 0},
                                       {"tokens", tokens_of(run, sample)},
                                       {"response_lengths", static_cast<std::int64_t>(sample.train.size())},
                                       {"total_lengths", static_cast<std::int64_t>(sample.tokens.size())},
                                       {"log_probs", rlverify::test::float_tensor(sample.train)},
                                       {"rollout_log_probs", rlverify::test::float_tensor(sample.rollout)}});
  }
  return PtValue::Dict{{"format_version", 2}, {"rollout_id", step}, {"rank", 0}, {"samples", samples}};
}

inline PtValue rollout_dump_of(const SmallRun& run, int step) {
  PtValue::List samples;
  for (const PlainSample& sample : run.steps[static_cast<std::size_t>(step)]) {
    PtValue::List tokens;
    PtValue::List log_probs;
    for (const std::int64_t token : sample.tokens) {
      tokens.emplace_back(token);
    }
    for (const float value : sample.rollout) {
      log_probs.emplace_back(static_cast<double>(value));
    }
    samples.emplace_back(PtValue::Dict{{"index", sample.index},
                                       {"tokens", tokens},
                                       {"response_length", static_cast<std::int64_t>(sample.rollout.size())},
                                       {"rollout_log_probs", log_probs}});
  }
  return PtValue::Dict{{"rollout_id", step}, {"samples", samples}};
}

inline PtValue sidecar_of(const SmallRun& run, int rank, int step) {
  PtValue::List train;
  PtValue::List rollout;
  PtValue::List masks;
  PtValue::List totals;
  PtValue::List responses;
  for (const PlainSample& sample : run.steps[static_cast<std::size_t>(step)]) {
    train.push_back(piece_of(run, sample, sample.train, rank));
    rollout.push_back(piece_of(run, sample, sample.rollout, rank));
    masks.emplace_back(rlverify::test::int_tensor(std::vector<std::int32_t>(sample.train.size(), 1)));
    totals.emplace_back(static_cast<std::int64_t>(sample.tokens.size()));
    responses.emplace_back(static_cast<std::int64_t>(sample.train.size()));
  }
  return PtValue::Dict{{"schema_version", "rlkernel.vime_rocm_attention_mismatch_sidecar.v1"},
                       {"rank", rank},
                       {"call_index", step},
                       {"tensor_parallel_size", run.tensor_parallel},
                       {"context_parallel_size", run.context_parallel},
                       {"train_log_probs", train},
                       {"rollout_log_probs", rollout},
                       {"loss_masks", masks},
                       {"total_lengths", totals},
                       {"response_lengths", responses}};
}

inline rlverify::test::TestRun SmallRun::files() const {
  rlverify::test::TestRun run;
  run.files["manifest.json"] =
      "{\"run_id\": \"" + name + "\", \"arm\": " + arm + ", \"topology\": {\"tp\": " + std::to_string(tensor_parallel) +
      ", \"cp\": " + std::to_string(context_parallel) +
      "}, \"algorithm\": {\"require_updates\": " + (require_updates ? "true" : "false") +
      "}, \"vllm_execution\": {\"cudagraph_mode\": \"FULL_DECODE_ONLY\", \"capture_sizes\": " + capture_sizes + "}}\n";
  run.files["run.log"] = engine;
  for (std::size_t step = 0; step < norms.size(); ++step) {
    run.files["run.log"] += "(MegatronTrainRayActor pid=4100) model.py:1 - step " + std::to_string(step) +
                            ": {'train/loss': 0.5, 'train/grad_norm': " + norms[step] +
                            ", 'train/step': " + std::to_string(step) + "}\n";
  }
  run.files["ray-status.txt"] = "Status for job 'x': SUCCEEDED\n";
  run.files["readbacks/megatron-training-4100.json"] = rlverify::test::readback_text("megatron", 0);
  run.files["readbacks/vllm-rollout-5200.json"] = rlverify::test::readback_text("vllm", 0);
  for (int version = 1; version <= 3; ++version) {
    const rlverify::test::TestRun passing = rlverify::test::passing_run();
    const std::string path = "weight-audit/weight_v00000" + std::to_string(version) + ".json";
    run.files[path] = passing.files.at(path);
  }
  for (int step = 0; step < static_cast<int>(steps.size()); ++step) {
    for (int rank = 0; rank < ranks(); ++rank) {
      run.files[rlverify::test::dump_path(rank, step)] = rlverify::test::write_pt(dump_of(*this, rank, step));
      if (sidecars) {
        run.files[rlverify::test::sidecar_path(rank, step)] = rlverify::test::write_pt(sidecar_of(*this, rank, step));
      }
    }
  }
  return run;
}

/// A reference and a candidate on disk, compared when asked.
class Pair {
 public:
  Pair(const rlverify::test::TestRun& reference, const rlverify::test::TestRun& candidate) {
    reference.write(folder_.file("reference"));
    candidate.write(folder_.file("candidate"));
  }
  Pair(const SmallRun& reference, const SmallRun& candidate) : Pair(reference.files(), candidate.files()) {}

  [[nodiscard]] std::string path(const std::string& inside) const { return folder_.file(inside); }

  /// The comparison of what lies on disk now, with the findings of reading both.
  [[nodiscard]] CandidateComparison compare() {
    core::ThreadPool pool(2);
    RunEvidence reference = read_evidence(folder_.file("reference"), {}, pool);
    RunEvidence candidate = read_evidence(folder_.file("candidate"), {}, pool);
    reading_ = {};
    for (const RunEvidence* side : {&reference, &candidate}) {
      for (const core::Finding& finding : side->findings.list()) {
        reading_.add(finding);
      }
    }
    return compare_candidate(reference, candidate, pool, false);
  }
  [[nodiscard]] const core::Findings& reading() const { return reading_; }

 private:
  TemporaryFolder folder_;
  core::Findings reading_;
};

using rlverify::test::find;
using rlverify::test::finding;

inline bool errors(const core::Findings& findings) {
  return findings.has_error();
}

}  // namespace rlverify::compare::test
