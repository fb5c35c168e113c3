// SPDX-License-Identifier: Apache-2.0
// Gradient norms: equal only with the same 64 bits. A gap is shown with all its digits, since a rounded norm hides the
// very differences that are looked for.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "compare/compare_runs.h"
#include "compare/step_values.h"
#include "compare/value_text.h"
#include "core/python_value.h"

namespace rlverify::compare {
namespace {

using core::Section;
using core::Severity;

constexpr const char* kNorm = "train/grad_norm";
/// Norms are logged from float32 sums: a ratio that is constant up to this is one factor, not chance.
constexpr double kConstantRatio = 1e-6;

core::Finding norm_finding(const char* code, Severity severity, std::string what, std::int64_t step) {
  core::Finding finding = core::bare_finding(code, severity, Section::kNorms, std::move(what));
  finding.place.step = step;
  finding.place.field = kNorm;
  return finding;
}

/// The norm of a step; nothing when the record has no number there (a sealed record has null for NaN).
std::optional<double> norm_of(const LogStep* step) {
  const core::Value value = step == nullptr ? core::Value() : step->record.get(kNorm);
  if (value.is(core::Kind::kReal)) {
    return value.real();
  }
  return value.is_integer() ? std::optional(static_cast<double>(value.integer())) : std::nullopt;
}

std::string side_text(const LogStep* step, const std::optional<double>& norm) {
  if (step == nullptr) {
    return "no record of the step";
  }
  if (norm) {
    return norm_text(*norm);
  }
  const core::Value value = step->record.get(kNorm);
  return value.present() ? core::python_repr(value) : "no " + std::string(kNorm);
}

/// A record keeps null where the log had NaN or infinity.
bool is_non_finite(const LogStep* step, const std::optional<double>& norm) {
  return norm ? !std::isfinite(*norm) : step != nullptr && step->record.get(kNorm).is(core::Kind::kNull);
}

class NormComparison {
 public:
  NormComparison(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out)
      : reference_(reference), candidate_(candidate), out_(out) {}

  void step(std::int64_t number) {
    const LogStep* const left = find_step(reference_.steps, number);
    const LogStep* const right = find_step(candidate_.steps, number);
    const auto a = norm_of(left);
    const auto b = norm_of(right);
    const bool equal =
        a && b && std::isfinite(*a) && std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
    out_.norms[number] = equal;
    out_.norm_values[number] = {a, b};
    out_.coverage.norms.elements += a && b ? 1U : 0U;
    zero_everywhere_ = zero_everywhere_ && a && b && *a == 0.0 && *b == 0.0;
    const bool left_bad = is_non_finite(left, a);
    const bool right_bad = is_non_finite(right, b);
    if (left_bad || right_bad) {
      (left_bad && right_bad ? both_bad_ : left_bad ? reference_bad_ : candidate_bad_).push_back(number);
    } else if (!equal) {
      differs(number, left, right, a, b);
    }
  }

  void finish() {
    non_finite(both_bad_, "both sides");
    non_finite(reference_bad_, reference_.name);
    non_finite(candidate_bad_, candidate_.name);
    constant_ratio();
    if (zero_everywhere_ && !out_.norms.empty()) {
      core::Finding finding =
          norm_finding("RLV-344", Severity::kWarning,
                       fmt::format("vacuous: {} is 0 at all {} steps of both sides", kNorm, out_.norms.size()),
                       out_.norms.begin()->first);
      finding.hint = "Nothing was trained, so equal runs prove little.";
      out_.findings.add(std::move(finding));
    }
  }

 private:
  void differs(std::int64_t number, const LogStep* left, const LogStep* right, const std::optional<double>& a,
               const std::optional<double>& b) {
    const bool missing = left == nullptr || right == nullptr;
    std::string what = missing ? fmt::format("step {} is recorded by {} alone", number,
                                             left != nullptr ? reference_.name : candidate_.name)
                               : fmt::format("gradient norms differ at step {}", number);
    if (a && b) {
      const double gap = std::fabs(*b - *a) / std::fabs(*a);
      what += std::isfinite(gap) ? fmt::format(", relative gap {:.3g} %", gap * 100) : ", the reference is 0";
      ratios_.push_back(*b / *a);
    }
    core::Finding finding = norm_finding(missing ? "RLV-342" : "RLV-340", Severity::kError, std::move(what), number);
    finding.expected = side_text(left, a);
    finding.found = side_text(right, b);
    out_.findings.add(std::move(finding));
  }

  void non_finite(const std::vector<std::int64_t>& steps, const std::string& side) {
    if (steps.empty()) {
      return;
    }
    const bool run = steps.back() - steps.front() + 1 == static_cast<std::int64_t>(steps.size());
    const std::string which = steps.size() == 1 ? fmt::format("step {}", steps.front())
                              : run             ? fmt::format("steps {}..{}", steps.front(), steps.back())
                                    : fmt::format("{} steps from {} to {}", steps.size(), steps.front(), steps.back());
    core::Finding finding = norm_finding("RLV-341", Severity::kError,
                                         fmt::format("grad_norm non-finite at {} on {}", which, side), steps.front());
    finding.expected = "a finite number";
    finding.found = "nan or inf";
    finding.count = steps.size();
    out_.findings.add(std::move(finding));
  }

  /// A factor that is the same at every step is a matter of how the norm is summed, not of the gradients.
  void constant_ratio() {
    if (ratios_.size() < 2 || ratios_.size() != out_.norms.size()) {
      return;
    }
    const auto [low, high] = std::minmax_element(ratios_.begin(), ratios_.end());
    if (!std::isfinite(*low) || !std::isfinite(*high) || *low <= 0 || *high - *low > kConstantRatio * *low) {
      return;
    }
    std::string what = fmt::format("ratio constant {:.5g} over {} steps", *low, ratios_.size());
    what += out_.weights.equal == true    ? ", weight digests equal"
            : out_.weights.equal == false ? ", weights differ"
                                          : ", weights not compared";
    core::Finding finding = norm_finding("RLV-348", Severity::kNote, std::move(what), out_.norms.begin()->first);
    finding.hint =
        "A constant factor points at how the norm is reported (parameters counted once per rank), not at the "
        "gradients.";
    finding.because_of = "RLV-340";
    out_.findings.add(std::move(finding));
  }

  const RunEvidence& reference_;
  const RunEvidence& candidate_;
  CandidateComparison& out_;
  std::vector<std::int64_t> both_bad_;
  std::vector<std::int64_t> reference_bad_;
  std::vector<std::int64_t> candidate_bad_;
  std::vector<double> ratios_;
  bool zero_everywhere_ = true;
};

}  // namespace

void compare_norms(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (side->steps.empty()) {
      core::Finding finding = norm_finding("RLV-345", Severity::kError,
                                           "no step records of " + side->name + ": norms can't be compared", 0);
      finding.place = {};
      finding.place.file = side->path + (side->sealed() ? "" : "/run.log");
      out.findings.add(std::move(finding));
    }
  }
  std::set<std::int64_t> steps;
  for (const RunEvidence* side : {&reference, &candidate}) {
    for (const LogStep& step : side->steps) {
      steps.insert(step.step);
    }
    out.coverage.norms.files += side->steps.empty() ? 0U : 1U;
  }
  if (reference.steps.empty() || candidate.steps.empty()) {
    // Told above, once. The document still says of every step that it isn't equal.
    for (const std::int64_t step : steps) {
      out.norms[step] = false;
    }
    return;
  }
  NormComparison comparison(reference, candidate, out);
  for (const std::int64_t step : steps) {
    comparison.step(step);
  }
  comparison.finish();
}

Verdict CandidateComparison::norms_equal() const {
  constexpr std::uint64_t kSides = 2;
  if (norms.empty() || coverage.norms.files < kSides) {
    return std::nullopt;
  }
  return std::all_of(norms.begin(), norms.end(), [](const auto& step) { return step.second; });
}

}  // namespace rlverify::compare
