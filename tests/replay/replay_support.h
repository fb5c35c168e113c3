// SPDX-License-Identifier: Apache-2.0
// Small dumps of kernel inputs on disk, and the log-probs that a contract gives for a whole sample at once (so that the
// pieces of the replay are held against a computation without pieces).
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/test_support.h"
#include "replay/replay.h"
#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/synthetic.h"
#include "run/file_names.h"
#include "run/logp_inputs_file.h"
#include "run/sidecar_file.h"
#include "support/finding_lookup.h"
#include "support/pt_writer.h"

namespace rlverify::replay::test {

using core::test::TemporaryFolder;
using kernels::ContractId;
using kernels::StorageType;
using rlverify::test::PtTensor;
using rlverify::test::PtValue;

struct Sample {
  std::string logits;  ///< raw bytes, [rows, padded]
  std::vector<std::int64_t> targets;
  std::vector<float> train;
  std::vector<float> rollout;
};

/// How a side gets its log-probs.
struct Way {
  ContractId contract = ContractId::kVllmGather;
  double temperature = 1.0;
  bool padded = false;  ///< the padding is summed
  bool bfloat16 = false;
};

/// One call of all its tensor-parallel ranks.
struct Dump {
  std::int64_t call = 0;
  std::int64_t ranks = 1;  ///< tensor-parallel size
  double temperature = 1.0;
  std::int64_t real = 0;
  std::int64_t padded = 0;
  StorageType type = StorageType::kBFloat16;
  std::vector<Sample> samples;

  [[nodiscard]] std::int64_t element_bytes() const { return kernels::storage_bytes(type); }

  [[nodiscard]] PtTensor matrix(const Sample& sample, std::int64_t first_column, std::int64_t columns) const {
    const auto rows = static_cast<std::int64_t>(sample.targets.size());
    std::string bytes;
    for (std::int64_t row = 0; row < rows; ++row) {
      bytes += sample.logits.substr(static_cast<std::size_t>((row * padded + first_column) * element_bytes()),
                                    static_cast<std::size_t>(columns * element_bytes()));
    }
    PtTensor tensor =
        rlverify::test::vector_tensor(type == StorageType::kFloat32 ? "FloatStorage" : "BFloat16Storage", bytes, 0);
    tensor.shape = {rows, columns};
    return tensor;
  }

  /// The payload of `rank`; with `local` its slice of the vocabulary, else all of it. Log-probs lie beside the inputs.
  [[nodiscard]] PtValue payload(std::int64_t rank = 0, bool local = false) const {
    PtValue::List logits;
    PtValue::List targets;
    PtValue::List train;
    PtValue::List rollout;
    for (const Sample& sample : samples) {
      const std::int64_t columns = local ? padded / ranks : padded;
      logits.emplace_back(matrix(sample, local ? rank % ranks * columns : 0, columns));
      targets.emplace_back(rlverify::test::long_tensor(sample.targets));
      train.emplace_back(rlverify::test::float_tensor(sample.train));
      rollout.emplace_back(rlverify::test::float_tensor(sample.rollout));
    }
    return PtValue::Dict{{"schema_version", run::kLogpInputsSchema},
                         {"rank", rank},
                         {"call_index", call},
                         {"tensor_parallel_size", ranks},
                         {"context_parallel_size", 1},
                         {"temperature", temperature},
                         {"real_vocab_size", real},
                         {"padded_vocab_size", padded},
                         {"targets", targets},
                         {"logits", logits},
                         {"logits_are_temperature_scaled", false},
                         {"train_log_probs", train},
                         {"rollout_log_probs", rollout}};
  }

  /// The sidecar of `rank`: prompts of 2 tokens; `active` per position of every sample (all when empty).
  [[nodiscard]] PtValue sidecar(std::int64_t rank = 0, const std::vector<std::int32_t>& active = {}) const {
    PtValue::List train;
    PtValue::List rollout;
    PtValue::List masks;
    PtValue::List total;
    PtValue::List response;
    for (const Sample& sample : samples) {
      const auto rows = static_cast<std::int64_t>(sample.targets.size());
      train.emplace_back(rlverify::test::float_tensor(sample.train));
      rollout.emplace_back(rlverify::test::float_tensor(sample.rollout));
      masks.emplace_back(
          rlverify::test::int_tensor(active.empty() ? std::vector<std::int32_t>(sample.targets.size(), 1) : active));
      total.emplace_back(rows + 2);
      response.emplace_back(rows);
    }
    return PtValue::Dict{{"schema_version", run::kSidecarSchema},
                         {"rank", rank},
                         {"call_index", call},
                         {"tensor_parallel_size", ranks},
                         {"context_parallel_size", 1},
                         {"train_log_probs", train},
                         {"rollout_log_probs", rollout},
                         {"loss_masks", masks},
                         {"total_lengths", total},
                         {"response_lengths", response}};
  }

  [[nodiscard]] kernels::LogpInput input(const Sample& sample, const Way& way) const {
    kernels::LogpInput input;
    input.logits = sample.logits.data();
    input.logits_type = type;
    input.targets = sample.targets.data();
    input.rows = static_cast<std::int64_t>(sample.targets.size());
    input.padded_vocab_size = padded;
    input.real_vocab_size = way.padded ? padded : real;
    input.temperature = way.temperature;
    input.tensor_parallel_size = static_cast<int>(ranks);
    return input;
  }

  /// The sample's logits with -inf in the padding.
  [[nodiscard]] Sample masked(const Sample& sample) const {
    Sample out = sample;
    const std::string infinity = type == StorageType::kFloat32 ? std::string("\0\0\x80\xff", 4) : "\x80\xff";
    for (std::size_t row = 0; row < sample.targets.size(); ++row) {
      for (std::int64_t column = real; column < padded; ++column) {
        const auto at = (static_cast<std::int64_t>(row) * padded + column) * element_bytes();
        out.logits.replace(static_cast<std::size_t>(at), infinity.size(), infinity);
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<float> values(const Sample& sample, const Way& way) const {
    const Sample cut = way.padded ? sample : masked(sample);
    std::vector<float> values(sample.targets.size());
    kernels::compute_logp(way.contract, input(cut, way), {}, {values.data(), nullptr});
    for (float& value : values) {
      value = way.bfloat16 ? kernels::rounded_to(value, StorageType::kBFloat16) : value;
    }
    return values;
  }

  void set(const Way& train, const Way& rollout) {
    for (Sample& sample : samples) {
      sample.train = values(sample, train);
      sample.rollout = values(sample, rollout);
    }
  }

  /// Writes one file per rank, each with its slice where `local`.
  void write(const TemporaryFolder& folder, bool local = false) const {
    std::filesystem::create_directories(folder.file("logp-inputs"));
    for (std::int64_t rank = 0; rank < (local ? ranks : 1); ++rank) {
      folder.write("logp-inputs/" + run::rank_call_name(rank, call), rlverify::test::write_pt(payload(rank, local)));
    }
  }
};

/// Normal logits in every column, the padding included.
inline Dump normal_dump(std::uint64_t seed, std::int64_t rows, std::int64_t padded, std::int64_t real,
                        StorageType type = StorageType::kBFloat16, std::size_t samples = 2) {
  Dump dump;
  dump.real = real;
  dump.padded = padded;
  dump.type = type;
  for (std::size_t i = 0; i < samples; ++i) {
    Sample sample;
    const auto bytes = kernels::normal_logits(seed + i, rows, padded, padded, 2.0F, type);
    sample.logits.assign(bytes.begin(), bytes.end());
    sample.targets = kernels::uniform_targets(seed + i, rows, real);
    dump.samples.push_back(std::move(sample));
  }
  dump.set({}, {});
  return dump;
}

/// A dump of given fp32 logits.
inline Dump given_dump(const std::vector<float>& logits, std::int64_t padded, std::int64_t real,
                       std::vector<std::int64_t> targets) {
  Dump dump;
  dump.real = real;
  dump.padded = padded;
  dump.type = StorageType::kFloat32;
  Sample sample;
  sample.logits = rlverify::test::raw_bytes(logits);
  sample.targets = std::move(targets);
  dump.samples.push_back(std::move(sample));
  return dump;
}

inline ReplayResult replayed(const Dump& dump, bool local = false, const ReplayOptions& options = {}) {
  const TemporaryFolder folder;
  dump.write(folder, local);
  return replay(folder.file(""), options);
}

/// What a side follows, as "contract temperature vocabulary output": "vllm_gather file real plain".
inline std::vector<std::string> follows(const ReplayResult& result, Side side) {
  std::vector<std::string> words;
  for (const std::size_t row : result.side(side).followed) {
    const Hypothesis& h = result.side(side).rows[row].hypothesis;
    words.push_back(h.contract + (h.temperature == Temperature::kOfFile ? " file" : " one") +
                    (h.vocabulary == Vocabulary::kReal ? " real" : " padded") +
                    (h.top_p                         ? " top-p"
                     : h.output == Output::kBfloat16 ? " bf16"
                                                     : " plain"));
  }
  return words;
}

using rlverify::test::find;
using rlverify::test::finding;

}  // namespace rlverify::replay::test
