// SPDX-License-Identifier: Apache-2.0
// rlverify validate: judges one run, or checks one existing document against its schema.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/progress.h"
#include "document_check.h"
#include "judge/judge.h"
#include "judge/run_schemas.h"
#include "renderings.h"
#include "report/finding_text.h"
#include "report/report_views.h"
#include "report/validation_document.h"

namespace rlverify::app {
namespace {

namespace fs = std::filesystem;
using core::ExitCode;

struct ValidateOptions {
  std::string target;
  std::string rules = "strict";
  std::string schema;  ///< empty: no check; "auto": the document's own; else a name or a file
  std::string output;
  std::string findings;
  OutputOptions shown;
  bool seal = false;
};

/// Directories that are something else get told what they are.
void refuse_other_directories(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path + "/manifest.json", ignored)) {
    return;
  }
  if (fs::exists(path + "/launch.json", ignored)) {
    throw core::InputError(path + " is a ROCm arm directory (launch.json): there are no rules for it yet");
  }
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (entry.path().extension() == ".safetensors" || entry.path().filename() == "model.safetensors.index.json") {
      throw core::InputError(path + " is a model directory, not a run: rlverify diff A B compares models (" +
                             entry.path().filename().string() + " is there, manifest.json is not)");
    }
  }
}

/// Creates COMPLETE; it must not be there.
void create_seal(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw core::OutputError(path + ": the seal can't be created: " + std::strerror(errno));
  }
  close(descriptor);
}

/// What --schema looked at; violations are findings (and, of the document, lines on stderr).
std::string schema_line(const judge::SchemaFiles& files, const core::Findings& findings) {
  const auto misfits = std::count_if(findings.list().begin(), findings.list().end(), [](const core::Finding& finding) {
    return finding.code == "RLV-194" || finding.code == "RLV-195" || finding.code == "RLV-196";
  });
  std::string line = fmt::format("\nschemas: {} JSON {} of the run ", report::grouped(files.looked_at),
                                 files.looked_at == 1 ? "file" : "files");
  if (misfits == 0) {
    line += files.looked_at == 1 ? "fits its schema" : "fit theirs";
  } else {
    line += fmt::format("looked at, {} of the findings {} about them", misfits, misfits == 1 ? "is" : "are");
  }
  if (files.unreadable > 0) {
    line += fmt::format("; {} can't be read", report::grouped(files.unreadable));
  }
  return line + "\n";
}

ExitCode validate_run(const ValidateOptions& options) {
  refuse_other_directories(options.target);
  const std::string seal = options.target + "/COMPLETE";
  std::error_code ignored;
  if (options.seal && fs::symlink_status(seal, ignored).type() != fs::file_type::not_found) {
    throw core::UsageError(seal + " exists: the run is sealed already, nothing was written");
  }
  const run::RunDirectory run = run::read_run_directory(options.target);
  core::ThreadPool pool;
  report::ValidationResult result =
      judge::judge_run(run, options.rules == "strict" ? report::RuleSet::kStrict : report::RuleSet::kReference, pool,
                       core::Progress::terminal());
  const report::Document document = report::validation_document(result);
  std::string schemas;
  if (!options.schema.empty()) {
    schemas = schema_line(judge::check_run_schemas(run, result.findings), result.findings);
  }
  ExitCode code = result.exit_code();
  if (!options.schema.empty()) {
    code = check_own_document(options.schema, document.root(), code);
  }
  const Answer answer = {
      [&](const report::TextOptions& text) { return report::validation_text(result, text) + schemas; },
      [&document] { return report::to_json(document.root(), report::KeyOrder::kSorted) + "\n"; },
      [&result] { return report::validation_view(result, RLVERIFY_VERSION); }};
  if (!options.output.empty()) {
    write_document(options.output, answer.json());
  }
  if (!options.findings.empty()) {
    const report::Document findings = report::findings_document(result, RLVERIFY_VERSION);
    write_document(options.findings, report::to_json(findings.root(), report::KeyOrder::kAsBuilt) + "\n");
  }
  Renderings renderings(options.shown, answer);
  renderings.write_files();
  if (options.seal && code == ExitCode::kPassed) {
    create_seal(seal);
  }
  renderings.show(options.output == "-" || options.findings == "-");
  return code;
}

ExitCode validate(const ValidateOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(options.target, error);
  if (!fs::exists(status)) {
    throw core::InputError(options.target + ": " + (error ? error.message() : "no such file or directory"));
  }
  if (fs::is_directory(status)) {
    return validate_run(options);
  }
  if (options.schema.empty()) {
    throw core::UsageError(options.target +
                           " is a file: a run directory is judged, a document is checked with --schema");
  }
  if (options.seal || !options.findings.empty()) {
    throw core::UsageError("--seal and --findings are for run directories");
  }
  if (wants_view(options.shown)) {
    throw core::UsageError("the check of a document is shown as text or json; the other formats are for runs");
  }
  return check_document({options.target, options.schema, options.output, options.shown});
}

}  // namespace

void add_validate_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* const command =
      app.add_subcommand("validate", "Judge one run directory, or check a document against its schema");
  command
      ->add_option("target", options->target,
                   "Run directory; with --schema also a JSON document or the payload of a .pt file")
      ->required()
      ->type_name("RUN_DIR|FILE");
  command->add_option("--rules", options->rules, "strict, or reference: the public validator's verdict field for field")
      ->check(CLI::IsMember({"strict", "reference"}))
      ->capture_default_str();
  command
      ->add_flag("--schema{auto}", options->schema,
                 "Check a document against its JSON Schema; of a run, its JSON files and the document about it; "
                 "--schema=NAME or --schema=FILE chooses another for the document")
      ->type_name("[=NAME|FILE]");
  command->add_option("-o", options->output, "Write the validation document to FILE; - is stdout")->type_name("FILE");
  command->add_option("--findings", options->findings, "Write the findings document to FILE; - is stdout")
      ->type_name("FILE");
  command->add_flag("--seal", options->seal, "Create RUN_DIR/COMPLETE when the run passes; it must not exist");
  add_output_options(*command, options->shown);
  command->callback([options, &action] { action = [options] { return validate(*options); }; });
}

}  // namespace rlverify::app
