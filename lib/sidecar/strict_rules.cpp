// SPDX-License-Identifier: Apache-2.0
// Completeness first: a run whose files are not all there is told so before its numbers are looked at.
#include "sidecar/strict_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "run/file_names.h"
#include "tensor/element.h"

namespace rlverify::sidecar {
namespace {

using core::Severity;

core::FindingPlace file_place(const SurveyedFile& file) {
  core::FindingPlace place;
  place.file = "mismatch-sidecars/" + file.name;
  if (file.rank >= 0) {
    place.rank = file.rank;
    place.call = file.call_index;
  }
  return place;
}

/// A file's name states rank and call; the payload must hold the same.
void name_rule(const SurveyedFile& file, core::Findings& findings) {
  if (file.problem) {
    return;
  }
  const std::string wanted = run::rank_call_name(file.rank, file.call_index);
  if (file.name != wanted) {
    findings.add(finding_at("RLV-166", file_place(file), "a sidecar's name and content disagree", wanted, file.name));
  }
}

/// What was computed from a damaged file counts all the same: its differences follow from the damage.
void damage_rule(const SurveyedFile& file, core::Findings& findings) {
  if (file.damage) {
    core::FindingPlace place = file_place(file);
    place.offset = file.damage->offset;
    findings.add(finding_at("RLV-152", place, "a sidecar is damaged: its bytes aren't those that were written",
                            file.damage->expected, file.damage->found));
  }
}

/// rank -> call -> samples; nothing for a file that can't be read, which is there all the same.
using CallsOfRank = std::map<std::int64_t, std::map<std::int64_t, std::optional<std::size_t>>>;

CallsOfRank calls_of_ranks(const std::vector<SurveyedFile>& files) {
  static const RE2 kName("rank(\\d{1,18})\\.call(\\d{1,18})\\.pt");
  CallsOfRank calls;
  for (const SurveyedFile& file : files) {
    std::int64_t rank = 0;
    std::int64_t call = 0;
    if (!file.problem) {
      calls[file.rank][file.call_index] = file.shards.size();
    } else if (RE2::FullMatch(file.name, kName, &rank, &call)) {
      calls[rank].emplace(call, std::nullopt);
    }
  }
  return calls;
}

/// All ranks, contiguous calls from 0, the same number of calls on every rank, and of samples on every rank of a
/// data-parallel group.
void completeness_rules(const std::vector<SurveyedFile>& files, const ExpectedRun& expected, core::Findings& findings) {
  const CallsOfRank calls = calls_of_ranks(files);
  if (calls.empty()) {
    return;
  }
  std::vector<std::int64_t> missing;
  constexpr std::int64_t kMostRanks = 1 << 16;
  for (std::int64_t rank = 0; rank < std::min(expected.ranks, kMostRanks); ++rank) {
    if (calls.count(rank) == 0) {
      missing.push_back(rank);
    }
  }
  const std::int64_t last = calls.rbegin()->first;
  if (!missing.empty() || last >= expected.ranks) {
    findings.add(finding_at(
        "RLV-165", {}, fmt::format("expected ranks 0-{}, found {}-{}", expected.ranks - 1, calls.begin()->first, last),
        fmt::format("sidecars of {} ranks", expected.ranks),
        missing.empty() ? fmt::format("rank {}", last) : fmt::format("none of rank {}", fmt::join(missing, ", "))));
  }
  std::size_t most_calls = 0;
  for (const auto& [rank, of_rank] : calls) {
    most_calls = std::max(most_calls, of_rank.size());
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> samples_of_call;  // (dp, call)
  const std::int64_t group = expected.layout.tensor_parallel_size * expected.layout.context_parallel_size;
  for (const auto& [rank, of_rank] : calls) {
    std::int64_t next = 0;
    for (const auto& [call, samples] : of_rank) {
      if (call != next) {
        core::FindingPlace place;
        place.rank = rank;
        place.call = next;
        findings.add(finding_at("RLV-167", place, "calls of a rank are not contiguous", fmt::format("call {}", next),
                                fmt::format("call {}", call)));
      }
      next = call + 1;
      if (!samples) {
        continue;
      }
      const auto [entry, fresh] = samples_of_call.emplace(std::make_pair(rank / group, call), *samples);
      if (!fresh && entry->second != *samples) {
        core::FindingPlace place;
        place.rank = rank;
        place.call = call;
        findings.add(finding_at("RLV-167", place, "ranks of a group hold different numbers of samples",
                                fmt::format("{} samples", entry->second), fmt::format("{}", *samples)));
      }
    }
    if (of_rank.size() != most_calls) {
      core::FindingPlace place;
      place.rank = rank;
      findings.add(finding_at("RLV-167", place, "ranks hold different numbers of calls",
                              fmt::format("{} calls", most_calls), fmt::format("{}", of_rank.size())));
    }
  }
}

/// The element of a shard's vector that index counts, in response coordinates.
std::int64_t position_of(const Shard& shard, const Layout& layout, std::int64_t index) {
  return response_position(
      owned_ranges(shard.total_length, shard.response_length, layout.context_parallel_size, shard.cp_rank), index);
}

void value_rules(const std::vector<SurveyedFile>& files, const Shard& shard, const ExpectedRun& expected,
                 core::Findings& findings) {
  if (shard.total_length == shard.response_length) {
    findings.add(finding_at("RLV-169", place_of(files, shard),
                            "a sample without a prompt: its first token's log-prob belongs to no rank",
                            "total length above response length", fmt::format("both {}", shard.total_length)));
  }
  if (shard.state != Shard::State::kCompared || shard.statistics.non_finite) {
    return;
  }
  if (!tensor::is_floating(shard.train_dtype) && shard.train_count > 0) {
    findings.add(finding_at("RLV-157", place_of(files, shard), "log-probs are no floating-point numbers",
                            "a floating dtype", std::string(tensor::torch_name(shard.train_dtype))));
  }
  if (shard.statistics.positive > 0) {
    core::FindingPlace place = place_of(files, shard);
    place.position = position_of(shard, expected.layout, shard.statistics.first_positive);
    core::Finding finding =
        finding_at("RLV-168", place, "a log-prob above 0: no probability is above 1", "at most 0", "a positive value");
    finding.count = static_cast<std::uint64_t>(shard.statistics.positive);
    findings.add(std::move(finding));
  }
}

/// Every step must have an active token somewhere. A step with a shard that couldn't be compared is left to that
/// shard's own finding.
void activity_rule(const std::vector<SurveyedFile>& files, const MergedShards& merged, const ExpectedRun& expected,
                   core::Findings& findings) {
  const CallSteps steps(files, expected.layout, expected.samples_per_group());
  std::map<std::int64_t, std::int64_t> active;
  for (const Shard* shard : merged.shards) {
    if (const auto step = steps.step_of(shard->dp, shard->call)) {
      active[*step] += shard->state == Shard::State::kCompared ? shard->statistics.active : 1;
    }
  }
  for (const auto& [step, count] : active) {
    if (count == 0) {
      core::FindingPlace place;
      place.step = step;
      findings.add(finding_at("RLV-161", place, "no active response tokens in the whole step", "at least one", "none"));
    }
  }
}

void dtype_note(const MergedShards& merged, core::Findings& findings) {
  std::set<std::string> narrow;
  for (const Shard* shard : merged.shards) {
    if (shard->state == Shard::State::kCompared && tensor::is_floating(shard->train_dtype) &&
        tensor::bytes_per_element(shard->train_dtype) < 4 && shard->train_count > 0) {
      narrow.emplace(tensor::torch_name(shard->train_dtype));
    }
  }
  if (!narrow.empty()) {
    core::Finding finding =
        finding_at("RLV-157", {}, "log-probs were stored in a narrow dtype: what it rounds away was never compared",
                   "torch.float32", fmt::format("{}", fmt::join(narrow, ", ")));
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  }
}

}  // namespace

std::int64_t ExpectedRun::samples_per_group() const {
  const std::int64_t group = layout.tensor_parallel_size * layout.context_parallel_size;
  const std::int64_t groups = ranks > 0 && ranks % group == 0 ? ranks / group : 1;
  return global_batch_size > 0 && global_batch_size % groups == 0 ? global_batch_size / groups : 0;
}

UnmaskedTotals unmasked_totals(const MergedShards& merged) {
  UnmaskedTotals totals;
  for (const Shard* shard : merged.shards) {
    totals.elements += static_cast<std::int64_t>(shard->train_count);
    totals.mismatches += shard->unmasked_mismatch_count;
  }
  return totals;
}

std::map<std::int64_t, UnmaskedTotals> unmasked_steps(const MergedShards& merged,
                                                      const std::vector<SurveyedFile>& files,
                                                      const ExpectedRun& expected) {
  const CallSteps steps(files, expected.layout, expected.samples_per_group());
  std::map<std::int64_t, UnmaskedTotals> totals;
  std::set<std::int64_t> unsure;
  for (const Shard* shard : merged.shards) {
    const auto step = steps.step_of(shard->dp, shard->call);
    if (!step) {
      continue;
    }
    if (shard->state != Shard::State::kCompared) {
      unsure.insert(*step);
    }
    totals[*step].elements += static_cast<std::int64_t>(shard->train_count);
    totals[*step].mismatches += shard->unmasked_mismatch_count;
  }
  for (const std::int64_t step : unsure) {
    totals.erase(step);
  }
  return totals;
}

void strict_sidecar_rules(const std::vector<SurveyedFile>& files, const MergedShards& merged,
                          const ExpectedRun& expected, const SidecarSection& section, core::Findings& findings) {
  for (const SurveyedFile& file : files) {
    name_rule(file, findings);
    damage_rule(file, findings);
  }
  completeness_rules(files, expected, findings);
  sidecar_rules(files, merged, expected.layout, section, findings);
  for (const Shard* shard : merged.shards) {
    value_rules(files, *shard, expected, findings);
  }
  if (section.element_count > 0) {
    activity_rule(files, merged, expected, findings);
  }
  dtype_note(merged, findings);
}

}  // namespace rlverify::sidecar
