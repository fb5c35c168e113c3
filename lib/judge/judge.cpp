// SPDX-License-Identifier: Apache-2.0
// A run that never launched or whose launcher died is judged as that: what its remains lack or get wrong are
// consequences, not faults of their own.
#include "judge/judge.h"

#include <fmt/format.h>

#include <array>

#include "judge/rule_sets.h"
#include "readback/frame.h"
#include "readback/strict_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using core::Severity;
using readback::CannotJudge;

/// A readback that can't be read: the public validator gives up there, strict rules name it and judge the others.
void bad_readback(const run::JsonArtifact& readback, report::RuleSet rules, core::Findings& findings) {
  const std::string reason = readback.problem ? readback.problem->text() : readback.name + " is no object";
  if (rules == report::RuleSet::kReference) {
    throw CannotJudge("ReadbackError: " + reason);
  }
  if (readback.problem) {
    findings.add(*readback.problem, "RLV-102", Section::kBackends);
    return;
  }
  core::Finding finding =
      readback::make_finding("RLV-102", Section::kBackends, "can't be read", "a JSON object", "another kind of value");
  finding.place.file = readback.name;
  findings.add(std::move(finding));
}

/// Manifest, log and readbacks must be there and readable.
void require_artifacts(const run::RunDirectory& run, report::RuleSet rules, core::Findings& findings) {
  if (run.manifest.problem) {
    throw CannotJudge("ManifestError: " + run.manifest.problem->text());
  }
  if (!run.log) {
    throw CannotJudge("LogError: " + (run.log_problem ? run.log_problem->text() : "run.log is missing"));
  }
  if (run.readback_files.problem) {
    throw CannotJudge("ReadbackError: " + run.readback_files.problem->text());
  }
  if (run.readbacks.empty()) {
    throw CannotJudge("ReadbackError: no readbacks/*.json");
  }
  for (const run::JsonArtifact& readback : run.readbacks) {
    if (readback.problem || !readback.root().is_dict()) {
      bad_readback(readback, rules, findings);
    }
  }
  if (run.sidecar_files.problem) {
    throw CannotJudge("OSError: " + run.sidecar_files.problem->text());
  }
}

/// Everything after a failed launch is a consequence: one note for each section that would have failed.
core::Findings as_consequences(const core::Findings& findings) {
  core::Findings reduced;
  std::array<std::uint64_t, core::kSectionCount> faults{};
  std::array<std::string, core::kSectionCount> first;
  for (const core::Finding& finding : findings.list()) {
    const auto section = static_cast<std::size_t>(finding.section);
    if (finding.code == "RLV-103") {
      reduced.add(finding);
    } else if (finding.severity == Severity::kError) {
      first.at(section) = faults.at(section) == 0 ? finding.what : first.at(section);
      faults.at(section) += finding.count;
    }
  }
  for (std::size_t section = 0; section < faults.size(); ++section) {
    if (faults.at(section) == 0) {
      continue;
    }
    core::Finding note = readback::make_finding("RLV-199", static_cast<Section>(section), "not evaluated", "",
                                                fmt::format("{} ({} in all)", first.at(section), faults.at(section)));
    note.severity = Severity::kNote;
    note.because_of = "RLV-103";
    reduced.add(std::move(note));
  }
  return reduced;
}

/// The reason without the exception's name, which is the public validator's word and stays in the document.
std::string plain_reason(const std::string& reason) {
  const std::size_t colon = reason.find(": ");
  const std::string name = reason.substr(0, colon);
  if (colon == std::string::npos || name.size() < 5 || name.substr(name.size() - 5) != "Error" ||
      name.find(' ') != std::string::npos) {
    return reason;
  }
  const std::string rest = reason.substr(colon + 2);
  return name == "KeyError" ? "manifest.json lacks " + rest : rest;
}

/// The result of a run that can't be judged.
report::ValidationResult short_form(const run::RunDirectory& run, report::RuleSet rules, std::string reason) {
  report::ValidationResult result;
  result.rules = rules;
  result.run_directory = run.path;
  result.findings.add(
      readback::make_finding("RLV-101", Section::kLaunch, "the run can't be judged", "", plain_reason(reason)));
  result.gives_up = std::move(reason);
  return result;
}

}  // namespace

report::ValidationResult judge_run(const run::RunDirectory& run, report::RuleSet rules, core::ThreadPool& pool,
                                   bool show_progress) {
  report::ValidationResult result;
  result.rules = rules;
  result.run_directory = run.path;
  result.run_id = run.manifest.root().get("run_id");
  const Bench bench = {run, pool, show_progress};
  const bool failed_launch =
      rules == report::RuleSet::kStrict && run.manifest.root().is_dict() &&
      readback::launch_failed(run.manifest.root(), run.log ? &*run.log : nullptr, result.findings);
  try {
    require_artifacts(run, rules, result.findings);
    (rules == report::RuleSet::kStrict ? judge_strictly : judge_by_reference)(bench, result);
  } catch (const CannotJudge& reason) {
    report::ValidationResult ended = short_form(run, rules, reason.what());
    if (failed_launch) {
      ended.gives_up = result.findings.list().front().what;
      ended.give_up_code = core::ExitCode::kFailed;
      ended.findings = result.findings;
      ended.findings.add(
          readback::make_finding("RLV-101", Section::kLog, "the run can't be judged", "", plain_reason(reason.what())));
      ended.findings = as_consequences(ended.findings);
    }
    return ended;
  }
  if (failed_launch) {
    result.findings = as_consequences(result.findings);
  }
  result.findings.sort();
  return result;
}

}  // namespace rlverify::judge
