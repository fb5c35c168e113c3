// SPDX-License-Identifier: Apache-2.0
// What a comparison knows of one run: read from its directory, or from a sealed record that stands in for it
// (spec/documents.md section 4). Samples are kept as digests; a directory can be asked again for one step's values,
// a record can't.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/samples.h"
#include "compare/weights.h"
#include "core/finding.h"
#include "core/json_reader.h"
#include "core/thread_pool.h"
#include "run/run_directory.h"

namespace rlverify::compare {

inline constexpr const char* kTokenRecipe = "rlverify.tokens.v1";

/// The record of one step of the run log.
struct LogStep {
  std::int64_t step = 0;
  core::Value record;      ///< keys in log order
  std::uint64_t line = 0;  ///< 0 from a sealed record
};

/// Tokens of one step as digests.
struct StepTokens {
  std::int64_t step = 0;
  std::string sha256;                 ///< rlverify.tokens.v1
  std::vector<std::string> samples;   ///< token_digest of each, ascending sample index
  std::vector<std::int64_t> indices;  ///< the same samples' indices; empty from a record
  std::set<std::string> dtypes;       ///< of the token tensors; empty from a record
  std::uint64_t tokens = 0;           ///< number of tokens; 0 from a record
};

/// Log-probs of one step as digests.
struct StepLogProbs {
  std::int64_t step = 0;
  std::uint64_t samples = 0;
  std::uint64_t elements = 0;  ///< response positions with a log-prob of the training side (else of the rollout side)
  std::string sha256;          ///< over per_sample's 32 bytes each, in order
  std::vector<std::string> per_sample;  ///< SHA-256 over the sample's train and rollout digests
  /// log_prob_digest of each sample by kind, empty where there is none; empty lists from a record.
  std::array<std::vector<std::string>, kLogProbKinds> kinds;
};

/// Values of one field of the operator records, each with the first file that has it.
using FieldValues = std::map<std::string, std::string>;
/// "implementation", "backend_id", "actual_backend", "execution_mode", "platform", "fallback", "padded_vocab_size".
using ModuleFields = std::map<std::string, FieldValues>;

/// What the manifest asks for and what the readbacks say was executed.
struct BackendEvidence {
  std::map<std::string, std::string> requested;  ///< cases, group and reuse flag of the arm, as text
  bool updates_required = false;
  std::map<std::string, ModuleFields> modules;  ///< "megatron/training attention" -> fields
  std::uint64_t files = 0;
};

/// CUDA graphs: what the manifest asks for, and what the engine's lines say.
struct GraphEvidence {
  std::optional<std::string> requested_mode;
  std::set<std::int64_t> requested_sizes;
  std::string file;                            ///< of the lines below
  std::map<std::string, std::uint64_t> modes;  ///< "FULL_DECODE_ONLY", "eager" -> line
  std::set<std::int64_t> sizes;                ///< captured; empty: no line lists them
  std::uint64_t sizes_line = 0;
};

/// Eager attention against its CUDA graph, case by case (spec/documents.md section 3).
struct AttentionCases {
  std::vector<std::int64_t> cp;            ///< ascending
  std::vector<std::int64_t> interleave;    ///< ascending
  std::vector<std::int64_t> query_counts;  ///< descending
  std::int64_t passed = 0;
  std::int64_t mismatches = 0;
};

/// Everything of one run. Can be moved: values point into `directory` and `record`, which lie on the heap.
struct RunEvidence {
  std::string name;
  std::string path;                              ///< as given
  std::unique_ptr<run::RunDirectory> directory;  ///< null for a record
  std::unique_ptr<core::JsonDocument> record;    ///< null for a directory
  std::string status;                            ///< SUCCEEDED, FAILED, STOPPED, RUNNING or UNKNOWN
  std::vector<LogStep> steps;                    ///< ascending
  std::vector<LogStep> perf;                     ///< ascending: the training actor's
  bool has_log = false;
  std::string token_recipe;
  std::vector<StepTokens> tokens;           ///< ascending by step
  std::vector<StepLogProbs> log_probs;      ///< ascending by step; only steps that have some
  SampleSources sources;                    ///< of a directory
  std::optional<BackendEvidence> backends;  ///< without modules where there are no readbacks
  std::optional<GraphEvidence> graphs;
  std::optional<AttentionCases> attention_cases;
  WeightVersions weights;
  core::Findings findings;         ///< faults met while reading
  WeightCoverage sample_coverage;  ///< files, tensors, elements (tokens) and bytes of the dumps

  [[nodiscard]] bool sealed() const { return record != nullptr; }
};

struct ReadOptions {
  std::string name;  ///< overrides the run's own name; empty: manifest's run_id, else the directory's name
  bool show_progress = false;
};

/// Reads the run or the record at `path`. Throws core::InputError when there is nothing of the kind: no such path, a
/// model directory, a ROCm arm directory, a file that is no sealed record.
[[nodiscard]] RunEvidence read_evidence(const std::string& path, const ReadOptions& options, core::ThreadPool& pool);

// ---- its parts ----

/// `steps` and `perf` of a run log: the first record of a step counts; one that differs from it is a finding.
void read_log_steps(const run::RunLog& log, const std::string& file, RunEvidence& evidence);
/// A finding for every value of a record that JSON has no form for (RLV-347).
void non_finite_notes(const LogStep& step, const std::string& file, core::Findings& findings);
/// Tokens and log-probs of all steps, each step read once, spread over the pool.
void read_samples(RunEvidence& evidence, core::ThreadPool& pool, bool show_progress);
[[nodiscard]] BackendEvidence read_backends(const run::RunDirectory& run);
[[nodiscard]] std::optional<GraphEvidence> read_graphs(const run::RunDirectory& run);
/// Nothing without the folder `gpu-attention-cases`.
[[nodiscard]] std::optional<AttentionCases> read_attention_cases(const run::RunDirectory& run, core::ThreadPool& pool,
                                                                 core::Findings& findings);
/// Fills everything but name and path from the record that `evidence.record` holds. Throws core::InputError for a
/// document that is no sealed record.
void read_record(RunEvidence& evidence);

}  // namespace rlverify::compare
