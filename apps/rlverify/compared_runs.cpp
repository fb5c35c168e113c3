// SPDX-License-Identifier: Apache-2.0
// NAME=PATH names a run; a path that exists as it stands is a path, whatever it contains.
#include "compared_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>

#include "core/errors.h"
#include "core/progress.h"
#include "report/nearest.h"
#include "report/schema_check.h"

namespace rlverify::app {
namespace {

namespace fs = std::filesystem;

struct NamedPath {
  std::string name;
  std::string path;
};

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

NamedPath named_path(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (exists(argument) || equals == std::string::npos || equals == 0 || argument.find('/') < equals) {
    return {"", argument};
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

compare::RunEvidence read_run(const std::string& argument, core::ThreadPool& pool) {
  const NamedPath named = named_path(argument);
  compare::ReadOptions options;
  options.name = named.name;
  options.show_progress = core::Progress::terminal();
  compare::RunEvidence evidence = compare::read_evidence(named.path, options, pool);
  check_record(evidence);
  return evidence;
}

void require_different_names(const std::vector<compare::RunEvidence>& runs) {
  std::set<std::string> names;
  for (const compare::RunEvidence& run : runs) {
    if (!names.insert(run.name).second) {
      throw core::UsageError(
          fmt::format("two runs are called {}: give one of them another name, as NAME=PATH", run.name));
    }
  }
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

/// RUN is a run's name or its path as given.
void use_weights(const std::string& option, std::vector<compare::RunEvidence>& runs) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == option.size()) {
    throw core::UsageError("--weights takes RUN=DIR, not " + option);
  }
  const std::string name = without_slashes(option.substr(0, equals));
  std::vector<std::string> known;
  for (compare::RunEvidence& run : runs) {
    known.push_back(run.name);
    if (run.name != name && run.path != name) {
      continue;
    }
    if (run.sealed()) {
      throw core::UsageError("--weights: " + run.path + " is a sealed record, which holds its own weight digests");
    }
    run.weights = compare::weights_of(*run.directory, run.name, option.substr(equals + 1));
    return;
  }
  const std::string near = report::did_you_mean(name, known);
  throw core::UsageError(fmt::format("--weights: no run is called {}: {}", name,
                                     near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : near));
}

}  // namespace

void check_record(const compare::RunEvidence& evidence) {
  if (!evidence.sealed()) {
    return;
  }
  const auto violations =
      report::check_schema(evidence.record->root(), report::schema_text("run_record"), evidence.record.get());
  if (!violations.empty()) {
    const report::SchemaViolation& first = violations.front();
    throw core::InputError(fmt::format("{}:{}:{}: {}: {} (no sealed record; {} {} in all)", evidence.path, first.line,
                                       first.column, first.pointer.empty() ? "the document" : first.pointer,
                                       first.reason, violations.size(), violations.size() == 1 ? "place" : "places"));
  }
}

void add_run_arguments(CLI::App& command, RunArguments& arguments) {
  command.add_option("reference", arguments.reference, "Run directory or sealed record that the others must equal")
      ->required()
      ->type_name("[NAME=]REFERENCE");
  command.add_option("candidates", arguments.candidates, "Run directories or sealed records")
      ->required()
      ->type_name("[NAME=]CANDIDATE");
  command
      .add_option("--weights", arguments.weights,
                  "Where a run's weight snapshots are: a directory with versions, or one model; may be repeated")
      ->allow_extra_args(false)
      ->type_name("RUN=DIR");
}

std::vector<const compare::RunEvidence*> ComparedRuns::pointers() const {
  std::vector<const compare::RunEvidence*> out;
  for (const compare::RunEvidence& run : runs) {
    out.push_back(&run);
  }
  return out;
}

ComparedRuns compare_arguments(const RunArguments& arguments, core::ThreadPool& pool) {
  ComparedRuns out;
  out.runs.push_back(read_run(arguments.reference, pool));
  for (const std::string& candidate : arguments.candidates) {
    out.runs.push_back(read_run(candidate, pool));
  }
  require_different_names(out.runs);
  for (const std::string& option : arguments.weights) {
    use_weights(option, out.runs);
  }
  out.comparison.reference = out.runs.front().name;
  for (const compare::RunEvidence& run : out.runs) {
    for (const core::Finding& finding : run.findings.list()) {
      out.comparison.findings.add(finding);
    }
  }
  for (std::size_t i = 1; i < out.runs.size(); ++i) {
    out.comparison.candidates.push_back(
        compare::compare_candidate(out.runs.front(), out.runs[i], pool, core::Progress::terminal()));
  }
  return out;
}

}  // namespace rlverify::app
