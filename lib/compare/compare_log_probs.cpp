// SPDX-License-Identifier: Apache-2.0
// Log-probs of samples whose tokens agree, in response coordinates, kind by kind. Only digests are held; a step that
// differs is read again to name the first position.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compare/compare_runs.h"
#include "compare/log_prob_vectors.h"
#include "compare/step_values.h"
#include "tensor/difference.h"

namespace rlverify::compare {
namespace {

using core::Section;
using core::Severity;

/// One step of both sides.
class StepComparison {
 public:
  StepComparison(const RunEvidence& reference, const RunEvidence& candidate, std::int64_t step,
                 CandidateComparison& out)
      : reference_(reference),
        candidate_(candidate),
        step_(step),
        out_(out),
        left_tokens_(*find_step(reference.tokens, step)),
        right_tokens_(*find_step(candidate.tokens, step)),
        left_(*find_step(reference.log_probs, step)),
        right_(*find_step(candidate.log_probs, step)),
        values_(reference, candidate, step) {}

  /// Whether all comparable log-probs are equal; nothing when none was comparable.
  Verdict run() {
    for (const SamplePair& pair : pair_samples(left_tokens_, right_tokens_)) {
      if (!pair.reference || !pair.candidate) {
        continue;  // a matter of tokens
      }
      if (left_tokens_.samples[*pair.reference] != right_tokens_.samples[*pair.candidate]) {
        not_comparable(pair);
      } else if (left_.kinds[0].empty() || right_.kinds[0].empty()) {
        compare_digests(pair);
      } else {
        for (std::size_t kind = 0; kind < kLogProbKinds; ++kind) {
          compare_kind(pair, static_cast<LogProbKind>(kind));
        }
      }
    }
    if (compared_ == 0) {
      return std::nullopt;
    }
    out_.coverage.log_probs.elements += left_.elements;
    if (values_.available()) {
      out_.log_prob_series.by_step[step_] = step_mismatches_;
    }
    return equal_;
  }

 private:
  void not_comparable(const SamplePair& pair) {
    core::Finding note = step_finding(Section::kLogProbs, "RLV-331",
                                      "log-probs of a sample are not comparable: its tokens differ", candidate_, step_);
    note.severity = Severity::kNote;
    note.place.sample = pair.name;
    note.because_of = "RLV-320";
    out_.findings.add(std::move(note));
  }

  /// A record on a side: one digest per sample.
  void compare_digests(const SamplePair& pair) {
    if (*pair.reference >= left_.per_sample.size() || *pair.candidate >= right_.per_sample.size()) {
      coverage(pair, "the record lists fewer samples of log-probs than of tokens", "", "");
      return;
    }
    ++compared_;
    const std::string& a = left_.per_sample[*pair.reference];
    const std::string& b = right_.per_sample[*pair.candidate];
    if (a == b) {
      return;
    }
    core::Finding finding = step_finding(Section::kLogProbs, "RLV-330",
                                         fmt::format("log-probs of sample {} differ", pair.name), candidate_, step_);
    finding.place.sample = pair.name;
    finding.expected = a;
    finding.found = b;
    finding.hint = "A sealed record keeps digests of samples: no position can be named.";
    add_difference(std::move(finding));
  }

  void compare_kind(const SamplePair& pair, LogProbKind kind) {
    const std::string& a = left_.kinds.at(static_cast<std::size_t>(kind))[*pair.reference];
    const std::string& b = right_.kinds.at(static_cast<std::size_t>(kind))[*pair.candidate];
    if (a.empty() && b.empty()) {
      return;
    }
    if (a.empty() || b.empty()) {
      const auto& side =
          a.empty() ? left_.kinds.at(static_cast<std::size_t>(kind)) : right_.kinds.at(static_cast<std::size_t>(kind));
      const bool kind_elsewhere =
          std::any_of(side.begin(), side.end(), [](const std::string& digest) { return !digest.empty(); });
      if (kind_elsewhere) {
        coverage(pair, fmt::format("{} of a sample are missing", log_prob_name(kind)), "",
                 a.empty() ? "none in " + reference_.name : "none in " + candidate_.name);
      } else {
        one_sided_kind(kind, a.empty() ? reference_ : candidate_);
      }
      return;
    }
    ++compared_;
    if (a != b) {
      explain(pair, kind);
    }
  }

  /// A kind that one side doesn't keep at all: dumps without log-probs, a run without sidecars.
  void one_sided_kind(LogProbKind kind, const RunEvidence& without) {
    core::Finding finding = step_finding(
        Section::kLogProbs, "RLV-334",
        fmt::format("{} can't be compared: {} has none", log_prob_name(kind), without.name), without, std::nullopt);
    finding.severity = Severity::kNote;
    if (without.sources.empty_sidecar_folder &&
        (kind == LogProbKind::kSidecarTrain || kind == LogProbKind::kSidecarRollout)) {
      finding.code = "RLV-332";
      finding.severity = Severity::kError;
      finding.what = fmt::format("no {} entries: mismatch-sidecars/ is empty",
                                 &without == &candidate_ ? "candidate" : "reference");
      equal_ = false;
    }
    out_.findings.add(std::move(finding));
  }

  void explain(const SamplePair& pair, LogProbKind kind) {
    const Sample* const left = values_.reference().find(left_tokens_.indices[*pair.reference]);
    const Sample* const right = values_.candidate().find(right_tokens_.indices[*pair.candidate]);
    core::Finding finding = step_finding(Section::kLogProbs, "RLV-330",
                                         fmt::format("{} of a sample differ", log_prob_name(kind)), candidate_, step_);
    finding.place.sample = pair.name;
    if (left == nullptr || right == nullptr) {
      finding.hint = "The files changed while they were read.";
      add_difference(std::move(finding));
      return;
    }
    const LogProbs& a = left->log_probs.at(static_cast<std::size_t>(kind));
    const LogProbs& b = right->log_probs.at(static_cast<std::size_t>(kind));
    finding.place.file = right->file;
    if (a.dtype != b.dtype) {
      finding.what = fmt::format("{} have another dtype", log_prob_name(kind));
      finding.expected = tensor::torch_name(a.dtype);
      finding.found = tensor::torch_name(b.dtype);
      add_difference(std::move(finding));
      return;
    }
    const bool counts = in_series(pair, kind);
    const VectorDifference difference = compare_vectors(a, b, counts ? &out_.log_prob_series : nullptr);
    step_mismatches_ += counts ? difference.different : 0;
    if (difference.reference_only + difference.candidate_only > 0) {
      const std::uint64_t all = difference.common + difference.reference_only + difference.candidate_only;
      coverage(pair, fmt::format("{}: coverage {}/{} of the positions", log_prob_name(kind), difference.common, all),
               fmt::format("{} positions", a.present_count), fmt::format("{} positions", b.present_count));
    }
    if (difference.first) {
      finding.place.position = static_cast<std::int64_t>(*difference.first);
      finding.what = fmt::format("{} differ at {} of {} positions of a sample", log_prob_name(kind),
                                 difference.different, difference.common);
      finding.place.file = b.file_of(*difference.first);
      finding.expected = fmt::format("{} in {}", value_at(a, *difference.first), a.file_of(*difference.first));
      finding.found = value_at(b, *difference.first);
      add_difference(std::move(finding));
    }
  }

  /// Sidecars repeat what the dumps hold: they count where the dumps of a side have no such vector.
  [[nodiscard]] bool in_series(const SamplePair& pair, LogProbKind kind) const {
    if (kind != LogProbKind::kSidecarTrain && kind != LogProbKind::kSidecarRollout) {
      return true;
    }
    const auto dumped =
        static_cast<std::size_t>(kind == LogProbKind::kSidecarTrain ? LogProbKind::kTrain : LogProbKind::kRollout);
    return left_.kinds.at(dumped)[*pair.reference].empty() || right_.kinds.at(dumped)[*pair.candidate].empty();
  }

  void coverage(const SamplePair& pair, std::string what, std::string expected, std::string found) {
    core::Finding finding = step_finding(Section::kLogProbs, "RLV-332", std::move(what), candidate_, step_);
    finding.place.sample = pair.name;
    finding.expected = std::move(expected);
    finding.found = std::move(found);
    out_.findings.add(std::move(finding));
    ++compared_;
    equal_ = false;
  }

  void add_difference(core::Finding finding) {
    out_.findings.add(std::move(finding));
    equal_ = false;
  }

  const RunEvidence& reference_;
  const RunEvidence& candidate_;
  std::int64_t step_;
  CandidateComparison& out_;
  const StepTokens& left_tokens_;
  const StepTokens& right_tokens_;
  const StepLogProbs& left_;
  const StepLogProbs& right_;
  StepValues values_;
  std::uint64_t compared_ = 0;
  std::uint64_t step_mismatches_ = 0;
  bool equal_ = true;
};

/// A side that has no log-probs anywhere.
bool without_any(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  bool missing = false;
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (!side->log_probs.empty()) {
      continue;
    }
    missing = true;
    const RunEvidence& other = side == &reference ? candidate : reference;
    const bool other_has = !other.log_probs.empty();
    core::Finding finding =
        step_finding(Section::kLogProbs, "RLV-334", fmt::format("log-probs can't be compared: {} has none", side->name),
                     *side, std::nullopt);
    finding.severity = other_has ? Severity::kWarning : Severity::kNote;
    if (other_has && side->sources.empty_sidecar_folder) {
      finding.code = "RLV-332";
      finding.severity = Severity::kError;
      finding.what = fmt::format("no {} entries: the folder of log-probs is empty",
                                 side == &candidate ? "candidate" : "reference");
      out.log_probs = false;
    }
    out.findings.add(std::move(finding));
  }
  return missing;
}

}  // namespace

void compare_log_probs(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  if (without_any(reference, candidate, out) || !out.tokens) {
    return;
  }
  std::set<std::int64_t> steps;
  for (const RunEvidence* side : {&reference, &candidate}) {
    for (const StepLogProbs& step : side->log_probs) {
      steps.insert(step.step);
    }
  }
  for (const std::int64_t step : steps) {
    const bool tokens = find_step(reference.tokens, step) != nullptr && find_step(candidate.tokens, step) != nullptr;
    const StepLogProbs* const left = find_step(reference.log_probs, step);
    const StepLogProbs* const right = find_step(candidate.log_probs, step);
    if (!tokens) {
      out.step_log_probs[step] = std::nullopt;  // told as a matter of tokens
      continue;
    }
    if (left == nullptr || right == nullptr) {
      const RunEvidence& without = left == nullptr ? reference : candidate;
      core::Finding finding = step_finding(Section::kLogProbs, "RLV-332",
                                           fmt::format("no {} entries: {} has no log-probs of step {}",
                                                       left == nullptr ? "reference" : "candidate", without.name, step),
                                           without, step);
      finding.expected = fmt::format("{} positions", (left == nullptr ? right : left)->elements);
      finding.found = "none";
      out.findings.add(std::move(finding));
      out.step_log_probs[step] = false;
    } else {
      out.step_log_probs[step] = StepComparison(reference, candidate, step, out).run();
    }
    if (const Verdict verdict = out.step_log_probs[step]) {
      out.log_probs = out.log_probs.value_or(true) && *verdict;
    }
  }
  out.coverage.log_probs.files = out.coverage.tokens.files;
}

}  // namespace rlverify::compare
