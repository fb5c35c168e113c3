// SPDX-License-Identifier: Apache-2.0
// Log-prob implementations side by side on the same logits (spec/logp-contracts.md section 6): are the bits those of
// one rank, of a row alone, of another collective order, of the run before; how far from fp64; how fast.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rlverify_kernels/logp.h"

namespace rlverify::replay {

inline constexpr int kPriorArtRanks = 4;  ///< the document's keys speak of four ranks

/// The shared logits of all candidates: [tokens, vocabulary], -inf beyond the real vocabulary.
struct SharedLogits {
  std::vector<unsigned char> bytes;
  kernels::StorageType type = kernels::StorageType::kBFloat16;
  std::int64_t tokens = 0;
  std::int64_t vocabulary = 0;
  std::int64_t real_vocabulary = 0;
  std::vector<std::int64_t> targets;
};

/// N(0,1) logits rounded to bfloat16 and uniform targets, the same for a seed on every machine.
[[nodiscard]] SharedLogits synthetic_logits(std::int64_t tokens, std::int64_t vocabulary, std::int64_t real_vocabulary,
                                            std::uint64_t seed);
/// The memory that synthetic_logits takes, in bytes.
[[nodiscard]] std::uint64_t synthetic_logits_bytes(std::int64_t tokens, std::int64_t vocabulary);
/// All rows of a logp-inputs file with the whole vocabulary, in order. Throws core::ArtifactError for other files, and
/// for values that no log-prob can be computed from: NaN or +inf in a real column, a row without a finite one, a target
/// that is no real column.
[[nodiscard]] SharedLogits logits_of_file(const std::string& path);
/// The most memory that logits_of_file holds at a time, in bytes. Reads no logits.
[[nodiscard]] std::uint64_t logits_of_file_bytes(const std::string& path);

struct PriorArtOptions {
  std::vector<std::string> candidates;  ///< names of contracts; empty: those of the published document, in its order
  int repeats = 10;
};

/// What is known of one candidate; only `unavailable` when it can't run, or gives a number where fp64 gives none or the
/// other way round.
struct PriorArtCandidate {
  std::string name;
  std::optional<std::string> unavailable;
  bool tp4_equals_tp1 = false;
  std::optional<bool> nccl_setting_invariant;
  bool batch_bitwise = false;
  std::int64_t distinct_results = 0;
  double max_abs_vs_fp64 = 0.0;
  std::vector<std::pair<std::string, double>> max_abs_vs;  ///< every other candidate that ran, in order
  double latency_us = 0.0;  ///< median over the repeats, four ranks on one device one after the other
};

struct PriorArt {
  std::optional<std::string> gpu;
  std::string cpu;  ///< empty where a GPU ran
  std::int64_t tokens = 0;
  int repeats = 0;
  std::vector<kernels::CollectiveSetting> settings;  ///< the first is that of every other figure
  std::vector<PriorArtCandidate> candidates;
};

/// Throws core::UsageError, which lists the names there are, for the first of `names` that is no contract.
void require_contracts(const std::vector<std::string>& names);

/// Runs every candidate: on the CUDA device where there is one, else on the CPU (the bits are the same). Throws
/// core::DeviceError when the device fails, core::UsageError for an unknown candidate.
[[nodiscard]] PriorArt run_prior_art(const SharedLogits& logits, const PriorArtOptions& options);

}  // namespace rlverify::replay
