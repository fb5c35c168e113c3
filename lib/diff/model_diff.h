// SPDX-License-Identifier: Apache-2.0
// Two models against each other, tensor by tensor. The first pass looks at everything, in parts over all cores; the
// second only at the worst tensors, those that are shown. Results are written by part and joined in order, so nothing
// depends on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/finding.h"
#include "core/thread_pool.h"
#include "diff/name_filter.h"
#include "diff/patterns.h"
#include "diff/positions.h"
#include "diff/tolerances.h"
#include "tensor/difference_detail.h"
#include "tensor/model.h"

namespace rlverify::diff {

enum class TensorState : std::uint8_t {
  kEqual,            ///< the same bits
  kWithinTolerance,  ///< other bits, none outside the tolerance
  kDifferent,
  kOtherShape,
  kOtherDtype,  ///< of the same shape
  kOnlyReference,
  kOnlyCandidate,
  kNotJudged,  ///< one side's tensor can't be read; a finding says why
};

/// One row of a tensor with the places of its differences (`--per-position`).
struct RowPositions {
  std::uint64_t row = 0;
  std::uint64_t different = 0;
  std::uint64_t first = 0;
  PositionBins bins;
};

/// What the second pass says of a tensor that is shown.
struct TensorDetail {
  tensor::DifferenceDetail statistics;
  std::vector<Pattern> patterns;
  std::vector<RowPositions> rows;    ///< the first kShownRows rows that differ; tensors of one or two dimensions
  std::uint64_t rows_different = 0;  ///< all of them; 0 where rows aren't looked at
};
inline constexpr std::size_t kShownRows = 16;

struct TensorDiff {
  std::string name;
  TensorState state = TensorState::kEqual;
  const tensor::ModelTensor* reference = nullptr;  ///< into ModelDiff's models
  const tensor::ModelTensor* candidate = nullptr;
  tensor::Difference difference;  ///< where dtype and shape are the same
  Tolerance tolerance;
  OutsideCount outside;                  ///< with an exact tolerance: all elements that differ
  std::optional<TensorDetail> detail;    ///< of tensors that are shown
  std::optional<core::Problem> problem;  ///< kNotJudged: why; nothing where the model's own faults say it

  /// Whether its elements were compared.
  [[nodiscard]] bool compared() const { return state <= TensorState::kDifferent; }
  /// Whether its elements have other bits.
  [[nodiscard]] bool differs() const { return compared() && state != TensorState::kEqual; }
};

struct DiffOptions {
  Tolerances tolerances;
  bool per_position = false;
  bool show_progress = false;
};

/// At most so many tensors are looked at a second time and shown.
inline constexpr std::size_t kShownTensors = 8;

enum class Answer : std::uint8_t {
  kEqual,
  kWithinTolerance,
  kDifferent,
  kIncomplete,  ///< what could be compared is equal (or within), and something couldn't be
  kNothing,     ///< nothing was compared
};
/// 0 for equal and within, 4 for nothing, else 1.
[[nodiscard]] core::ExitCode exit_code_of(Answer answer);

struct ModelDiff {
  std::string reference_path;
  std::string candidate_path;
  tensor::Model reference;
  tensor::Model candidate;
  std::vector<TensorDiff> tensors;  ///< all names that were selected, in natural order ("layers.2" before "layers.10")
  std::vector<std::size_t>
      worst;  ///< of those whose bits differ, the worst first; the first kShownTensors have details
  core::Findings findings;
  bool any_tolerance = false;
  std::uint64_t left_out = 0;  ///< names that weren't selected
  std::uint64_t files = 0;
  std::uint64_t tensors_compared = 0;
  std::uint64_t elements_compared = 0;
  std::uint64_t bytes_compared = 0;  ///< of one side
  std::uint64_t tensors_different = 0;
  std::uint64_t tensors_outside = 0;
  std::uint64_t elements_different = 0;
  std::uint64_t elements_outside = 0;

  [[nodiscard]] Answer answer() const;
  [[nodiscard]] core::ExitCode exit_code() const;
  /// The first tensor (in the order of `tensors`) with an element outside its tolerance, or, where there is none, with
  /// an element that differs.
  [[nodiscard]] const TensorDiff* first_different() const;
};

/// Opens two models and pairs the tensors that `filter` selects; no element is read. `tensors` is empty where it
/// selects none of the names (`left_out` counts those). Throws core::ArtifactError or core::InputError when a side
/// can't be read at all.
[[nodiscard]] ModelDiff pair_models(const std::string& reference_path, const std::string& candidate_path,
                                    const NameFilter& filter);

/// All names of both sides, selected or not, sorted.
[[nodiscard]] std::vector<std::string> names_of(const ModelDiff& diff);

/// Compares what was paired. Throws core::UsageError when a name has no tolerance, before anything is read.
void compare_pairs(ModelDiff& diff, const DiffOptions& options, core::ThreadPool& pool);

/// "layers.2" before "layers.10": runs of digits compare as numbers.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace rlverify::diff
