// SPDX-License-Identifier: Apache-2.0
// The values of one step of both sides, read again once digests differ (internal to the comparison).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "compare/evidence.h"

namespace rlverify::compare {

class StepValues {
 public:
  StepValues(const RunEvidence& reference, const RunEvidence& candidate, std::int64_t step)
      : reference_(reference), candidate_(candidate), step_(step) {}
  /// Whether both sides are directories: a record has no values.
  [[nodiscard]] bool available() const { return !reference_.sealed() && !candidate_.sealed(); }
  [[nodiscard]] const StepSamples& reference() { return load(reference_, reference_samples_); }
  [[nodiscard]] const StepSamples& candidate() { return load(candidate_, candidate_samples_); }

 private:
  const StepSamples& load(const RunEvidence& side, std::optional<StepSamples>& samples) const {
    if (!samples) {
      samples = load_step(side.sources, step_);
    }
    return *samples;
  }
  const RunEvidence& reference_;
  const RunEvidence& candidate_;
  std::int64_t step_;
  std::optional<StepSamples> reference_samples_;
  std::optional<StepSamples> candidate_samples_;
};

/// Finds the entry of a step in a list that ascends by step; null without one.
template <typename Step>
[[nodiscard]] const Step* find_step(const std::vector<Step>& steps, std::int64_t step) {
  for (const Step& entry : steps) {
    if (entry.step == step) {
      return &entry;
    }
  }
  return nullptr;
}

/// Samples of a step that correspond: positions in both sides' lists. By sample index where both sides know it, else by
/// order (a record keeps ascending order and no indices).
struct SamplePair {
  std::int64_t name = 0;  ///< sample index, or position where none is known
  std::optional<std::size_t> reference;
  std::optional<std::size_t> candidate;
};
[[nodiscard]] std::vector<SamplePair> pair_samples(const StepTokens& reference, const StepTokens& candidate);

/// A finding about `side`; `step` where it has one.
[[nodiscard]] inline core::Finding step_finding(core::Section section, const char* code, std::string what,
                                                const RunEvidence& side, std::optional<std::int64_t> step) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, section, std::move(what));
  finding.place.file = side.path;
  finding.place.step = step;
  return finding;
}

}  // namespace rlverify::compare
