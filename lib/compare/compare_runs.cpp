// SPDX-License-Identifier: Apache-2.0
// The order of the sections is causal: what ran, then per step the weights it started from, the tokens it saw, the
// log-probs it computed, the gradient it took. The first difference in this order is the cause; what comes later
// follows.
#include "compare/compare_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "core/progress.h"

namespace rlverify::compare {
namespace {

using core::Section;
using core::Severity;

/// Causal position: step (-1 for what comes before all steps), then the order within one step.
using CausalOrder = std::pair<std::int64_t, int>;

int order_in_step(Section section) {
  switch (section) {
    case Section::kBackends:
    case Section::kWeights:
      return 0;
    case Section::kCudagraph:
    case Section::kTokens:
      return 1;
    case Section::kLogProbs:
      return 2;
    default:
      return 3;
  }
}

std::string_view section_text(Section section) {
  switch (section) {
    case Section::kBackends:
      return "backends";
    case Section::kCudagraph:
      return "CUDA graphs";
    case Section::kWeights:
      return "weights";
    case Section::kTokens:
      return "tokens";
    case Section::kLogProbs:
      return "log-probs";
    default:
      return "norms";
  }
}

/// The number at the end of a version's name; nothing without one.
std::optional<std::int64_t> version_number(const std::string& version) {
  const std::size_t digits = version.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(version.data() + digits, version.data() + version.size(), number);
  return error == std::errc() && end != version.data() + digits ? std::optional(number) : std::nullopt;
}

/// Number of the initial weights: 1 as the disk sync counts, 0 where a version has that number.
std::int64_t first_number(const WeightComparison& weights) {
  const bool from_zero =
      std::any_of(weights.versions.begin(), weights.versions.end(),
                  [](const VersionComparison& version) { return version_number(version.version) == 0; });
  return from_zero ? 0 : 1;
}

/// The version that a finding about weights speaks of: the one whose name its place has, at the end or before a slash.
const VersionComparison* version_of(const core::Finding& finding, const WeightComparison& weights) {
  for (const VersionComparison& version : weights.versions) {
    const std::string& file = finding.place.file;
    const std::size_t at = file.rfind(version.version);
    const std::size_t end = at == std::string::npos ? 0 : at + version.version.size();
    const bool starts = at != std::string::npos && (at == 0 || file[at - 1] == '/' || file[at - 1] == '.');
    if (starts && (end == file.size() || file[end] == '/' || file[end] == '.')) {
      return &version;
    }
  }
  return nullptr;
}

/// Where a finding stands in causal order; nothing for those that speak of no difference at a place.
std::optional<CausalOrder> order_of(const core::Finding& finding, const WeightComparison& weights) {
  switch (finding.section) {
    case Section::kBackends:
    case Section::kCudagraph:
      return CausalOrder(-1, order_in_step(finding.section));
    case Section::kWeights: {
      const VersionComparison* const version = version_of(finding, weights);
      return version != nullptr
                 ? std::optional(CausalOrder(step_of_version(version->version, first_number(weights)), 0))
                 : std::nullopt;
    }
    case Section::kTokens:
    case Section::kLogProbs:
    case Section::kNorms:
      return finding.place.step ? std::optional(CausalOrder(*finding.place.step, order_in_step(finding.section)))
                                : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// A part that was compared, with its place in causal order.
struct Part {
  CausalOrder order;
  Section section = Section::kBackends;
  std::string version;
  bool equal = true;
};

std::vector<Part> parts_of(const CandidateComparison& comparison) {
  std::vector<Part> parts;
  const auto add = [&parts](Section section, std::int64_t step, Verdict verdict, std::string version = "") {
    if (verdict) {
      parts.push_back({{step, order_in_step(section)}, section, std::move(version), *verdict});
    }
  };
  // A difference that was asked for is no divergence.
  add(Section::kBackends, -1, comparison.backends_note_only ? Verdict() : comparison.backends);
  add(Section::kCudagraph, -1, comparison.graphs_note_only ? Verdict() : comparison.graphs);
  for (const VersionComparison& version : comparison.weights.versions) {
    add(Section::kWeights, step_of_version(version.version, first_number(comparison.weights)), version.equal,
        version.version);
  }
  for (const auto& [step, verdict] : comparison.step_tokens) {
    add(Section::kTokens, step, verdict);
  }
  for (const auto& [step, verdict] : comparison.step_log_probs) {
    add(Section::kLogProbs, step, verdict);
  }
  for (const auto& [step, equal] : comparison.norms) {
    add(Section::kNorms, step, equal);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.order < b.order; });
  return parts;
}

std::string part_place(const Part& part) {
  if (part.order.first < 0) {
    return std::string(section_text(part.section));
  }
  return part.version.empty() ? fmt::format("step {}, {}", part.order.first, section_text(part.section))
                              : fmt::format("{} {}", section_text(part.section), part.version);
}

/// "backends, weights of 2 versions, tokens of 1 step"; what was compared before the first difference.
std::string before_text(const std::vector<Part>& parts, const Part& first) {
  std::vector<std::string> texts;
  for (const Section section : {Section::kBackends, Section::kCudagraph, Section::kWeights, Section::kTokens,
                                Section::kLogProbs, Section::kNorms}) {
    const auto count = std::count_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.section == section && part.order < first.order;
    });
    if (count == 0) {
      continue;
    }
    const bool steps = section != Section::kBackends && section != Section::kCudagraph;
    texts.push_back(steps ? fmt::format("{} of {} {}{}", section_text(section), count,
                                        section == Section::kWeights ? "version" : "step", count == 1 ? "" : "s")
                          : std::string(section_text(section)));
  }
  return texts.empty() ? "nothing was compared before it"
                       : fmt::format("everything before is bit-identical: {}", fmt::join(texts, ", "));
}

/// The finding that says the divergence: the first error of its place, else the first of its section.
const core::Finding* finding_of(const Part& part, const CandidateComparison& comparison) {
  const core::Findings& findings = comparison.findings;
  for (const core::Finding& finding : findings.list()) {
    const auto order = order_of(finding, comparison.weights);
    if (finding.severity == Severity::kError && finding.section == part.section && order && *order == part.order) {
      return &finding;
    }
  }
  for (const core::Finding& finding : findings.list()) {
    if (finding.severity == Severity::kError && finding.section == part.section) {
      return &finding;
    }
  }
  return nullptr;
}

std::string divergence_text(const Part& part, const core::Finding* finding) {
  if (finding == nullptr) {
    return part_place(part);
  }
  std::string text = part_place(part) + ": " + finding->what;
  core::FindingPlace place = finding->place;
  place.file.clear();
  place.line.reset();
  place.step.reset();
  place.field.clear();
  if (!place.empty()) {
    text += " (" + place.text() + ")";
  }
  if (!finding->expected.empty() && !finding->found.empty()) {
    text += fmt::format(": {} against {}", finding->expected, finding->found);
  }
  return text;
}

/// What is wrong with a version's digests in themselves follows from no value before it.
bool is_fault_of_digests(const core::Finding& finding) {
  return finding.code == "RLV-313" || finding.code == "RLV-315" || finding.code == "RLV-318";
}

}  // namespace

std::int64_t step_of_version(const std::string& version, std::int64_t first) {
  return std::max<std::int64_t>(version_number(version).value_or(first) - first, 0);
}

void order_causes(CandidateComparison& out) {
  const std::vector<Part> parts = parts_of(out);
  const auto part = std::find_if(parts.begin(), parts.end(), [](const Part& candidate) { return !candidate.equal; });
  if (part == parts.end()) {
    out.findings.sort();
    return;
  }
  const core::Finding* const cause = finding_of(*part, out);
  FirstDivergence first;
  first.section = part->section;
  first.step = part->order.first < 0 ? std::nullopt : std::optional(part->order.first);
  first.version = part->version;
  first.code = cause != nullptr ? cause->code : "";
  first.what = divergence_text(*part, cause);
  first.before = before_text(parts, *part);
  core::Findings marked;
  for (core::Finding finding : out.findings.list()) {
    const auto order = order_of(finding, out.weights);
    if (order && *order > part->order && finding.because_of.empty() && finding.severity == Severity::kError &&
        !is_fault_of_digests(finding)) {
      finding.because_of = first.code;
    }
    marked.add(std::move(finding));
  }
  marked.sort();
  out.findings = std::move(marked);
  out.first = std::move(first);
}

bool CandidateComparison::passed() const {
  return weights.equal == true && tokens == true && norms_equal() == true && log_probs != false &&
         !findings.has_error();
}

bool CandidateComparison::anything_compared() const {
  const bool weights_compared = std::any_of(weights.versions.begin(), weights.versions.end(),
                                            [](const VersionComparison& version) { return version.equal.has_value(); });
  return weights_compared || tokens || coverage.norms.elements > 0 || log_probs || backends || graphs;
}

core::ExitCode RunComparison::exit_code() const {
  const bool any = std::any_of(candidates.begin(), candidates.end(),
                               [](const CandidateComparison& candidate) { return candidate.anything_compared(); });
  if (!any) {
    return core::ExitCode::kNothingComparable;
  }
  const bool passed = std::all_of(candidates.begin(), candidates.end(),
                                  [](const CandidateComparison& candidate) { return candidate.passed(); });
  return passed && !findings.has_error() ? core::ExitCode::kPassed : core::ExitCode::kFailed;
}

CandidateComparison compare_candidate(RunEvidence& reference, RunEvidence& candidate, core::ThreadPool& pool,
                                      bool show_progress) {
  CandidateComparison out;
  out.name = candidate.name;
  compare_backends(reference, candidate, out);
  compare_graphs(reference, candidate, out);
  {
    core::Progress progress("weights of " + candidate.name, bytes_to_compare(reference.weights, candidate.weights),
                            show_progress, core::ProgressUnit::kBytes);
    WeightOptions options;
    options.progress = &progress;
    out.weights = compare_weights(reference.weights, candidate.weights, pool, options);
  }
  for (const core::Finding& finding : out.weights.findings.list()) {
    out.findings.add(finding);
  }
  out.coverage.weights = out.weights.coverage;
  compare_tokens(reference, candidate, out);
  compare_log_probs(reference, candidate, out);
  compare_norms(reference, candidate, out);
  order_causes(out);
  return out;
}

}  // namespace rlverify::compare
