// SPDX-License-Identifier: Apache-2.0
// The samples of one training step, put together from whatever the ranks dumped: tokens, and log-probs in response
// coordinates. One step is held at a time; what is kept of a run are digests (evidence.h). Matching is by sample index,
// never file by file, so that runs of different topology compare.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "core/thread_pool.h"
#include "run/run_directory.h"
#include "tensor/dtype.h"

namespace rlverify::compare {

/// Where a vector of log-probs comes from. Dumps and sidecars keep the same numbers; each source is compared with its
/// own kind.
enum class LogProbKind : std::uint8_t { kTrain, kRollout, kSidecarTrain, kSidecarRollout };
inline constexpr std::size_t kLogProbKinds = 4;
/// "train log-probs", "rollout log-probs of the sidecars" ...
[[nodiscard]] std::string_view log_prob_name(LogProbKind kind);

/// One sample's log-probs in response coordinates, context-parallel pieces put back.
struct LogProbs {
  tensor::DType dtype = tensor::DType::kFloat32;
  std::vector<std::byte> values;      ///< one element per response position; zero where nobody has it
  std::vector<std::uint8_t> present;  ///< one byte per response position; empty: no evidence at all
  std::uint64_t present_count = 0;
  std::vector<std::string> files;     ///< that hold a part of it
  std::vector<std::int64_t> ranks;    ///< of the same files; -1 where none is known
  std::vector<std::uint32_t> owners;  ///< per response position: which of `files` gave it
  /// The file that holds a position that is there.
  [[nodiscard]] const std::string& file_of(std::size_t position) const { return files.at(owners.at(position)); }
  [[nodiscard]] std::int64_t rank_of(std::size_t position) const { return ranks.at(owners.at(position)); }
  [[nodiscard]] bool known() const { return present_count != 0; }
};

struct Sample {
  std::int64_t index = 0;  ///< `sample_indices`, `sample_index` or `index`
  bool has_tokens = false;
  std::vector<std::int64_t> tokens;  ///< prompt and response
  tensor::DType token_dtype = tensor::DType::kInt64;
  std::int64_t total_length = -1;  ///< -1: not stated
  std::int64_t response_length = -1;
  std::string file;  ///< the first that has it
  std::array<LogProbs, kLogProbKinds> log_probs;
};

struct StepSamples {
  std::int64_t step = 0;
  std::vector<Sample> samples;  ///< ascending index
  std::uint64_t files = 0;
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  core::Findings findings;  ///< RLV-324, 325, 333, 335

  [[nodiscard]] const Sample* find(std::int64_t index) const;
};

struct SidecarName {
  std::string name;
  std::int64_t rank = 0;
  std::int64_t call = 0;
};

/// Which files hold the samples of which step: dumps by their names, sidecars by the samples in them.
struct SampleSources {
  std::string run_path;
  std::string folder;                     ///< "train-data" or "dump/rollout_data"
  std::int64_t tensor_parallel_size = 0;  ///< 0: the manifest doesn't say
  std::int64_t context_parallel_size = 0;
  std::map<std::int64_t, std::vector<std::string>> dumps;  ///< step -> file names
  std::map<std::int64_t, std::vector<SidecarName>>
      sidecars;                       ///< step -> by (rank, call); only where dumps name the samples
  bool empty_sidecar_folder = false;  ///< mismatch-sidecars/ is there without a file
};

/// Train dumps where there are any, else rollout dumps (`dump/rollout_data`). Faults of folders and names become
/// findings.
[[nodiscard]] SampleSources sample_sources(const run::RunDirectory& run, core::ThreadPool& pool,
                                           core::Findings& findings);

/// Reads all files of one step. A file or a vector that can't be used becomes a finding; nothing is guessed for it.
[[nodiscard]] StepSamples load_step(const SampleSources& sources, std::int64_t step);

/// `rlverify.tokens.v1` of one sample: SHA-256 of its token count and its tokens as 8-byte little-endian integers.
[[nodiscard]] std::string token_digest(const Sample& sample);
/// SHA-256 of dtype name, response length, positions that are there (one byte each) and elements.
[[nodiscard]] std::string log_prob_digest(const LogProbs& log_probs);

}  // namespace rlverify::compare
