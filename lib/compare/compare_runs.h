// SPDX-License-Identifier: Apache-2.0
// A candidate against the reference, section by section, and where the two first part in causal order
// (spec/documents.md section 2). Finding codes: RLV-320 to 359; weights have theirs (weights.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/evidence.h"
#include "sidecar/mismatch_series.h"

namespace rlverify::compare {

/// What became of one section. Nothing: there was no evidence on a side.
using Verdict = std::optional<bool>;

/// Where the runs first part.
struct FirstDivergence {
  core::Section section = core::Section::kBackends;
  std::optional<std::int64_t> step;  ///< nothing for backends and CUDA graphs, which come before all steps
  std::string version;               ///< of weights
  std::string code;                  ///< of the finding that says it
  std::string what;                  ///< "step 1, norms: ..."
  std::string before;                ///< "everything before is bit-identical: ..."
};

/// What a section looked at, of both sides.
struct SectionCoverage {
  WeightCoverage backends;
  WeightCoverage graphs;
  WeightCoverage weights;
  WeightCoverage tokens;
  WeightCoverage log_probs;
  WeightCoverage norms;
};

/// Gradient norms of one step as logged; nothing where a side has no number.
struct NormPair {
  std::optional<double> reference;
  std::optional<double> candidate;
};

struct CandidateComparison {
  std::string name;
  WeightComparison weights;
  Verdict backends;
  Verdict graphs;
  Verdict tokens;
  Verdict log_probs;
  std::map<std::int64_t, bool> norms;            ///< every step that a side has
  std::map<std::int64_t, NormPair> norm_values;  ///< the same steps, for pictures
  std::map<std::int64_t, Verdict> step_tokens;   ///< every step that a side has
  std::map<std::int64_t, Verdict> step_log_probs;
  /// Log-probs against the reference's, for pictures: of the dumps where both sides have them, else of the sidecars.
  /// Steps known by digests alone are left out.
  sidecar::MismatchSeries log_prob_series;
  bool backends_note_only = false;  ///< they differ, and the manifests ask for different arms
  bool graphs_note_only = false;
  std::optional<FirstDivergence> first;
  core::Findings findings;  ///< causes before consequences
  SectionCoverage coverage;

  [[nodiscard]] Verdict norms_equal() const;
  /// Required sections are there and equal, and no finding is an error.
  [[nodiscard]] bool passed() const;
  /// Some section was compared on both sides.
  [[nodiscard]] bool anything_compared() const;
};

/// All candidates against the reference.
struct RunComparison {
  std::string reference;
  std::vector<CandidateComparison> candidates;
  core::Findings findings;  ///< faults met while reading any of the runs, errors included

  [[nodiscard]] core::ExitCode exit_code() const;
};

/// Compares one candidate. Asks directories again for the values of steps that differ. Never throws for what an
/// artifact holds.
[[nodiscard]] CandidateComparison compare_candidate(RunEvidence& reference, RunEvidence& candidate,
                                                    core::ThreadPool& pool, bool show_progress);

// ---- its parts: each fills its verdicts and adds findings ----

void compare_backends(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out);
void compare_graphs(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out);
void compare_tokens(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out);
/// After compare_tokens: only samples whose tokens agree are compared.
void compare_log_probs(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out);
/// After weights and tokens, whose equality a constant ratio is told beside.
void compare_norms(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out);
/// Finds the first divergence, marks what follows from it, and orders the findings.
void order_causes(CandidateComparison& out);
/// The step that trained on a weight version: its number less `first`, the number of the initial weights; step 0 for
/// names without a number.
[[nodiscard]] std::int64_t step_of_version(const std::string& version, std::int64_t first = 1);

}  // namespace rlverify::compare
