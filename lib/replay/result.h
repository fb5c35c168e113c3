// SPDX-License-Identifier: Apache-2.0
// What replaying a run gave: per side a table of hypotheses with how far each is from what the run recorded, which of
// them the side follows, and where the sides part.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/finding.h"
#include "tensor/dtype.h"

namespace rlverify::replay {

enum class Side : std::uint8_t { kTrain, kRollout };
inline constexpr std::size_t kSides = 2;
enum class Temperature : std::uint8_t { kOfFile, kOne };
/// Columns from the real to the padded vocabulary: left out, or summed like any other.
enum class Vocabulary : std::uint8_t { kReal, kPadded };
enum class Output : std::uint8_t { kAsComputed, kBfloat16 };

/// One way in which a side may have got its log-probs.
struct Hypothesis {
  std::string contract;
  Temperature temperature = Temperature::kOfFile;
  Vocabulary vocabulary = Vocabulary::kReal;
  Output output = Output::kAsComputed;
  bool top_p = false;  ///< renormalised over the nucleus of SideResult::nucleus
  friend bool operator==(const Hypothesis&, const Hypothesis&) = default;
};

/// One position of one sample.
struct Place {
  std::string file;
  std::int64_t rank = 0;
  std::int64_t call = 0;
  std::int64_t sample = 0;
  std::int64_t index = 0;                ///< row of the sample's logits
  std::optional<std::int64_t> position;  ///< in response coordinates, where the sidecar tells them
  std::int64_t token = 0;
};

/// What a side recorded at a place and what a hypothesis gives there.
struct Difference {
  Place place;
  double recorded = 0.0;
  double computed = 0.0;
};

/// How far a hypothesis is from a side. Differences are taken after the result was rounded to the side's dtype; ULP are
/// steps of that dtype. Pairs in which one value is not finite count as differing and are in no maximum or mean.
struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;  ///< values with other bits (NaN equals NaN)
  std::uint64_t not_finite = 0;
  double max_abs = 0.0;
  double sum_abs = 0.0;  ///< in order of files, samples and positions
  std::uint64_t max_ulp = 0;
  double sum_ulp = 0.0;
  std::optional<Difference> first;  ///< the first value that differs
  std::optional<Difference> first_not_finite;

  [[nodiscard]] std::uint64_t finite() const { return compared - not_finite; }
  [[nodiscard]] double mean_abs() const { return finite() == 0 ? 0.0 : sum_abs / static_cast<double>(finite()); }
  [[nodiscard]] double mean_ulp() const { return finite() == 0 ? 0.0 : sum_ulp / static_cast<double>(finite()); }
};

struct Row {
  Hypothesis hypothesis;
  Tally tally;
  std::size_t same_as = 0;           ///< the first row of its setting whose values are the same at every position
  std::optional<double> at_parting;  ///< the hypothesis' value where the sides part first
};

enum class SideVerdict : std::uint8_t {
  kNoEvidence,  ///< the run kept no log-probs of this side
  kExact,       ///< `followed` reproduces every bit
  kNamed,       ///< `followed` differs in under a fifth of the runner-up's values
  kNone,        ///< nothing does; `followed` is empty and `tied` lists what isn't ruled out
};

/// The nucleus that explains a renormalised side: the smallest set of most probable tokens that holds a mass of p.
struct Nucleus {
  double low = 0.0;   ///< p is above this ...
  double high = 1.0;  ///< ... and at most this
  Temperature temperature = Temperature::kOfFile;
};

struct SideResult {
  Side side = Side::kTrain;
  tensor::DType dtype = tensor::DType::kFloat32;  ///< of the first values
  std::vector<Row> rows;
  SideVerdict verdict = SideVerdict::kNoEvidence;
  std::vector<std::size_t> followed;   ///< rows; more than one where they can't be told apart
  std::vector<std::size_t> tied;       ///< rows that are within five times of the best count, where none is named
  std::optional<std::size_t> nearest;  ///< the row of the smallest mean difference
  /// The nearest row's temperature, vocabulary and output are told by the mean difference: every other setting is five
  /// times farther.
  bool setting_is_clear = false;
  std::optional<Nucleus> nucleus;
};

/// Where train and rollout have other bits for the first time.
struct Parting {
  Place place;
  double train = 0.0;
  double rollout = 0.0;
};

/// Train against rollout, without any contract.
struct Direct {
  Tally tally;  ///< recorded is train, computed is rollout
  std::optional<Parting> first;
};

/// What the hypotheses' words mean in this run.
struct Settings {
  std::vector<double> temperatures;            ///< of the files, ascending, each once
  std::vector<std::int64_t> real_vocab_sizes;  ///< the same
  std::vector<std::int64_t> padded_vocab_sizes;
  std::vector<std::int64_t> tensor_parallel_sizes;
  bool scaled = false;  ///< some logits were divided by the temperature before they were kept
};

struct Unavailable {
  std::string contract;
  std::string reason;
};

/// What a report says about a contract that was tried.
struct ContractNote {
  std::string contract;
  std::string used_by;
  std::string stand_in;  ///< what is not known of the system and was chosen; empty when nothing is
};

struct ReplayResult {
  std::string input;  ///< as given
  std::string backend;
  std::string device;
  std::string exactness;  ///< what the computed bits are equal to
  std::uint64_t files = 0;
  std::uint64_t tensors = 0;
  std::uint64_t values = 0;  ///< rows of logits that were computed from
  std::uint64_t bytes = 0;   ///< of logits or hidden states
  Settings settings;
  std::array<SideResult, kSides> sides;
  Direct direct;
  std::vector<Hypothesis> common;  ///< what both sides follow
  std::vector<ContractNote> contracts;
  std::vector<Unavailable> unavailable;
  core::Findings findings;

  [[nodiscard]] const SideResult& side(Side which) const { return sides.at(static_cast<std::size_t>(which)); }
  /// 0 when both sides follow one hypothesis and nothing went wrong, 4 without anything to compute from, else 1.
  [[nodiscard]] core::ExitCode exit_code() const;
  /// Whether neither side could be judged because the inputs are at fault, not because log-probs are missing.
  [[nodiscard]] bool no_usable_input() const;
};

/// "train" or "rollout".
[[nodiscard]] constexpr const char* side_name(Side side) {
  return side == Side::kTrain ? "train" : "rollout";
}

}  // namespace rlverify::replay
