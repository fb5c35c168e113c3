// SPDX-License-Identifier: Apache-2.0
// Form 1 holds one list for each column and form 2 one dict for each sample; both become rows of the same kind.
#include "sidecar/dump_survey.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "sidecar/dump_comparison.h"
#include "tensor/storage_check.h"

namespace rlverify::sidecar {
namespace {

using core::Section;

void compare_form_1(const run::DumpFile& dump, const ShardIndex& index, DumpComparison& comparison) {
  const core::Value train = dump.rollout_data.get("log_probs");
  const core::Value rollout = dump.rollout_data.get("rollout_log_probs");
  if (!train.is_sequence() && !rollout.is_sequence()) {
    comparison.skip("the dump has no log-probs");
    return;
  }
  const std::size_t count = train.is_sequence() ? train.size() : rollout.size();
  if (train.is_sequence() && rollout.is_sequence() && train.size() != rollout.size()) {
    comparison.skip(fmt::format("the dump holds {} samples of one side and {} of the other", count, rollout.size()));
    return;
  }
  std::vector<DumpedSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(
        {train.is_sequence() ? train.at(i) : core::Value(), rollout.is_sequence() ? rollout.at(i) : core::Value(), i});
  }
  comparison.step(samples, index.of_rank(*dump.rank, *dump.rollout_id));
}

void compare_form_2(const run::DumpFile& dump, const ShardIndex& index, DumpComparison& comparison) {
  std::map<std::int64_t, std::vector<DumpedSample>> by_group;
  for (std::size_t i = 0; i < dump.samples.size(); ++i) {
    const core::Value sample = dump.samples.at(i);
    const core::Value group = sample.get("data_parallel_rank");
    by_group[group.is_integer() ? group.integer() : 0].push_back(
        {sample.get("log_probs"), sample.get("rollout_log_probs"), i});
  }
  const Layout& layout = index.layout();
  constexpr std::int64_t kMostGroups = 1 << 20;
  for (const auto& [group, samples] : by_group) {
    for (std::int64_t cp_rank = 0; cp_rank < layout.context_parallel_size; ++cp_rank) {
      if (group < 0 || group > kMostGroups) {
        comparison.skip(fmt::format("the dump names data-parallel rank {}", group));
        return;
      }
      const std::int64_t rank = (group * layout.context_parallel_size + cp_rank) * layout.tensor_parallel_size;
      comparison.step(samples, index.of_rank(rank, *dump.rollout_id));
    }
  }
}

void compare(const run::DumpFile& dump, const ShardIndex& index, SurveyedDump& surveyed) {
  DumpComparison comparison(dump, index.layout(), surveyed);
  if (dump.samples.present() && dump.rollout_id) {
    compare_form_2(dump, index, comparison);
  } else if (dump.rollout_data.present() && dump.rollout_id && dump.rank) {
    compare_form_1(dump, index, comparison);
  } else {
    comparison.skip("the dump says neither rollout nor rank");
  }
}

core::Finding dump_finding(const char* code, const std::string& name, std::string what, std::string expected,
                           std::string found) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, Section::kDumps, std::move(what));
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  finding.place.file = name.empty() ? "" : "train-data/" + name;
  return finding;
}

/// One note for all dumps of one reason.
void unavailable_note(const SurveyedDump& dump, core::Findings& findings) {
  if (!dump.unavailable.empty()) {
    core::Finding finding =
        dump_finding("RLV-192", dump.name, "a train dump can't be held against the sidecars", "", dump.unavailable);
    finding.severity = core::Severity::kNote;
    findings.add(std::move(finding));
  }
}

}  // namespace

ShardIndex::ShardIndex(const std::vector<SurveyedFile>& files, const Layout& layout, std::int64_t samples_per_step)
    : layout_(layout), steps_(files, layout, samples_per_step) {
  for (const SurveyedFile& file : files) {
    if (!file.problem) {
      files_.emplace(std::make_pair(file.rank, file.call_index), &file);
    }
  }
}

StepShards ShardIndex::of_rank(std::int64_t rank, std::int64_t step) const {
  StepShards found;
  const std::int64_t dp = rank / layout_.tensor_parallel_size / layout_.context_parallel_size;
  const auto calls = steps_.calls_of(dp, step);
  for (std::int64_t call = calls ? calls->begin : 0; calls && call < calls->end; ++call) {
    const auto file = files_.find({rank, call});
    if (file == files_.end()) {
      return {};
    }
    for (const Shard& shard : file->second->shards) {
      found.shards.push_back(&shard);
    }
    ++found.calls;
  }
  return found;
}

SurveyedDump survey_dump(std::unique_ptr<core::ByteSource> source, std::string name, const ShardIndex* index) {
  SurveyedDump surveyed;
  surveyed.name = name;
  surveyed.bytes = source->size();
  try {
    const run::DumpFile dump = run::read_dump(std::move(source), std::move(name));
    surveyed.public_view = dump.public_view;
    surveyed.tensors = dump.pt->tensors.size();
    surveyed.rollout_id = dump.rollout_id;
    surveyed.rank = dump.rank;
    surveyed.whole_samples = dump.samples.present();
    if (index != nullptr) {
      tensor::check_storages(*dump.source, *dump.pt);
      compare(dump, *index, surveyed);
    }
  } catch (const core::ArtifactError& error) {
    surveyed.problem = error.problem();
  }
  return surveyed;
}

void strict_dump_rules(const std::vector<SurveyedDump>& dumps, std::int64_t ranks, std::int64_t steps,
                       core::Findings& findings) {
  static const RE2 kName(R"((\d{1,18})\.rank(\d{1,18})\.pt)");
  std::set<std::pair<std::int64_t, std::int64_t>> have;  // (rollout, rank)
  std::set<std::int64_t> rollouts;
  bool form_1 = false;
  bool form_2 = false;
  for (const SurveyedDump& dump : dumps) {
    if (dump.problem) {
      findings.add(*dump.problem, "RLV-190", Section::kDumps);
      std::int64_t rollout = 0;
      std::int64_t rank = 0;
      if (RE2::FullMatch(dump.name, kName, &rollout, &rank)) {  // it is there, though it can't be read
        have.emplace(rollout, rank);
        rollouts.insert(rollout);
      }
      continue;
    }
    for (const core::Finding& finding : dump.findings.list()) {
      findings.add(finding);
    }
    unavailable_note(dump, findings);
    const std::string stated = dump.rollout_id && dump.rank ? fmt::format("{}.rank{}.pt", *dump.rollout_id, *dump.rank)
                                                            : "a payload with rollout_id and rank";
    if (stated != dump.name) {
      findings.add(dump_finding("RLV-193", dump.name, "a train dump's name and content disagree", stated, dump.name));
      continue;
    }
    have.emplace(*dump.rollout_id, *dump.rank);
    rollouts.insert(*dump.rollout_id);
    (dump.whole_samples ? form_2 : form_1) = true;
  }
  constexpr std::int64_t kMost = 1 << 20;
  for (std::int64_t step = 0; step < std::min(steps, kMost) && !dumps.empty(); ++step) {
    if (form_2 && !form_1 && rollouts.count(step) == 0) {
      findings.add(dump_finding("RLV-193", "", fmt::format("missing train dump of rollout {}", step),
                                fmt::format("one file for each of {} rollouts", steps),
                                fmt::format("{} files", dumps.size())));
    }
    for (std::int64_t rank = 0; rank < std::min(ranks, kMost) && form_1; ++rank) {
      if (have.count({step, rank}) == 0) {
        findings.add(dump_finding("RLV-193", "", fmt::format("missing train dump {}.rank{}.pt", step, rank),
                                  fmt::format("one file for each of {} rollouts and {} ranks", steps, ranks),
                                  fmt::format("{} files", dumps.size())));
      }
    }
  }
}

}  // namespace rlverify::sidecar
