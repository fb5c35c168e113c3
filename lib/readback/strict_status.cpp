// SPDX-License-Identifier: Apache-2.0
// Strict rules on how the job ended and on whose log and status these are.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

std::string shown(core::Value value) {
  return value.present() ? core::python_repr(value) : "nothing";
}

/// Whether a name in the log is the submission's: equal, or its beginning up to a hyphen, which is how launchers name a
/// family of runs.
bool same_job(std::string_view submission, std::string_view named) {
  return submission == named || (!named.empty() && submission.size() > named.size() &&
                                 submission.substr(0, named.size()) == named && submission[named.size()] == '-');
}

core::Finding log_job_finding(const char* code, const run::LogMark& mark, std::string what, std::string_view expected) {
  core::Finding finding = make_finding(code, Section::kLog, std::move(what), std::string(expected), mark.text);
  finding.place.file = "run.log";
  finding.place.line = mark.line;
  return finding;
}

/// Jobs that the log names: one must be this run's, others are told, and this run's must not have ended badly.
void log_job_rules(const run::RunLog& log, std::string_view submission, core::Findings& findings) {
  const auto mine = [submission](const run::LogMark& mark) { return same_job(submission, mark.text); };
  const bool named = std::any_of(log.job_ids.begin(), log.job_ids.end(), mine);
  for (const run::LogMark& mark : log.job_ids) {
    if (mine(mark)) {
      continue;
    }
    core::Finding finding = log_job_finding(
        "RLV-105", mark, named ? "the log names another job, too" : "the log is that of another run", submission);
    finding.severity = named ? core::Severity::kWarning : core::Severity::kError;
    findings.add(std::move(finding));
  }
  for (const run::LogMark& mark : log.job_failures) {
    if (mine(mark)) {
      findings.add(log_job_finding("RLV-104", mark, "the log says that the job failed or was stopped", "succeeded"));
    }
  }
}

}  // namespace

void strict_status_rules(const StrictInput& input, core::Findings& findings) {
  const run::RunDirectory& run = input.base.run;
  const run::RayStatus& status = run.ray_status;
  if (!run.has_ray_status || run.ray_status_problem || status.state != run::JobState::kSucceeded) {
    core::Finding finding =
        make_finding("RLV-104", Section::kLaunch, "the job is not shown to have succeeded", "SUCCEEDED",
                     !run.has_ray_status         ? "no file"
                     : status.state_line.empty() ? "no status"
                                                 : status.state_line);
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  }
  const core::Value submission = input.base.frame.manifest.get("submission_id");
  if (!submission.is_string() || submission.text().empty()) {
    findings.add(manifest_finding("RLV-105", "submission_id", "the manifest names no submission",
                                  "the id under which the run was submitted", shown(submission)));
    return;
  }
  const bool read = run.has_ray_status && !run.ray_status_problem && !status.state_line.empty();
  if (status.job_id && submission.text() != *status.job_id) {
    core::Finding finding = make_finding("RLV-105", Section::kLaunch, "the status is that of another run",
                                         std::string(submission.text()), *status.job_id);
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  } else if (read && !status.job_id) {
    core::Finding finding =
        make_finding("RLV-105", Section::kLaunch, "the status names no job, so it could be any run's",
                     std::string(submission.text()), status.state_line);
    finding.severity = core::Severity::kWarning;
    finding.place.file = "ray-status.txt";
    findings.add(std::move(finding));
  }
  log_job_rules(input.base.log, submission.text(), findings);
}

}  // namespace rlverify::readback
