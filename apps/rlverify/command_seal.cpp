// SPDX-License-Identifier: Apache-2.0
// rlverify seal: writes the record that stands in for a run once the run is deleted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "command.h"
#include "compare/artifacts.h"
#include "compare/evidence.h"
#include "core/byte_source.h"
#include "core/progress.h"
#include "judge/judge.h"
#include "report/finding_text.h"
#include "report/findings_text.h"
#include "report/run_record_document.h"

namespace rlverify::app {
namespace {

struct SealOptions {
  std::string run;
  std::string rules = "strict";
  std::string output;
  bool quiet = false;
};

std::string summary(const compare::RunEvidence& run, const std::string& record, std::size_t artifacts,
                    std::uint64_t bytes, bool passed, const std::string& rules, bool ascii) {
  return fmt::format(
      "SEALED {} in {}\n{} artifacts of {} bytes, {} weight versions, {} steps of tokens\nvalidation ({} rules): {}\n",
      report::printable(run.name, ascii), report::printable(record, ascii), report::grouped(artifacts),
      report::grouped(bytes), run.weights.versions.size(), run.tokens.size(), rules, passed ? "PASSED" : "FAILED");
}

/// What lies at `path`, where it is a file with something in it; nothing for devices and pipes.
std::optional<std::string> present_text(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0) {
    return std::nullopt;
  }
  return core::read_text(*core::open_file(path));
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// Whether two records are of one run in one state. The validation in them names files by the run's path as it was
/// given, and a run can be named in many ways.
bool same_record(std::string_view present, std::string_view text, const std::string& run_path) {
  const std::string folder = "\"" + run_path + "/";
  std::optional<std::string_view> other_folder;
  while (!present.empty() && !text.empty()) {
    const std::string_view theirs = take_line(present);
    const std::string_view ours = take_line(text);
    if (ours == theirs) {
      continue;
    }
    const std::size_t at = ours.find(folder);
    if (at == std::string_view::npos) {
      return false;
    }
    const std::string_view rest = ours.substr(at + folder.size());
    if (theirs.size() < at + rest.size() || theirs.substr(0, at) != ours.substr(0, at) ||
        theirs.substr(theirs.size() - rest.size()) != rest) {
      return false;
    }
    const std::string_view given = theirs.substr(at, theirs.size() - at - rest.size());
    if (given.empty() || given.back() != '/' || (other_folder && *other_folder != given)) {
      return false;
    }
    other_folder = given;
  }
  return present.empty() && text.empty();
}

/// Whether another record was replaced. A record is evidence, and of a run that changed since it may be all that is
/// left: the one beside a run is only replaced when -o names it, and never without a word.
bool write_record(const SealOptions& options, const std::string& path, const std::string& text,
                  const std::string& run_path) {
  const std::optional<std::string> present = present_text(path);
  const bool other = present && !same_record(*present, text, run_path);
  if (other && options.output.empty()) {
    throw core::UsageError(
        fmt::format("{0} is there and says something else; nothing was written. rlverify check-seal "
                    "{0} says what changed since; -o {0} replaces it",
                    path));
  }
  if (!present || other) {
    write_document(path, text);
  }
  return other;
}

core::ExitCode seal(const SealOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(options.run, ignored)) {
    throw core::UsageError(options.run + " is a file: seal takes a run directory");
  }
  core::ThreadPool pool;
  const bool show_progress = core::Progress::terminal();
  compare::ReadOptions read_options;
  read_options.show_progress = show_progress;
  compare::RunEvidence run = compare::read_evidence(options.run, read_options, pool);
  if (run.sealed()) {
    throw core::UsageError(fmt::format("nothing but its record is left of {}: there is nothing to seal", options.run));
  }
  const std::string record =
      options.output.empty() ? fmt::format("{}/{}", run.path, compare::kRecordName) : options.output;
  const std::vector<std::string> paths = compare::list_artifacts(run.path, record);
  const std::uint64_t bytes = compare::artifact_bytes(run.path, paths);
  run.attention_cases = compare::read_attention_cases(*run.directory, pool, run.findings);
  std::vector<compare::SealedWeights> weights;
  compare::Artifacts artifacts;
  {
    core::Progress progress("hashing", bytes, show_progress, core::ProgressUnit::kBytes);
    for (compare::WeightVersion& version : run.weights.versions) {
      weights.push_back(compare::seal_weights(version, pool, run.findings, &progress));
    }
    artifacts = compare::hash_artifacts(run.path, paths, compare::weight_files_of(run.path, weights), pool, &progress);
  }
  const report::ValidationResult validation = judge::judge_run(
      *run.directory, options.rules == "strict" ? report::RuleSet::kStrict : report::RuleSet::kReference, pool,
      show_progress);
  const report::Document validation_document = report::validation_document(validation);
  const report::Document document =
      report::run_record_document({run, weights, artifacts, validation_document.root()}, RLVERIFY_VERSION);
  const bool replaced =
      write_record(options, record, report::to_json(document.root(), report::KeyOrder::kAsBuilt) + "\n", run.path);
  if (replaced) {
    fmt::print(stderr, "rlverify: {} was there and said something else: it was replaced\n",
               report::printable(record, false));
  }
  if (!options.quiet && record != "-") {
    const Terminal terminal = stdout_terminal();
    print(summary(run, record, artifacts.size(), bytes, validation.passed(), options.rules, !terminal.unicode) +
          report::findings_text(run.findings, {terminal.colour, terminal.columns, terminal.unicode}));
  }
  return run.findings.has_error() ? core::ExitCode::kFailed : core::ExitCode::kPassed;
}

}  // namespace

void add_seal_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<SealOptions>();
  CLI::App* const command =
      app.add_subcommand("seal", "Write a record that stands in for a run, with the digest of every artifact");
  command->add_option("run", options->run, "Run directory")->required()->type_name("RUN_DIR");
  command->add_option("-o", options->output, "Write the record to FILE; default RUN_DIR/rlverify-record.json")
      ->type_name("FILE");
  command->add_option("--rules", options->rules, "Of the validation in the record: strict or reference")
      ->check(CLI::IsMember({"strict", "reference"}))
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Print nothing; the exit code tells");
  command->callback([options, &action] { action = [options] { return seal(*options); }; });
}

}  // namespace rlverify::app
