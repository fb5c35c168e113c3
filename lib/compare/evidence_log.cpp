// SPDX-License-Identifier: Apache-2.0
// Which record of a step counts: the first one of the actor itself. The log of another driver on the same cluster, or a
// resumed run, may state a step twice; equal bytes are harmless, others make the step unusable as evidence.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "compare/evidence.h"
#include "core/python_value.h"

namespace rlverify::compare {
namespace {

using core::Kind;
using core::Section;

core::Finding log_finding(const char* code, std::string what, const run::LogRecord& record, const std::string& file) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, Section::kLog, std::move(what));
  finding.place.file = file;
  finding.place.line = record.line;
  finding.place.step = record.number;
  return finding;
}

std::string place_of(const run::LogRecord& record) {
  return record.pid ? fmt::format("line {} (pid {})", record.line, *record.pid) : fmt::format("line {}", record.line);
}

/// Of the two perf lines of a step the training actor's; the rollout manager's has perf/rollout_time.
bool is_training_perf(core::Value payload) {
  return !payload.get("perf/rollout_time").present() && payload.get("perf/step_time").present();
}

class StepPicker {
 public:
  StepPicker(const std::string& file, core::Findings& findings) : file_(file), findings_(findings) {}

  void add(const run::LogRecord& record) {
    const auto [at, fresh] = first_.try_emplace(record.number, &record);
    if (fresh || at->second->digest == record.digest) {
      return;
    }
    core::Finding finding = log_finding(
        "RLV-343", fmt::format("step {} is recorded twice with different values", record.number), record, file_);
    finding.expected = "the record of " + place_of(*at->second);
    finding.found = "another at " + place_of(record);
    findings_.add(std::move(finding));
  }

  [[nodiscard]] std::vector<LogStep> steps(const run::RunLog& log) const {
    std::vector<LogStep> out;
    for (const auto& [step, record] : first_) {
      out.push_back({step, log.payload(*record), record->line});
    }
    return out;
  }

 private:
  const std::string& file_;
  core::Findings& findings_;
  std::map<std::int64_t, const run::LogRecord*> first_;
};

void scan(core::Value value, const std::string& field, const LogStep& step, const std::string& file,
          core::Findings& findings) {
  if (value.is(Kind::kReal) && !std::isfinite(value.real())) {
    core::Finding finding = core::bare_finding("RLV-347", core::Severity::kNote, Section::kLog,
                                               "a value is not finite: JSON has null for it");
    finding.found = core::python_repr(value.real());
    finding.place.file = file;
    if (step.line != 0) {
      finding.place.line = step.line;
    }
    finding.place.step = step.step;
    finding.place.field = field;
    findings.add(std::move(finding));
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value.is_dict()) {
      const std::string key =
          value.key_at(i).is_string() ? std::string(value.key_at(i).text()) : core::python_repr(value.key_at(i));
      scan(value.value_at(i), field.empty() ? key : field + "." + key, step, file, findings);
    } else if (!value.is(Kind::kComplex)) {
      scan(value.at(i), fmt::format("{}[{}]", field, i), step, file, findings);
    }
  }
}

}  // namespace

void non_finite_notes(const LogStep& step, const std::string& file, core::Findings& findings) {
  scan(step.record, "", step, file, findings);
}

void read_log_steps(const run::RunLog& log, const std::string& file, RunEvidence& evidence) {
  core::Findings ignored;
  StepPicker steps(file, evidence.findings);
  StepPicker perf(file, ignored);  // times may well differ after a resume
  for (const run::LogRecord& record : log.records) {
    if (!record.role.empty() || record.kind == run::RecordKind::kRollout) {
      continue;
    }
    if (record.payload == core::kNoNode) {
      core::Finding finding = log_finding("RLV-346", "a record can't be read", record, file);
      finding.severity = record.kind == run::RecordKind::kStep ? core::Severity::kError : core::Severity::kWarning;
      finding.found = record.problem;
      evidence.findings.add(std::move(finding));
    } else if (record.kind == run::RecordKind::kStep) {
      steps.add(record);
    } else if (is_training_perf(log.payload(record))) {
      perf.add(record);
    }
  }
  evidence.steps = steps.steps(log);
  evidence.perf = perf.steps(log);
  evidence.has_log = true;
  for (const LogStep& step : evidence.steps) {
    non_finite_notes(step, file, evidence.findings);
  }
  for (const LogStep& step : evidence.perf) {
    non_finite_notes(step, file, evidence.findings);
  }
}

}  // namespace rlverify::compare
