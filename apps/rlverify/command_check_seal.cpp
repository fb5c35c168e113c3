// SPDX-License-Identifier: Apache-2.0
// rlverify check-seal: whether a run is still what its record says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "compare/artifacts.h"
#include "compare/evidence.h"
#include "compared_runs.h"
#include "core/progress.h"
#include "report/finding_text.h"
#include "report/findings_text.h"

namespace rlverify::app {
namespace {

struct CheckSealOptions {
  std::string record;
  std::string run;
  bool quiet = false;
};

std::string run_of(const CheckSealOptions& options) {
  std::string path = options.run;
  if (path.empty()) {
    path = std::filesystem::path(options.record).parent_path().string();
  }
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path.empty() ? "." : path;
}

/// Whether any of `paths` is a key of `artifacts`.
bool has_any(core::Value artifacts, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&artifacts](const std::string& path) { return artifacts.get(path).present(); });
}

/// A run directory stands for the record inside it.
CheckSealOptions with_record_file(CheckSealOptions options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.record, error)) {
    return options;
  }
  const std::string record = (std::filesystem::path(options.record) / compare::kRecordName).string();
  if (!std::filesystem::is_regular_file(record, error)) {
    throw core::UsageError(fmt::format("{} is a directory without {}: check-seal takes a record, then the run",
                                       options.record, compare::kRecordName));
  }
  options.record = record;
  return options;
}

core::ExitCode check_seal(const CheckSealOptions& arguments) {
  const CheckSealOptions options = with_record_file(arguments);
  core::ThreadPool pool;
  const bool show_progress = core::Progress::terminal();
  const compare::RunEvidence sealed = compare::read_evidence(options.record, {}, pool);
  check_record(sealed);
  const std::string path = run_of(options);
  const run::RunDirectory directory = run::read_run_directory(path);
  const std::vector<std::string> paths = compare::list_artifacts(directory.path, options.record);
  if (options.run.empty() && !has_any(sealed.record->root().get("artifacts"), paths)) {
    throw core::UsageError(
        fmt::format("{0} does not lie in its run: name the run as well, rlverify check-seal {0} RUN_DIR. Of a run that "
                    "was deleted nothing can be checked; compare and report take the record in its place",
                    options.record));
  }
  core::Findings findings;
  std::vector<compare::SealedWeights> weights;
  compare::Artifacts now;
  {
    core::Progress progress("hashing", compare::artifact_bytes(directory.path, paths), show_progress,
                            core::ProgressUnit::kBytes);
    compare::WeightVersions versions = compare::weights_of(directory, sealed.name);
    core::Findings ignored;  // of the weights as such: what was wrong with them was wrong when they were sealed
    for (compare::WeightVersion& version : versions.versions) {
      weights.push_back(compare::seal_weights(version, pool, ignored, &progress));
    }
    now = compare::hash_artifacts(directory.path, paths, compare::weight_files_of(directory.path, weights), pool,
                                  &progress);
  }
  compare::check_artifacts(sealed.record->root(), now, weights, findings);
  if (!options.quiet) {
    const Terminal terminal = stdout_terminal();
    const std::string name = report::printable(sealed.name, !terminal.unicode);  // a record may come from anywhere
    const std::string head = findings.has_error() ? fmt::format("FAILED {}: the run is not what {} says\n", name,
                                                                report::printable(options.record, !terminal.unicode))
                                                  : fmt::format("PASSED {}: all {} artifacts are as sealed\n", name,
                                                                report::grouped(now.size()));
    print(head + report::findings_text(findings, {terminal.colour, terminal.columns, terminal.unicode}));
  }
  return findings.has_error() ? core::ExitCode::kFailed : core::ExitCode::kPassed;
}

}  // namespace

void add_check_seal_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckSealOptions>();
  CLI::App* const command =
      app.add_subcommand("check-seal", "Say which artifact of a run was changed, removed or added since it was sealed");
  command->add_option("record", options->record, "Sealed record, or the run directory that holds it")
      ->required()
      ->type_name("RECORD");
  command->add_option("run", options->run, "Run directory; default: the directory of the record")->type_name("RUN_DIR");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing; the exit code tells");
  command->callback([options, &action] { action = [options] { return check_seal(*options); }; });
}

}  // namespace rlverify::app
