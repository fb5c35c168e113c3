// SPDX-License-Identifier: Apache-2.0
// One pass over sorted shards; the sums follow ascending (dp, call, sample, cp rank), so they don't depend on threads
// or on the order of files.
#include "sidecar/reference_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "core/python_value.h"
#include "sidecar/run_series.h"

namespace rlverify::sidecar {
namespace {

using core::Section;

auto key_of(const Shard& shard) {
  return std::make_tuple(shard.dp, shard.call, shard.sample, shard.cp_rank);
}
auto sample_key(const Shard& shard) {
  return std::make_tuple(shard.dp, shard.call, shard.sample);
}

/// K10 and K11 over the shards of one sample.
void completeness_rules(const std::vector<SurveyedFile>& files, const std::vector<const Shard*>& shards,
                        std::size_t begin, std::size_t end, std::int64_t cp, core::Findings& findings) {
  std::set<std::int64_t> have;
  std::set<std::pair<std::int64_t, std::int64_t>> lengths;
  for (std::size_t i = begin; i < end; ++i) {
    have.insert(shards[i]->cp_rank);
    lengths.emplace(shards[i]->total_length, shards[i]->response_length);
  }
  const core::FindingPlace place = place_of(files, *shards[begin]);
  if (static_cast<std::int64_t>(have.size()) != cp) {
    std::vector<std::int64_t> missing;
    for (std::int64_t rank = 0; rank < cp && missing.size() < 20; ++rank) {
      if (have.count(rank) == 0) {
        missing.push_back(rank);
      }
    }
    findings.add(finding_at("RLV-154", place, fmt::format("missing CP shard {}", fmt::join(missing, ", ")),
                            fmt::format("CP shards 0 to {}", cp - 1), fmt::format("{}", fmt::join(have, ", "))));
  }
  if (lengths.size() != 1) {
    findings.add(finding_at("RLV-155", place, "the CP shards of a sample disagree about its lengths",
                            "one pair of total and response length", fmt::format("{} pairs", lengths.size())));
  }
}

/// K12-K16 of one shard.
void shard_rules(const std::vector<SurveyedFile>& files, const Shard& shard, core::Findings& findings) {
  const core::FindingPlace place = place_of(files, shard);
  switch (shard.state) {
    case Shard::State::kShapeDiffers:
      findings.add(finding_at("RLV-156", place, "train and rollout log-probs differ in length",
                              fmt::format("{} values, as train has (response length {}, total length {})",
                                          shard.train_count, shard.response_length, shard.total_length),
                              fmt::format("{} values in rollout", shard.rollout_count)));
      return;
    case Shard::State::kDtypeDiffers:
      findings.add(finding_at("RLV-157", place, "train and rollout log-probs differ in dtype",
                              std::string(tensor::torch_name(shard.train_dtype)),
                              std::string(tensor::torch_name(shard.rollout_dtype))));
      return;
    case Shard::State::kMaskLengthDiffers:
      findings.add(finding_at("RLV-158", place, "log-probs and loss mask differ in length",
                              fmt::format("{} values (response length {}, total length {})", shard.slice_count,
                                          shard.response_length, shard.total_length),
                              fmt::format("{} values", shard.train_count)));
      return;
    case Shard::State::kNotReal:
      findings.add(finding_at("RLV-157", place, "log-probs are no real numbers", "a floating dtype",
                              std::string(tensor::torch_name(shard.train_dtype))));
      return;
    case Shard::State::kCompared:
      break;
  }
  if (shard.statistics.non_finite) {
    findings.add(finding_at("RLV-159", place, "a log-prob at an active position is not finite", "finite log-probs",
                            "NaN or an infinity"));
  } else if (shard.statistics.k3_non_finite) {
    findings.add(finding_at("RLV-160", place, "exp(d) - d - 1 overflows", "a finite value", "an infinity"));
  }
}

/// What the differing elements have in common, over all shards.
std::string hint_of(const LogProbStatistics& sum, std::int64_t compared) {
  if (sum.sign_of_zero == sum.bitwise_mismatch_count) {
    return "only the sign of zero differs: equal as numbers, not as bits";
  }
  if (sum.rollout_exact_zero > 0) {
    return fmt::format(
        "rollout is exactly 0.0 where train is not ({} elements): the engine may have returned nothing there",
        sum.rollout_exact_zero);
  }
  if (sum.train_exact_zero > 0) {
    return fmt::format("train is exactly 0.0 where rollout is not ({} elements)", sum.train_exact_zero);
  }
  if (sum.bitwise_mismatch_count == compared && compared > 1 && sum.min_difference == sum.max_difference) {
    return "a constant shift: train minus rollout is " + core::python_repr(sum.min_difference) +
           " at every active position";
  }
  return {};
}

/// K18 as one finding: the first three places, the first pair of values, the count of all.
core::Finding exactness_finding(const std::vector<SurveyedFile>& files, const MergedShards& merged,
                                const Layout& layout, const SidecarSection& section) {
  core::Finding finding = finding_at("RLV-162", {}, "train and rollout log-probs are not equal to the bit", "", "");
  LogProbStatistics sum;
  std::int64_t shards = 0;
  for (const Shard* shard : merged.shards) {
    const LogProbStatistics& statistics = shard->statistics;
    if (statistics.active > 0) {
      sum.min_difference =
          shards == 0 ? statistics.min_difference : std::min(sum.min_difference, statistics.min_difference);
      sum.max_difference =
          shards == 0 ? statistics.max_difference : std::max(sum.max_difference, statistics.max_difference);
      ++shards;
    }
    if (statistics.bitwise_mismatch_count == 0) {
      continue;
    }
    core::FindingPlace place = place_of(files, *shard);
    const auto ranges =
        owned_ranges(shard->total_length, shard->response_length, layout.context_parallel_size, shard->cp_rank);
    place.position = response_position(ranges, statistics.first_bitwise);
    if (sum.bitwise_mismatch_count == 0) {
      finding.place = place;
      finding.expected = "train " + value_text(statistics.first_train, shard->train_dtype);
      finding.found = "rollout " + value_text(statistics.first_rollout, shard->rollout_dtype);
    } else if (finding.more_places.size() < 2) {
      finding.more_places.push_back(place);
    }
    sum.bitwise_mismatch_count += statistics.bitwise_mismatch_count;
    sum.sign_of_zero += statistics.sign_of_zero;
    sum.rollout_exact_zero += statistics.rollout_exact_zero;
    sum.train_exact_zero += statistics.train_exact_zero;
  }
  finding.what +=
      fmt::format(" ({} of {} elements differ in bits, {} as numbers, by {} at most)", section.bitwise_mismatch_count,
                  section.element_count, section.mismatch_count, core::python_repr(section.max_abs_diff.value_or(0.0)));
  finding.hint = hint_of(sum, section.element_count);
  finding.count = static_cast<std::uint64_t>(std::max<std::int64_t>(sum.bitwise_mismatch_count, 1));
  return finding;
}

}  // namespace

core::Finding finding_at(const char* code, core::FindingPlace place, std::string what, std::string expected,
                         std::string found) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, Section::kLogProbs, std::move(what));
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  finding.place = std::move(place);
  return finding;
}

std::string value_text(double value, tensor::DType dtype) {
  std::string decimal = core::python_repr(value);
  switch (dtype) {
    case tensor::DType::kFloat32:
      return fmt::format("{} (0x{:08x})", decimal, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    case tensor::DType::kBfloat16:
      return fmt::format("{} (0x{:04x})", decimal, std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
    case tensor::DType::kFloat64:
      return fmt::format("{} (0x{:016x})", decimal, std::bit_cast<std::uint64_t>(value));
    default:
      return decimal;
  }
}

core::FindingPlace place_of(const std::vector<SurveyedFile>& files, const Shard& shard) {
  core::FindingPlace place;
  place.file = "mismatch-sidecars/" + files[shard.file].name;
  place.rank = shard.rank;
  place.call = shard.call;
  place.sample = shard.sample;
  return place;
}

MergedShards merge_shards(const std::vector<SurveyedFile>& files) {
  MergedShards merged;
  std::vector<const Shard*> all;
  for (const SurveyedFile& file : files) {
    for (const Shard& shard : file.shards) {
      all.push_back(&shard);
    }
  }
  // Stable: among equal keys the first in file order stays first.
  std::stable_sort(all.begin(), all.end(), [](const Shard* a, const Shard* b) { return key_of(*a) < key_of(*b); });
  for (const Shard* shard : all) {
    if (merged.shards.empty() || key_of(*merged.shards.back()) != key_of(*shard)) {
      merged.shards.push_back(shard);
    } else if (merged.shards.back()->digest != shard->digest) {
      merged.conflicts.push_back({merged.shards.back(), shard});
    }
  }
  return merged;
}

SidecarSection measure_sidecars(const std::vector<SurveyedFile>& files, const MergedShards& merged,
                                bool require_exact) {
  SidecarSection section;
  section.require_exact = require_exact;
  for (const SurveyedFile& file : files) {
    section.artifacts.push_back(file.name);
  }
  section.series = series_of_files(files);
  double sum_abs = 0.0;
  double sum_kl = 0.0;
  double sum_k3 = 0.0;
  double max_abs = 0.0;
  for (std::size_t i = 0; i < merged.shards.size(); ++i) {
    const Shard& shard = *merged.shards[i];
    section.sample_count += i == 0 || sample_key(*merged.shards[i - 1]) != sample_key(shard) ? 1 : 0;
    const LogProbStatistics& statistics = shard.statistics;
    if (shard.state != Shard::State::kCompared || statistics.non_finite) {
      continue;
    }
    section.mismatch_count += statistics.mismatch_count;
    section.bitwise_mismatch_count += statistics.bitwise_mismatch_count;
    if (statistics.k3_non_finite) {
      continue;  // the public validator has counted the mismatches before it skips the shard
    }
    section.element_count += statistics.active;
    sum_abs += statistics.sum_abs;
    sum_kl += statistics.sum_rollout_minus_train;
    sum_k3 += statistics.sum_k3;
    max_abs = std::max(max_abs, statistics.max_abs);
  }
  if (section.element_count > 0) {
    const auto count = static_cast<double>(section.element_count);
    section.mean_abs_diff = sum_abs / count;
    section.mismatch_kl = sum_kl / count;
    section.mismatch_k3_kl = sum_k3 / count;
    section.max_abs_diff = max_abs;
  }
  section.torch_equal = section.element_count > 0 && section.mismatch_count == 0 && max_abs == 0.0;
  section.bitwise_equal = section.torch_equal && section.bitwise_mismatch_count == 0;
  return section;
}

void sidecar_rules(const std::vector<SurveyedFile>& files, const MergedShards& merged, const Layout& layout,
                   const SidecarSection& section, core::Findings& findings) {
  if (files.empty()) {
    findings.add(finding_at("RLV-150", {}, "no mismatch sidecars", "mismatch-sidecars/*.pt", "none"));
  }
  for (const SurveyedFile& file : files) {
    if (file.problem) {
      findings.add(*file.problem, "RLV-151", Section::kLogProbs);
    }
  }
  for (const auto& conflict : merged.conflicts) {
    findings.add(finding_at("RLV-153", place_of(files, *conflict.other), "replicas of a shard differ",
                            "the bytes of mismatch-sidecars/" + files[conflict.first->file].name, "others"));
  }
  for (std::size_t begin = 0; begin < merged.shards.size();) {
    std::size_t end = begin + 1;
    while (end < merged.shards.size() && sample_key(*merged.shards[end]) == sample_key(*merged.shards[begin])) {
      ++end;
    }
    if (layout.context_parallel_size > 1) {
      completeness_rules(files, merged.shards, begin, end, layout.context_parallel_size, findings);
    }
    begin = end;
  }
  for (const Shard* shard : merged.shards) {
    shard_rules(files, *shard, findings);
  }
  if (section.element_count == 0) {
    findings.add(finding_at("RLV-161", {}, "no active response token was compared", "at least one", "none"));
  }
  if (section.require_exact && !section.bitwise_equal && section.element_count > 0) {
    findings.add(exactness_finding(files, merged, layout, section));
  }
}

}  // namespace rlverify::sidecar
