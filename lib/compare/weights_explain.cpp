// SPDX-License-Identifier: Apache-2.0
// From what was measured to what is said. Differences of one kind in one version are one finding with a count, so that
// 80,000 tensors that differ stay readable; the outcomes keep every tensor.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compare/weights_judge.h"

namespace rlverify::compare {
namespace {

using core::Finding;
using core::Severity;

/// Hints cost reads and hashing; beyond this many tensors of a version they tell nothing new.
constexpr std::size_t kMaxHinted = 4096;
constexpr std::size_t kMaxTiedLooks = 64;

bool contains_word(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

std::string without_weight(const std::string& name) {
  constexpr std::string_view kEnd = ".weight";
  return name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0
             ? name.substr(0, name.size() - kEnd.size())
             : name;
}

/// The embedding on the other side that has the elements of a matrix that only `side` has; empty when there is none.
std::string tied_embedding(Judged& judged, Side side, const std::string& name) {
  if (judged.sides == nullptr || judged.sides->dimensions(side, name) != 2) {
    return "";
  }
  for (const std::string& twin : judged.sides->twins(side, name)) {
    if (contains_word(twin, "emb") || contains_word(twin, "wte")) {
      return twin;
    }
  }
  return "";
}

/// Takes tensors that one side leaves out because they are tied to an embedding out of the differences, with a note
/// each; where no config says so, only hints.
void settle_tied(Judged& judged, const WeightVersion& candidate, core::Findings& findings) {
  std::vector<TensorOutcome> left;
  std::size_t looks = 0;
  for (TensorOutcome& outcome : judged.outcomes) {
    const bool one_sided =
        outcome.verdict == TensorVerdict::kOnlyReference || outcome.verdict == TensorVerdict::kOnlyCandidate;
    if (one_sided && looks++ < kMaxTiedLooks) {
      const Side side = outcome.verdict == TensorVerdict::kOnlyReference ? Side::kReference : Side::kCandidate;
      const std::string embedding = tied_embedding(judged, side, outcome.name);
      if (!embedding.empty() && judged.tied == true) {
        Finding note = weight_finding("RLV-311", Severity::kNote,
                                      fmt::format("{} tied to {}, absent in {}", without_weight(outcome.name),
                                                  embedding, side == Side::kReference ? "candidate" : "reference"),
                                      candidate);
        note.place.tensor = outcome.name;
        findings.add(std::move(note));
        continue;
      }
      if (!embedding.empty()) {
        outcome.hint = fmt::format("its elements are those of {}; {}", embedding,
                                   judged.tied ? "config.json says that the embeddings are not tied"
                                               : "no config.json says that the embeddings are tied");
      }
    }
    left.push_back(std::move(outcome));
  }
  judged.outcomes = std::move(left);
}

/// The twin that explains most: a sibling whose name differs in one number, else the first.
std::string twin_text(const std::string& name, const std::vector<std::string>& twins) {
  for (const std::string& twin : twins) {
    if (std::string text = shift_text(name, twin); !text.empty()) {
      return text;
    }
  }
  return twins.empty() ? "" : fmt::format("the candidate's tensor equals the reference's {}", twins.front());
}

std::string hint_of(Sides& sides, const TensorOutcome& outcome) {
  if (outcome.verdict == TensorVerdict::kOtherDtype) {
    return sides.same_numbers(outcome.name) ? "the same numbers in another dtype" : "";
  }
  if (outcome.verdict != TensorVerdict::kDifferent) {
    return "";
  }
  if (sides.all_zero(Side::kCandidate, outcome.name)) {
    return "the candidate's tensor is all zero";
  }
  if (sides.all_zero(Side::kReference, outcome.name)) {
    return "the reference's tensor is all zero";
  }
  return twin_text(outcome.name, sides.twins(Side::kCandidate, outcome.name));
}

void add_hints(Judged& judged, const WeightVersion& candidate, core::Findings& findings) {
  for (std::size_t i = 0; judged.sides != nullptr && i < std::min(judged.outcomes.size(), kMaxHinted); ++i) {
    TensorOutcome& outcome = judged.outcomes[i];
    try {
      std::string hint = hint_of(*judged.sides, outcome);
      if (!hint.empty()) {
        outcome.hint = std::move(hint);
      }
    } catch (const core::ArtifactError&) {
      // Read once already: what changed since has its own finding when it matters. A hint is not needed.
    }
    if (outcome.verdict == TensorVerdict::kDifferent && outcome.hint.find("equals") != std::string::npos) {
      Finding note = weight_finding("RLV-312", Severity::kNote, outcome.hint, candidate);
      note.place.tensor = outcome.name;
      findings.add(std::move(note));
    }
  }
}

/// What a finding about one kind of outcome says.
struct Kind {
  TensorVerdict verdict;
  std::string_view code;
  std::string_view one;
  std::string_view many;
};
constexpr Kind kKinds[] = {
    {TensorVerdict::kOnlyReference, "RLV-302", "missing tensor", "missing tensors"},
    {TensorVerdict::kOnlyCandidate, "RLV-303",
     "tensor that only the candidate has:", "tensors that only the candidate has"},
    {TensorVerdict::kOtherShape, "RLV-304", "another shape of tensor", "tensors of another shape"},
    {TensorVerdict::kOtherDtype, "RLV-305", "another dtype of tensor", "tensors of another dtype"},
    {TensorVerdict::kDifferent, "RLV-301", "other elements in tensor", "tensors with other elements"},
};

std::string element_place(const TensorOutcome& outcome, const std::string& value) {
  return outcome.first_index.empty() ? value : fmt::format("{} at {}", value, outcome.first_index);
}

std::string different_count(const TensorOutcome& outcome) {
  return outcome.difference ? fmt::format("; {} of {} elements differ", outcome.difference->different_elements,
                                          outcome.difference->elements)
                            : "";
}

void add_difference(const Kind& kind, const Judged& judged, const WeightVersion& candidate,
                    const std::string& because_of, core::Findings& findings) {
  Finding finding = weight_finding(std::string(kind.code), Severity::kError, "", candidate);
  finding.count = 0;
  finding.because_of = because_of;
  for (const TensorOutcome& outcome : judged.outcomes) {
    if (outcome.verdict != kind.verdict) {
      continue;
    }
    if (finding.count++ == 0) {
      finding.what = fmt::format("{} {}", kind.one, outcome.name);
      finding.place.tensor = outcome.name;
      finding.expected = element_place(outcome, outcome.reference);
      finding.found = outcome.candidate + different_count(outcome);
      finding.hint = outcome.hint;
    } else if (finding.more_places.size() < 2) {
      finding.more_places.push_back(finding.place);
      finding.more_places.back().tensor = outcome.name;
    }
  }
  if (finding.count > 1) {
    finding.what = fmt::format("{} {} of {} in {}", finding.count, kind.many, judged.names, candidate.name);
  }
  if (finding.count > 0) {
    findings.add(std::move(finding));
  }
}

void add_non_finite(const Judged& judged, const WeightVersion& candidate, core::Findings& findings) {
  if (judged.non_finite.empty()) {
    return;
  }
  const NonFiniteTensor& first = judged.non_finite.front();
  const auto text = [](const std::optional<std::uint64_t>& count) {
    return count ? fmt::format("{}", *count) : std::string("unknown");
  };
  const std::string more =
      judged.non_finite.size() < 2 ? "" : fmt::format(" and in {} more tensors", judged.non_finite.size() - 1);
  Finding finding =
      weight_finding("RLV-306", Severity::kError,
                     fmt::format("non-finite weights: {} elements in tensor {}{}",
                                 std::max(first.reference.value_or(0), first.candidate.value_or(0)), first.name, more),
                     candidate);
  finding.expected = "finite numbers";
  finding.found =
      fmt::format("NaN or infinity: reference {}, candidate {}", text(first.reference), text(first.candidate));
  finding.place.tensor = first.name;
  finding.count = judged.non_finite.size();
  for (std::size_t i = 1; i < std::min<std::size_t>(judged.non_finite.size(), 3); ++i) {
    finding.more_places.push_back(finding.place);
    finding.more_places.back().tensor = judged.non_finite[i].name;
  }
  findings.add(std::move(finding));
}

void decide(const Judged& judged, VersionComparison& out) {
  bool unjudged = judged.damaged;
  for (const TensorOutcome& outcome : out.outcomes) {
    if (outcome.verdict == TensorVerdict::kNotJudged) {
      unjudged = true;
    } else {
      out.different_tensors.push_back(outcome.name);
    }
  }
  out.unavailable = judged.unavailable;
  if (!out.different_tensors.empty()) {
    out.equal = false;
  } else if (judged.unavailable.empty() && !unjudged) {
    out.equal = true;
  } else if (out.unavailable.empty()) {
    out.unavailable = "a part of the weights can't be read";
  }
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

std::string shift_text(const std::string& candidate, const std::string& reference) {
  std::size_t begin = 0;
  while (begin < std::min(candidate.size(), reference.size()) && candidate[begin] == reference[begin]) {
    ++begin;
  }
  while (begin > 0 && is_digit(candidate[begin - 1])) {
    --begin;
  }
  const auto number_end = [begin](const std::string& name) {
    std::size_t end = begin;
    while (end < name.size() && is_digit(name[end])) {
      ++end;
    }
    return end;
  };
  const std::size_t candidate_end = number_end(candidate);
  const std::size_t reference_end = number_end(reference);
  constexpr std::size_t kMaxDigits = 9;
  const bool numbers = candidate_end > begin && reference_end > begin && candidate_end - begin <= kMaxDigits &&
                       reference_end - begin <= kMaxDigits;
  if (!numbers || candidate == reference ||
      candidate.compare(candidate_end, std::string::npos, reference, reference_end, std::string::npos) != 0) {
    return "";
  }
  const int candidate_number = std::stoi(candidate.substr(begin, candidate_end - begin));
  const int reference_number = std::stoi(reference.substr(begin, reference_end - begin));
  // "model.layers.0.mlp.experts." -> "expert"
  std::string word = candidate.substr(0, begin > 0 ? begin - 1 : 0);
  word = word.substr(word.rfind('.') == std::string::npos ? 0 : word.rfind('.') + 1);
  if (word.size() > 1 && word.back() == 's') {
    word.pop_back();
  }
  return fmt::format("candidate {} {} equals reference {} {} (shift {:+d})", word, candidate_number, word,
                     reference_number, reference_number - candidate_number);
}

core::Finding weight_finding(std::string code, core::Severity severity, std::string what,
                             const WeightVersion& version) {
  Finding finding = core::bare_finding(std::move(code), severity, core::Section::kWeights, std::move(what));
  finding.place.file = version.where;
  return finding;
}

void explain_version(Judged judged, const WeightVersion& reference, const WeightVersion& candidate,
                     const std::string& because_of, core::Findings& findings, VersionComparison& out) {
  settle_tied(judged, candidate, findings);
  add_hints(judged, candidate, findings);
  for (const Kind& kind : kKinds) {
    add_difference(kind, judged, candidate, because_of, findings);
  }
  add_non_finite(judged, candidate, findings);
  if (judged.sampled && judged.unavailable.empty()) {
    findings.add(weight_finding("RLV-316", Severity::kWarning, "only one sampled tensor is known of a version",
                                reference.digests && !reference.digests->all_tensors ? reference : candidate));
  }
  if (!judged.unavailable.empty()) {
    Finding finding = weight_finding("RLV-315", Severity::kError,
                                     fmt::format("the weights of {} can't be compared", candidate.name), candidate);
    finding.found = judged.unavailable;
    findings.add(std::move(finding));
  }
  out.by_digest = judged.by_digest;
  out.coverage = judged.coverage;
  out.outcomes = std::move(judged.outcomes);
  decide(judged, out);
}

}  // namespace rlverify::compare
