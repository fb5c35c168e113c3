// SPDX-License-Identifier: Apache-2.0
// One version of both sides, judged (internal to compare/weights.h): how each form of evidence is compared, and what is
// then said about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "compare/weights_sides.h"

namespace rlverify::compare {

/// A tensor with NaN or infinity in it.
struct NonFiniteTensor {
  std::string name;
  std::optional<std::uint64_t> reference;  ///< elements; nothing where only a digest is known
  std::optional<std::uint64_t> candidate;
};

/// What the comparison of one version measured, before anything is said about it.
struct Judged {
  std::vector<TensorOutcome> outcomes;  ///< by name
  std::vector<NonFiniteTensor> non_finite;
  std::uint64_t names = 0;  ///< tensors that either side has
  WeightCoverage coverage;
  std::optional<bool> tied;  ///< tie_word_embeddings: the candidate's config.json, else the reference's
  bool damaged = false;      ///< a part of a side can't be read (findings say which)
  std::string unavailable;   ///< nothing could be compared: why
  bool by_digest = false;
  bool sampled = false;                            ///< only one sampled tensor is known
  std::shared_ptr<Sides> sides;                    ///< null when unavailable
  std::vector<std::shared_ptr<const void>> keeps;  ///< what `sides` looks into
};

struct VersionInput {
  WeightVersion& reference;
  WeightVersion& candidate;
  core::ThreadPool& pool;
  core::Progress* progress;
  core::Findings& findings;
};

/// Compares the version in the cheapest way that its evidence allows. Faults of the evidence become findings.
[[nodiscard]] Judged judge_version(const VersionInput& input);

/// Hints, tied embeddings and findings of a judged version; fills `out`. `because_of` is the finding that differences
/// follow from, or empty.
void explain_version(Judged judged, const WeightVersion& reference, const WeightVersion& candidate,
                     const std::string& because_of, core::Findings& findings, VersionComparison& out);

/// "candidate expert 4 equals reference expert 0 (shift -4)" for names that differ in one number; empty for others.
[[nodiscard]] std::string shift_text(const std::string& candidate, const std::string& reference);

/// A finding of section kWeights with its place in a version.
[[nodiscard]] core::Finding weight_finding(std::string code, core::Severity severity, std::string what,
                                           const WeightVersion& version);

}  // namespace rlverify::compare
