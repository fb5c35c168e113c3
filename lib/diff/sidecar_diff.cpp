// SPDX-License-Identifier: Apache-2.0
// Files are compared one by one over all cores; pieces are put together in the order of their samples, so that nothing
// depends on which file was read first.
#include "diff/sidecar_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/progress.h"
#include "diff/sidecar_files.h"

namespace rlverify::diff {
namespace {

using core::Finding;

/// Whether two tensor-parallel ranks found the same.
bool same_result(const SamplePiece& a, const SamplePiece& b) {
  const auto key = [](const SamplePiece& piece) {
    return std::make_tuple(piece.response_length, piece.dtype, piece.difference.elements,
                           piece.difference.different_elements, piece.difference.max_ulp_distance,
                           piece.difference.max_abs_difference, piece.difference.sum_abs_difference,
                           piece.difference.reference_non_finite, piece.difference.candidate_non_finite,
                           piece.difference.first ? piece.difference.first->element_index : 0, piece.masked_different);
  };
  return key(a) == key(b);
}

Finding piece_finding(const SidecarDiff& diff, const SamplePiece& piece, std::string code, core::Severity severity,
                      std::string what) {
  Finding finding = core::bare_finding(std::move(code), severity, core::Section::kLogProbs, std::move(what));
  finding.place.file = diff.files[piece.file];
  finding.place.rank = piece.rank;
  finding.place.call = piece.call;
  finding.place.sample = piece.sample;
  return finding;
}

/// What a tensor-parallel rank found, for a finding that tells two of them apart.
std::string result_text(const SamplePiece& piece) {
  const tensor::Difference& difference = piece.difference;
  const std::string text = fmt::format("{} {}", difference.different_elements,
                                       difference.different_elements == 1 ? "difference" : "differences");
  return difference.reference_non_finite + difference.candidate_non_finite == 0
             ? text
             : fmt::format("{}, {} train and {} rollout values not finite", text, difference.reference_non_finite,
                           difference.candidate_non_finite);
}

void join(const SamplePiece& piece, SampleDiff& sample) {
  const auto first_of = [](const tensor::Difference& difference) {
    return difference.first ? difference.first->element_index : ~std::uint64_t{0};
  };
  // The pieces of a sample lie in zigzag: the first position in response order may come with the second piece.
  const std::optional<tensor::FirstDifference> known = sample.difference.first;
  const bool earlier = first_of(piece.difference) < first_of(sample.difference);
  sample.difference.add(piece.difference);
  sample.difference.first = earlier ? piece.difference.first : known;
  const bool earlier_outside =
      piece.outside.first &&
      (!sample.outside.first || piece.outside.first->element_index < sample.outside.first->element_index);
  const std::optional<tensor::FirstDifference> known_outside = sample.outside.first;
  sample.outside.add(piece.outside);
  sample.outside.first = earlier_outside ? piece.outside.first : known_outside;
  if (earlier_outside || (earlier && !sample.outside.first)) {
    sample.file = piece.file;
    sample.rank = piece.rank;
  }
  sample.masked += piece.masked;
  sample.masked_different += piece.masked_different;
  if (piece.bins && sample.bins) {
    sample.bins->add(*piece.bins);
  }
}

using Pieces = std::vector<SamplePiece>::const_iterator;

/// Bits that are equal can still be useless: NaN beside the same NaN.
bool is_not_finite(const SamplePiece& piece) {
  return piece.difference.reference_non_finite > 0 && piece.difference.candidate_non_finite > 0;
}

void add_not_finite(const SamplePiece& piece, SidecarDiff& diff) {
  diff.findings.add(piece_finding(diff, piece, "RLV-414", core::Severity::kWarning,
                                  "NaN or infinity on both sides, at active positions"));
}

/// Of the replicas of one piece, which begin at `next`, the first of those with the most differences; `next` is moved
/// behind them. Taking any one would let the ranks' order decide whether a difference is seen.
Pieces worst_replica(std::vector<SamplePiece>::iterator& next, std::vector<SamplePiece>::iterator end,
                     SidecarDiff& diff) {
  const auto owner = [](const SamplePiece& piece) {
    return std::make_tuple(piece.call, piece.dp, piece.sample, piece.cp_rank);
  };
  const auto badness = [](const SamplePiece& piece) {
    return std::make_tuple(piece.outside.elements, piece.difference.different_elements, piece.masked_different);
  };
  const Pieces first = next;
  Pieces worst = next;
  bool not_finite = is_not_finite(*first);
  if (not_finite) {
    add_not_finite(*first, diff);
  }
  for (++next; next != end && owner(*next) == owner(*first); ++next) {
    if (!same_result(*first, *next)) {
      Finding finding = piece_finding(diff, *next, "RLV-412", core::Severity::kWarning,
                                      "two files hold the same positions of a sample and differ in what they hold");
      finding.expected = fmt::format("{}, as {} has", result_text(*first), diff.files[first->file]);
      finding.found = result_text(*next);
      diff.findings.add(std::move(finding));
    }
    if (!not_finite && is_not_finite(*next)) {
      not_finite = true;
      add_not_finite(*next, diff);
    }
    if (badness(*next) > badness(*worst)) {
      worst = next;
    }
  }
  return worst;
}

/// Pieces sorted by sample, context-parallel rank and rank become samples.
void join_pieces(std::vector<SamplePiece> pieces, SidecarDiff& diff) {
  const auto key = [](const SamplePiece& piece) {
    return std::make_tuple(piece.call, piece.dp, piece.sample, piece.cp_rank, piece.rank, piece.file);
  };
  std::sort(pieces.begin(), pieces.end(),
            [&key](const SamplePiece& a, const SamplePiece& b) { return key(a) < key(b); });
  const SamplePiece* before = nullptr;
  for (auto next = pieces.begin(); next != pieces.end();) {
    const SamplePiece& piece = *worst_replica(next, pieces.end(), diff);
    const bool same_sample =
        before != nullptr && before->call == piece.call && before->dp == piece.dp && before->sample == piece.sample;
    if (!same_sample) {
      SampleDiff sample;
      sample.call = piece.call;
      sample.dp = piece.dp;
      sample.sample = piece.sample;
      sample.response_length = piece.response_length;
      sample.dtype = piece.dtype;
      sample.file = piece.file;
      sample.rank = piece.rank;
      if (piece.bins) {
        sample.bins.emplace(static_cast<std::uint64_t>(piece.response_length));
      }
      diff.samples.push_back(std::move(sample));
    }
    before = &piece;
    join(piece, diff.samples.back());
  }
}

void add_sample_findings(SidecarDiff& diff) {
  for (const SampleDiff& sample : diff.samples) {
    if (sample.difference.equal()) {
      continue;
    }
    const bool within = sample.outside.elements == 0;
    const tensor::FirstDifference& first = within ? *sample.difference.first : *sample.outside.first;
    Finding finding = core::bare_finding(
        within ? "RLV-413" : "RLV-410", within ? core::Severity::kNote : core::Severity::kError,
        core::Section::kLogProbs,
        within ? "train and rollout log-probs differ within the tolerance" : "train and rollout log-probs differ");
    finding.place.file = diff.files[sample.file];
    finding.place.rank = sample.rank;
    finding.place.call = sample.call;
    finding.place.sample = sample.sample;
    finding.place.position = static_cast<std::int64_t>(first.element_index);
    finding.expected = "train " + tensor::element_text(sample.dtype, first.reference);
    finding.found = "rollout " + tensor::element_text(sample.dtype, first.candidate);
    diff.findings.add(std::move(finding));
  }
}

void sum_up(SidecarDiff& diff) {
  for (std::size_t i = 0; i < diff.samples.size(); ++i) {
    const SampleDiff& sample = diff.samples[i];
    diff.total.add(sample.difference);
    diff.elements_outside += sample.outside.elements;
    diff.bytes_compared += sample.difference.elements * tensor::bytes_per_element(sample.dtype);
    diff.samples_outside += sample.outside.elements > 0 ? 1 : 0;
    if (!sample.difference.equal()) {
      ++diff.samples_different;
      diff.worst.push_back(i);
    }
  }
  const auto key = [&diff](std::size_t i) {
    const SampleDiff& sample = diff.samples[i];
    return std::make_tuple(sample.outside.elements > 0, sample.difference.max_abs_difference,
                           sample.difference.different_elements);
  };
  std::stable_sort(diff.worst.begin(), diff.worst.end(),
                   [&key](std::size_t a, std::size_t b) { return key(a) > key(b); });
}

}  // namespace

Answer SidecarDiff::answer() const {
  if (total.elements == 0) {
    // Sides that can't stand against each other (other lengths, other dtypes) are as little a pass as values that
    // differ; only where nothing is at fault was there nothing to compare.
    return findings.has_error() ? Answer::kIncomplete : Answer::kNothing;
  }
  if (elements_outside > 0) {
    return Answer::kDifferent;
  }
  if (findings.has_error()) {
    return Answer::kIncomplete;
  }
  return total.equal() ? Answer::kEqual : Answer::kWithinTolerance;
}

core::ExitCode SidecarDiff::exit_code() const {
  return exit_code_of(answer());
}

const SampleDiff* SidecarDiff::first_different() const {
  const SampleDiff* within = nullptr;
  for (const SampleDiff& sample : samples) {
    if (sample.outside.elements > 0) {
      return &sample;
    }
    within = within == nullptr && !sample.difference.equal() ? &sample : within;
  }
  return within;
}

SidecarDiff diff_sidecars(const std::string& path, const SidecarOptions& options, core::ThreadPool& pool) {
  SidecarDiff diff;
  diff.path = path;
  diff.tolerance = options.tolerance;
  diff.files = list_sidecars(path);
  core::Progress progress("sidecars", diff.files.size(), options.show_progress);
  std::vector<SidecarFileResult> results(diff.files.size());
  pool.for_each(results.size(), [&](std::size_t i) {
    results[i] = compare_file(diff.files[i], static_cast<std::uint32_t>(i), options);
    progress.add(1);
  });
  std::vector<SamplePiece> pieces;
  for (SidecarFileResult& result : results) {
    diff.files_read += result.readable ? 1 : 0;
    for (const core::Problem& problem : result.problems) {
      diff.findings.add(problem, "RLV-411", core::Section::kLogProbs);
    }
    std::move(result.pieces.begin(), result.pieces.end(), std::back_inserter(pieces));
  }
  require_sidecars(path, results);
  report_missing_ranks(path, results, diff.findings);
  join_pieces(std::move(pieces), diff);
  sum_up(diff);
  add_sample_findings(diff);
  return diff;
}

}  // namespace rlverify::diff
