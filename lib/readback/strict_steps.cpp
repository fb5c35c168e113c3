// SPDX-License-Identifier: Apache-2.0
// Strict rules on the log: its step records, and lines that speak of fallbacks, tracebacks and folded output.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/python_value.h"
#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;
using core::Severity;

core::Finding log_finding(const char* code, Severity severity, Section section, std::uint64_t line, std::string what,
                          std::string expected, std::string found) {
  core::Finding finding = make_finding(code, section, std::move(what), std::move(expected), std::move(found));
  finding.severity = severity;
  finding.place.file = "run.log";
  finding.place.line = line;
  return finding;
}

/// "pid 11, 97"; nothing where Ray's prefix is missing.
std::string writers_of(const run::LogRecord& earlier, const run::LogRecord& later) {
  return earlier.pid && later.pid ? fmt::format("; pid {}, {}", *earlier.pid, *later.pid) : "";
}

bool is_step(const run::LogRecord& record) {
  return record.kind == run::RecordKind::kStep && record.role.empty();
}

/// The same step recorded twice: other bytes make the log invalid, the same bytes are only told.
void repeated_steps(const run::RunLog& log, core::Findings& findings) {
  std::map<std::int64_t, const run::LogRecord*> first;
  for (const run::LogRecord& record : log.records) {
    if (!strict_accepts(record)) {
      continue;
    }
    const auto [entry, fresh] = first.emplace(record.number, &record);
    if (fresh) {
      continue;
    }
    const run::LogRecord& earlier = *entry->second;
    const bool same = earlier.digest == record.digest;
    core::Finding finding = log_finding(
        same ? "RLV-176" : "RLV-175", same ? Severity::kNote : Severity::kError, Section::kScalars, earlier.line,
        same ? fmt::format("step {} is recorded twice with the same bytes", record.number)
             : fmt::format("step {} recorded twice with different values (lines {}, {}{})", record.number, earlier.line,
                           record.line, writers_of(earlier, record)),
        "one record", "two");
    finding.place.step = record.number;
    core::FindingPlace second = finding.place;
    second.line = record.line;
    finding.more_places.push_back(second);
    findings.add(std::move(finding));
  }
}

/// Whether a step record that can't be read hides something: the log has no readable record of a step that the run has.
/// Otherwise the line is a quotation, a sample's text for instance, and is only told.
bool hides_a_step(const StrictInput& input, const run::LogRecord& record) {
  const auto& steps = input.base.steps.by_step;
  return is_step(record) && record.number >= 0 && record.number < input.base.frame.num_rollout &&
         std::none_of(steps.begin(), steps.end(),
                      [&record](const StepRecord& step) { return step.step == record.number; });
}

const char* kind_name(run::RecordKind kind) {
  return kind == run::RecordKind::kStep ? "step" : kind == run::RecordKind::kPerf ? "perf" : "rollout";
}

/// Records that can't be read, don't end, or carry another step number inside.
void single_records(const StrictInput& input, core::Findings& findings) {
  const run::RunLog& log = input.base.log;
  for (const run::LogRecord& record : log.records) {
    if (!record.role.empty()) {
      findings.add(log_finding("RLV-178", Severity::kNote, Section::kLog, record.line,
                               fmt::format("a record of another role: {}-{}", record.role, kind_name(record.kind)), "",
                               ""));
      continue;
    }
    const bool step = is_step(record);
    if (record.payload == core::kNoNode) {
      const bool hides = hides_a_step(input, record);
      findings.add(log_finding(
          "RLV-177", hides ? Severity::kError : Severity::kWarning, hides ? Section::kScalars : Section::kLog,
          record.line, record.unterminated ? "a record that doesn't end on its line" : "a record that can't be read",
          "a dict", record.problem));
      continue;
    }
    const core::Value batch = log.payload(record).get("train/global_batch_size");
    if (step && batch.present() && !core::python_equal(batch, input.base.frame.global_batch_size)) {
      findings.add(log_finding("RLV-179", Severity::kWarning, Section::kScalars, record.line,
                               "a step was trained with another batch size than the manifest's",
                               fmt::format("{}", input.base.frame.global_batch_size), core::python_repr(batch)));
    }
    const core::Value inner = log.payload(record).get("train/step");
    if (step && inner.present() && !core::python_equal(inner, record.number)) {
      core::Finding finding = log_finding("RLV-173", Severity::kError, Section::kScalars, record.line,
                                          "a record carries another step number than its line",
                                          fmt::format("{}", record.number), core::python_repr(inner));
      finding.place.step = record.number;
      findings.add(std::move(finding));
    }
  }
}

void step_order(const StepRecords& steps, core::Findings& findings) {
  std::int64_t highest = -1;
  for (const std::size_t at : steps.by_arrival) {
    const StepRecord& step = steps.by_step[at];
    if (step.step < highest) {
      findings.add(log_finding("RLV-173", Severity::kError, Section::kScalars, step.record->line,
                               fmt::format("step {} is recorded after step {}", step.step, highest), "ascending steps",
                               "another order"));
    }
    highest = std::max(highest, step.step);
  }
}

/// Missing and unexpected steps by name, with the folded lines that may explain them.
void step_set(const StrictInput& input, core::Findings& findings) {
  const std::int64_t wanted = input.base.frame.num_rollout;
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> extra;
  std::set<std::int64_t> have;
  for (const StepRecord& step : input.base.steps.by_step) {
    have.insert(step.step);
    if (step.step < 0 || step.step >= wanted) {
      extra.push_back(step.step);
    }
  }
  constexpr std::size_t kMostNamed = 20;
  for (std::int64_t step = 0; step < wanted && missing.size() < kMostNamed; ++step) {
    if (have.count(step) == 0) {
      missing.push_back(step);
    }
  }
  if (!missing.empty()) {
    core::Finding finding =
        make_finding("RLV-173", Section::kScalars,
                     fmt::format("{} {} missing", missing.size() == 1 ? "step" : "steps",
                                 fmt::format("{}", fmt::join(missing, ","))),
                     fmt::format("steps 0 to {}", wanted - 1), fmt::format("{} steps", have.size()));
    finding.place.file = "run.log";
    if (!input.base.log.repeated.empty()) {
      finding.hint = fmt::format("log shows Ray dedup at line {}: run with RAY_DEDUP_LOGS=0",
                                 input.base.log.repeated.front().line);
    }
    findings.add(std::move(finding));
  }
  if (!extra.empty()) {
    extra.resize(std::min(extra.size(), kMostNamed));
    core::Finding finding =
        make_finding("RLV-173", Section::kScalars, fmt::format("unexpected step {}", fmt::join(extra, ",")),
                     fmt::format("steps 0 to {}", wanted - 1), fmt::format("{} steps", have.size()));
    finding.place.file = "run.log";
    findings.add(std::move(finding));
  }
}

/// Whether every flag of the line that says "fallback ... true" forbids one: disable_fallback=True and its like. A line
/// whose flags can't be found again (it was cut) does not.
bool forbids_fallback(const std::string& line) {
  static const RE2 kFlag(R"((?i)([a-z_\-]*)fallback(?:_used)?["']?\s*[:=]\s*["']?true)");
  static const RE2 kForbids(R"((?i)(?:^|[_\-])(?:disable|disabled|no|forbid|disallow|without)[_\-]$)");
  re2::StringPiece rest(line);
  std::string prefix;
  bool found = false;
  while (RE2::FindAndConsume(&rest, kFlag, &prefix)) {
    if (!RE2::PartialMatch(prefix, kForbids)) {
      return false;
    }
    found = true;
  }
  return found;
}

/// Lines that say that a fallback was taken. A command's flags were asked for, they didn't happen.
void fallback_lines(const std::vector<run::LogMark>& marks, const char* what, core::Findings& findings) {
  for (const run::LogMark& mark : marks) {
    if (mark.command || forbids_fallback(mark.text)) {
      continue;
    }
    core::Finding finding = log_finding("RLV-112", Severity::kError, Section::kLog, mark.line, what, "no such line",
                                        mark.text.substr(0, 300));
    finding.count = mark.count;
    findings.add(std::move(finding));
  }
}

}  // namespace

void strict_step_rules(const StrictInput& input, core::Findings& findings) {
  repeated_steps(input.base.log, findings);
  single_records(input, findings);
  step_order(input.base.steps, findings);
  step_set(input, findings);
  for (const StepRecord& step : input.base.steps.by_step) {
    record_rules(step, findings);
  }
}

void strict_log_rules(const StrictInput& input, core::Findings& findings) {
  memory_rule(input.base, findings);
  const run::RunLog& log = input.base.log;
  const auto tell = [&findings](const std::vector<run::LogMark>& marks, const char* code, Severity severity,
                                const char* what) {
    for (const run::LogMark& mark : marks) {
      if (!mark.echo) {
        core::Finding finding =
            log_finding(code, severity, Section::kLog, mark.line, what, "no such line", "one or more");
        finding.count = mark.count;
        findings.add(std::move(finding));
      }
    }
  };
  fallback_lines(log.fallback_true, "the log says fallback=true", findings);
  fallback_lines(log.fallback_claims, "the log says that a fallback was taken", findings);
  tell(log.traceback, "RLV-113", Severity::kWarning, "the log has a traceback");
  tell(log.repeated, "RLV-178", Severity::kNote, "Ray folded repeated lines here");
  tell(log.over_long, "RLV-178", Severity::kWarning, "a line longer than 16 MiB was read in part");
  if (log.marks_overflow) {
    core::Finding finding =
        make_finding("RLV-178", Section::kLog, "more different lines of one kind than are kept", "at most 256", "more");
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  }
}

}  // namespace rlverify::readback
