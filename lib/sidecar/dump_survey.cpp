// SPDX-License-Identifier: Apache-2.0
// Form 1 holds a rank's own pieces and form 2 whole responses, which are cut here as the rank's slice would be. Where
// dtype, sample count or lengths don't line up, the comparison is unavailable and says why; that is no failure by
// itself.
#include "sidecar/dump_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "run/number_vector.h"

namespace rlverify::sidecar {
namespace {

using core::Section;

/// The elements of a whole response that a shard owns.
std::vector<std::byte> cut(std::span<const std::byte> whole, std::size_t element_bytes, const Shard& shard,
                           const Layout& layout) {
  std::vector<std::byte> piece;
  for (const Range& range :
       owned_ranges(shard.total_length, shard.response_length, layout.context_parallel_size, shard.cp_rank)) {
    const auto bytes = whole.subspan(static_cast<std::size_t>(range.begin) * element_bytes,
                                     static_cast<std::size_t>(range.size()) * element_bytes);
    piece.insert(piece.end(), bytes.begin(), bytes.end());
  }
  return piece;
}

class Comparison {
 public:
  Comparison(const run::DumpFile& dump, const Layout& layout, SurveyedDump& surveyed)
      : dump_(dump), layout_(layout), surveyed_(surveyed) {}

  /// One vector of the dump against one side of a shard.
  void vector(core::Value value, const Shard& shard, const char* field, bool rollout_side, bool whole_response) {
    if (shard.state != Shard::State::kCompared || !value.present()) {
      return;
    }
    const run::NumberVector numbers = run::number_vector(*dump_.pt, value, dump_.source->name(), field);
    const tensor::DType dtype = rollout_side ? shard.rollout_dtype : shard.train_dtype;
    if (numbers.dtype != dtype) {
      skip(fmt::format("{} is {} in the dump and {} in the sidecar", field, tensor::torch_name(numbers.dtype),
                       tensor::torch_name(dtype)));
      return;
    }
    const std::uint64_t wanted = whole_response ? static_cast<std::uint64_t>(shard.response_length) : shard.train_count;
    if (numbers.element_count != wanted) {
      skip(fmt::format("{} has {} values in the dump and {} in the sidecar", field, numbers.element_count, wanted));
      return;
    }
    const run::ElementBytes elements = run::load(*dump_.source, numbers);
    const std::size_t element_bytes = tensor::bytes_per_element(dtype);
    std::vector<std::byte> piece;
    std::span<const std::byte> view = elements.view;
    if (whole_response) {
      piece = cut(view, element_bytes, shard, layout_);
      view = piece;
    }
    ++surveyed_.compared;
    if (active_digest(view, element_bytes, shard.active) !=
        (rollout_side ? shard.active_rollout : shard.active_train)) {
      core::Finding finding;
      finding.code = "RLV-191";
      finding.section = Section::kDumps;
      finding.what = fmt::format("{} of a train dump differ from the sidecar's", field);
      finding.expected = fmt::format("the bytes of call {} at active positions", shard.call);
      finding.found = "others";
      finding.place.file = dump_.source->name();
      finding.place.rank = shard.rank;
      finding.place.sample = shard.sample;
      surveyed_.findings.add(std::move(finding));
    }
  }

  void skip(std::string reason) {
    if (surveyed_.unavailable.empty()) {
      surveyed_.unavailable = std::move(reason);
    }
  }

 private:
  const run::DumpFile& dump_;
  const Layout& layout_;
  SurveyedDump& surveyed_;
};

void compare_form_1(const run::DumpFile& dump, const ShardIndex& index, Comparison& comparison) {
  const core::Value train = dump.rollout_data.get("log_probs");
  const core::Value rollout = dump.rollout_data.get("rollout_log_probs");
  if (!train.is_sequence() && !rollout.is_sequence()) {
    comparison.skip("the dump has no log-probs");
    return;
  }
  const auto shards = index.of_rank(*dump.rank, *dump.rollout_id);
  for (const core::Value list : {train, rollout}) {
    if (list.is_sequence() && list.size() != shards.size()) {
      comparison.skip(fmt::format("the dump holds {} samples and the sidecars {}", list.size(), shards.size()));
      return;
    }
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    comparison.vector(train.at(i), *shards[i], "log_probs", false, false);
    comparison.vector(rollout.at(i), *shards[i], "rollout_log_probs", true, false);
  }
}

void compare_form_2(const run::DumpFile& dump, const ShardIndex& index, Comparison& comparison) {
  std::map<std::int64_t, std::vector<core::Value>> by_group;
  for (std::size_t i = 0; i < dump.samples.size(); ++i) {
    const core::Value group = dump.samples.at(i).get("data_parallel_rank");
    by_group[group.is_integer() ? group.integer() : 0].push_back(dump.samples.at(i));
  }
  const Layout& layout = index.layout();
  for (const auto& [group, samples] : by_group) {
    for (std::int64_t cp_rank = 0; cp_rank < layout.context_parallel_size; ++cp_rank) {
      const std::int64_t rank = (group * layout.context_parallel_size + cp_rank) * layout.tensor_parallel_size;
      const auto shards = index.of_rank(rank, *dump.rollout_id);
      if (shards.size() != samples.size()) {
        comparison.skip(fmt::format("the dump holds {} samples and the sidecars {}", samples.size(), shards.size()));
        return;
      }
      for (std::size_t i = 0; i < shards.size(); ++i) {
        comparison.vector(samples[i].get("log_probs"), *shards[i], "log_probs", false, true);
        comparison.vector(samples[i].get("rollout_log_probs"), *shards[i], "rollout_log_probs", true, true);
      }
    }
  }
}

void compare(const run::DumpFile& dump, const ShardIndex& index, SurveyedDump& surveyed) {
  Comparison comparison(dump, index.layout(), surveyed);
  if (!index.usable()) {
    comparison.skip("the sidecars' calls can't be told apart by step");
  } else if (dump.samples.present() && dump.rollout_id) {
    compare_form_2(dump, index, comparison);
  } else if (dump.rollout_data.present() && dump.rollout_id && dump.rank) {
    compare_form_1(dump, index, comparison);
  } else {
    comparison.skip("the dump says neither rollout nor rank");
  }
}

core::Finding dump_finding(const char* code, const std::string& name, std::string what, std::string expected,
                           std::string found) {
  core::Finding finding;
  finding.code = code;
  finding.section = Section::kDumps;
  finding.what = std::move(what);
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

ShardIndex::ShardIndex(const std::vector<SurveyedFile>& files, const Layout& layout, std::int64_t calls_per_step)
    : layout_(layout), calls_per_step_(calls_per_step) {
  for (const SurveyedFile& file : files) {
    if (!file.problem) {
      files_.emplace(std::make_pair(file.rank, file.call_index), &file);
    }
  }
}

std::vector<const Shard*> ShardIndex::of_rank(std::int64_t rank, std::int64_t step) const {
  std::vector<const Shard*> shards;
  std::int64_t first = 0;
  if (__builtin_mul_overflow(step, calls_per_step_, &first)) {
    return shards;
  }
  for (std::int64_t call = first; call < first + calls_per_step_; ++call) {
    const auto file = files_.find({rank, call});
    if (file == files_.end()) {
      return {};
    }
    for (const Shard& shard : file->second->shards) {
      shards.push_back(&shard);
    }
  }
  return shards;
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
      compare(dump, *index, surveyed);
    }
  } catch (const core::ArtifactError& error) {
    surveyed.problem = error.problem();
  }
  return surveyed;
}

void strict_dump_rules(const std::vector<SurveyedDump>& dumps, std::int64_t ranks, std::int64_t steps,
                       core::Findings& findings) {
  std::set<std::pair<std::int64_t, std::int64_t>> have;  // (rollout, rank)
  std::set<std::int64_t> rollouts;
  bool form_1 = false;
  bool form_2 = false;
  for (const SurveyedDump& dump : dumps) {
    if (dump.problem) {
      findings.add(*dump.problem, "RLV-190", Section::kDumps);
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
