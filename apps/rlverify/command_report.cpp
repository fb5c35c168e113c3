// SPDX-License-Identifier: Apache-2.0
// rlverify report: the whole evidence bundle of a comparison, with the validation of one of its runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "compared_runs.h"
#include "core/progress.h"
#include "judge/judge.h"
#include "report/comparison_document.h"
#include "report/nearest.h"

namespace rlverify::app {
namespace {

struct ReportOptions {
  RunArguments runs;
  std::string validate;
  std::string scope;
  std::string rules = "strict";
  std::string output;
};

compare::RunEvidence& run_called(const std::string& name, std::vector<compare::RunEvidence>& runs) {
  std::vector<std::string> known;
  for (compare::RunEvidence& run : runs) {
    known.push_back(run.name);
    if (run.name == name) {
      return run;
    }
  }
  const std::string near = report::did_you_mean(name, known);
  throw core::UsageError(fmt::format("--validate: no run is called {}: {}", name,
                                     near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : near));
}

/// The validation of a run: judged now, or kept in its record.
struct Validation {
  report::Document document;
  bool passed = false;
};

Validation validate(const compare::RunEvidence& run, const std::string& rules, core::ThreadPool& pool) {
  Validation out;
  if (run.sealed()) {
    const core::Value kept = run.record->root().get("validation");
    out.document.set_root(out.document.copy(kept));
    out.passed = kept.get("passed").is_true();
    return out;
  }
  const report::ValidationResult result =
      judge::judge_run(*run.directory, rules == "strict" ? report::RuleSet::kStrict : report::RuleSet::kReference, pool,
                       core::Progress::terminal());
  out.document = report::validation_document(result);
  out.passed = result.passed();
  return out;
}

core::ExitCode write_report(const ReportOptions& options) {
  core::ThreadPool pool;
  ComparedRuns compared = compare_arguments(options.runs, pool);
  compare::RunEvidence& run = run_called(options.validate, compared.runs);
  if (!run.sealed()) {
    run.attention_cases = compare::read_attention_cases(*run.directory, pool, compared.comparison.findings);
  }
  const Validation validation = validate(run, options.rules, pool);
  const report::ComparisonInput input = {compared.comparison, compared.pointers()};
  const std::string json = report::to_json(
      report::bundle_document(input, validation.document.root(), run.attention_cases, options.scope).root(),
      report::KeyOrder::kAsBuilt);
  const bool to_stdout = options.output.empty() || options.output == "-";
  write_document(to_stdout ? "-" : options.output, json);
  if (!to_stdout) {
    const Terminal terminal = stdout_terminal();
    print(report::comparison_text(input, {terminal.colour, terminal.columns, terminal.unicode}) +
          fmt::format("\nvalidation of {}: {}\n", run.name, validation.passed ? "PASSED" : "FAILED"));
  }
  const core::ExitCode code = compared.comparison.exit_code();
  return code == core::ExitCode::kPassed && !validation.passed ? core::ExitCode::kFailed : code;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* const command =
      app.add_subcommand("report", "Write the evidence bundle: comparison, validation of one run, attention cases");
  add_run_arguments(*command, options->runs);
  command->add_option("--validate", options->validate, "Name of the run whose validation the bundle holds")
      ->required()
      ->type_name("NAME");
  command->add_option("--scope", options->scope, "Free text: what the bundle covers")->type_name("TEXT");
  command
      ->add_option("--rules", options->rules,
                   "Of the validation: strict, or reference; a sealed record keeps the validation it was sealed with")
      ->check(CLI::IsMember({"strict", "reference"}))
      ->capture_default_str();
  command->add_option("-o", options->output, "Write the bundle to FILE; without it, or with -, to stdout")
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return write_report(*options); }; });
}

}  // namespace rlverify::app
