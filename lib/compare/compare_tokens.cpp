// SPDX-License-Identifier: Apache-2.0
// Tokens decide what else can be compared: log-probs of other tokens are other numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compare/compare_runs.h"
#include "compare/step_values.h"
#include "compare/value_text.h"

namespace rlverify::compare {
namespace {

using core::Section;
using core::Severity;

/// The first sample of a differing step, with the first differing token where values can be read.
class TokenDifference {
 public:
  TokenDifference(const RunEvidence& reference, const RunEvidence& candidate, const StepTokens& left,
                  const StepTokens& right)
      : reference_(reference),
        candidate_(candidate),
        left_(left),
        right_(right),
        values_(reference, candidate, left.step) {}

  [[nodiscard]] core::Finding finding() {
    if (same_samples_in_another_order()) {
      core::Finding out =
          step_finding(Section::kTokens, "RLV-322", "the same samples in another order", candidate_, left_.step);
      out.expected = fmt::format("{} samples in the order of {}", left_.samples.size(), reference_.name);
      out.found = "the same tokens under other sample indices";
      return out;
    }
    const std::vector<SamplePair> pairs = pair_samples(left_, right_);
    std::vector<const SamplePair*> different;
    for (const SamplePair& pair : pairs) {
      if (!pair.reference || !pair.candidate || left_.samples[*pair.reference] != right_.samples[*pair.candidate]) {
        different.push_back(&pair);
      }
    }
    core::Finding out = different.empty() ? step_finding(Section::kTokens, "RLV-320", "the token digests differ",
                                                         candidate_, left_.step)
                                          : first(*different.front());
    if (!different.empty()) {
      out.hint =
          fmt::format("{} of {} samples of the step differ.{}", different.size(), pairs.size(),
                      values_.available() ? "" : " A sealed record keeps digests of samples: no token can be named.");
    } else {
      out.expected = left_.sha256;
      out.found = right_.sha256;
    }
    return out;
  }

 private:
  [[nodiscard]] bool same_samples_in_another_order() const {
    std::vector<std::string> left = left_.samples;
    std::vector<std::string> right = right_.samples;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    return !left.empty() && left == right && left_.samples != right_.samples;
  }

  core::Finding first(const SamplePair& pair) {
    core::Finding out = step_finding(Section::kTokens, "RLV-320", "", candidate_, left_.step);
    out.place.sample = pair.name;
    if (!pair.reference || !pair.candidate) {
      out.code = "RLV-321";
      out.what =
          fmt::format("sample {} is there in {} alone", pair.name, pair.reference ? reference_.name : candidate_.name);
      return out;
    }
    const Sample* const left = values_.available() ? values_.reference().find(pair.name) : nullptr;
    const Sample* const right = values_.available() ? values_.candidate().find(pair.name) : nullptr;
    if (left == nullptr || right == nullptr) {
      out.what = fmt::format("sample {} differs", pair.name);
      out.expected = left_.samples[*pair.reference];
      out.found = right_.samples[*pair.candidate];
      return out;
    }
    const std::size_t shorter = std::min(left->tokens.size(), right->tokens.size());
    std::size_t at = 0;
    while (at < shorter && left->tokens[at] == right->tokens[at]) {
      ++at;
    }
    out.what = fmt::format("sample {} first differs at position {}: {} vs {}, lengths {}/{}", pair.name, at,
                           token_text(left->tokens, at), token_text(right->tokens, at), left->tokens.size(),
                           right->tokens.size());
    out.place.file = right->file;
    out.place.position = static_cast<std::int64_t>(at);
    out.expected = fmt::format("{} ({})", token_text(left->tokens, at), left->file);
    out.found = token_text(right->tokens, at);
    return out;
  }

  const RunEvidence& reference_;
  const RunEvidence& candidate_;
  const StepTokens& left_;
  const StepTokens& right_;
  StepValues values_;
};

void compare_step(const RunEvidence& reference, const RunEvidence& candidate, std::int64_t step,
                  CandidateComparison& out) {
  const StepTokens* const left = find_step(reference.tokens, step);
  const StepTokens* const right = find_step(candidate.tokens, step);
  if (left == nullptr || right == nullptr) {
    out.step_tokens[step] = false;
    const RunEvidence& owner = left != nullptr ? reference : candidate;
    out.findings.add(step_finding(Section::kTokens, "RLV-321",
                                  fmt::format("tokens of step {} are there in {} alone", step, owner.name), owner,
                                  step));
    return;
  }
  out.coverage.tokens.elements += std::max(left->tokens, right->tokens);
  out.step_tokens[step] = left->sha256 == right->sha256;
  if (left->sha256 != right->sha256) {
    out.findings.add(TokenDifference(reference, candidate, *left, *right).finding());
  } else if (!left->dtypes.empty() && !right->dtypes.empty() && left->dtypes != right->dtypes) {
    core::Finding note =
        step_finding(Section::kTokens, "RLV-323", "dtype differs, tokens are the same", candidate, step);
    note.severity = Severity::kNote;
    note.expected = fmt::format("{}", fmt::join(left->dtypes, ", "));
    note.found = fmt::format("{}", fmt::join(right->dtypes, ", "));
    out.findings.add(std::move(note));
  }
}

}  // namespace

std::vector<SamplePair> pair_samples(const StepTokens& reference, const StepTokens& candidate) {
  std::vector<SamplePair> pairs;
  if (reference.indices.empty() || candidate.indices.empty() || reference.samples == candidate.samples) {
    const std::vector<std::int64_t>& names = reference.indices.empty() ? candidate.indices : reference.indices;
    for (std::size_t i = 0; i < std::max(reference.samples.size(), candidate.samples.size()); ++i) {
      SamplePair pair;
      pair.name = i < names.size() ? names[i] : static_cast<std::int64_t>(i);
      pair.reference = i < reference.samples.size() ? std::optional(i) : std::nullopt;
      pair.candidate = i < candidate.samples.size() ? std::optional(i) : std::nullopt;
      pairs.push_back(pair);
    }
    return pairs;
  }
  std::map<std::int64_t, SamplePair> by_index;
  for (std::size_t i = 0; i < reference.indices.size(); ++i) {
    by_index[reference.indices[i]].reference = i;
  }
  for (std::size_t i = 0; i < candidate.indices.size(); ++i) {
    by_index[candidate.indices[i]].candidate = i;
  }
  for (auto& [index, pair] : by_index) {
    pair.name = index;
    pairs.push_back(pair);
  }
  return pairs;
}

void compare_tokens(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  for (const RunEvidence* side : {&reference, &candidate}) {
    out.coverage.tokens.files += side->sealed() ? 1U : side->sample_coverage.files;
    out.coverage.tokens.tensors += side->sample_coverage.tensors;
    out.coverage.tokens.bytes += side->sample_coverage.bytes;
  }
  bool evidence = true;
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (side->tokens.empty()) {
      evidence = false;
      core::Finding finding =
          step_finding(Section::kTokens, "RLV-326", fmt::format("no tokens of {}: they can't be compared", side->name),
                       *side, std::nullopt);
      finding.expected = "dumps in train-data/ or dump/rollout_data/";
      finding.found = side->sealed() ? "no tokens in the record" : fmt::format("{} files", side->sample_coverage.files);
      out.findings.add(std::move(finding));
    }
  }
  if (evidence && reference.token_recipe != candidate.token_recipe) {
    core::Finding finding =
        step_finding(Section::kTokens, "RLV-327", "the token digests follow different recipes: they can't be compared",
                     candidate, std::nullopt);
    finding.expected = reference.token_recipe;
    finding.found = candidate.token_recipe;
    out.findings.add(std::move(finding));
    evidence = false;
  }
  std::set<std::int64_t> steps;
  for (const RunEvidence* side : {&reference, &candidate}) {
    for (const StepTokens& step : side->tokens) {
      steps.insert(step.step);
    }
  }
  out.tokens = evidence ? Verdict(true) : std::nullopt;
  for (const std::int64_t step : steps) {
    if (!evidence) {
      out.step_tokens[step] = std::nullopt;
      continue;
    }
    compare_step(reference, candidate, step, out);
    out.tokens = *out.tokens && *out.step_tokens[step];
  }
}

}  // namespace rlverify::compare
