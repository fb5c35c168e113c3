// SPDX-License-Identifier: Apache-2.0
// Strict rules over all processes of a side, and over both sides: how many there are, which ranks they claim, and
// whether they agree about the vocabulary.
#include <fmt/format.h>

#include <map>
#include <set>

#include "core/python_value.h"
#include "readback/entry_walk.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
}

/// As many processes with operator records as there are GPUs: fewer is a lost proof, more is another run's.
void worker_rule(const StrictInput& input, const Pair& pair, std::size_t module, std::size_t records,
                 core::Findings& findings) {
  const core::Value gpus = input.base.frame.topology.get(pair.side == Side::kTraining ? "actor_gpus" : "rollout_gpus");
  if (gpus.is_integer() && gpus.integer() >= 0 && records != static_cast<std::size_t>(gpus.integer())) {
    findings.add(make_finding("RLV-123", Section::kBackends,
                              fmt::format("{} {}: the number of processes that ran it is not the number of GPUs",
                                          pair.name, kModules.at(module)),
                              fmt::format("{} processes with a record", gpus.integer()), fmt::format("{}", records)));
  }
}

/// Where processes say which rank they are, each rank must be there as often as any other: a readback that was copied
/// in place of a lost one says the same rank twice.
void rank_rule(const Pair& pair, std::size_t module, const std::vector<core::Value>& records,
               core::Findings& findings) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> processes;  // (cp, tp)
  for (const core::Value record : records) {
    const core::Value execution = record.path({"provenance", "execution"});
    if (!execution.get("tp_rank").is_integer() || !execution.get("cp_rank").is_integer()) {
      return;
    }
    ++processes[{execution.get("cp_rank").integer(), execution.get("tp_rank").integer()}];
  }
  for (const auto& [rank, count] : processes) {
    if (count * processes.size() != records.size()) {
      findings.add(make_finding(
          "RLV-123", Section::kBackends,
          fmt::format("{} {}: processes claim one rank more often than another", pair.name, kModules.at(module)),
          fmt::format("{} records over {} ranks", records.size(), processes.size()),
          fmt::format("{} of cp_rank {} tp_rank {}", count, rank.first, rank.second)));
      return;
    }
  }
}

/// All values under padded_vocab_size in one side's records.
void padded_vocabulary(const std::vector<const run::JsonArtifact*>& files, std::set<std::int64_t>& sizes,
                       core::Findings& findings) {
  for (const run::JsonArtifact* file : files) {
    for_each_entry(file->root(), "", [&](const std::string& path, const std::string& key, core::Value value) {
      if (key != "padded_vocab_size") {
        return;
      }
      if (value.is_integer()) {
        sizes.insert(value.integer());
        return;
      }
      core::Finding finding = make_finding("RLV-134", Section::kBackends, "padded_vocab_size is no proper number",
                                           "an integer", shown(value));
      finding.place.file = file->name;
      finding.place.field = path;
      findings.add(std::move(finding));
    });
  }
}

}  // namespace

void vocabulary_rule(const StrictInput& input, core::Findings& findings) {
  std::set<std::int64_t> training;
  std::set<std::int64_t> rollout;
  padded_vocabulary(readbacks_of(input.base.run.readbacks, kPairs[0]), training, findings);
  padded_vocabulary(readbacks_of(input.base.run.readbacks, kPairs[1]), rollout, findings);
  std::set<std::int64_t> all = training;
  all.insert(rollout.begin(), rollout.end());
  if (all.size() > 1) {
    const auto text = [](const std::set<std::int64_t>& sizes) {
      std::string out;
      for (const std::int64_t size : sizes) {
        out += (out.empty() ? "" : ", ") + std::to_string(size);
      }
      return out.empty() ? std::string("none") : out;
    };
    core::Finding finding =
        make_finding("RLV-136", Section::kBackends, "the padded vocabularies disagree (padded_vocab_size)",
                     "training " + text(training), "rollout " + text(rollout));
    finding.hint = "padding columns enter the log-sum of a side that doesn't mask them";
    findings.add(std::move(finding));
  }
}

void process_rules(const StrictInput& input, const Pair& pair, std::size_t module,
                   const std::vector<core::Value>& records, core::Findings& findings) {
  worker_rule(input, pair, module, records.size(), findings);
  rank_rule(pair, module, records, findings);
}

}  // namespace rlverify::readback
