// SPDX-License-Identifier: Apache-2.0
// rlverify compare: a reference against any number of candidates.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "compared_runs.h"
#include "report/comparison_document.h"

namespace rlverify::app {
namespace {

struct CompareOptions {
  RunArguments runs;
  std::string output;
  std::string findings;
  std::string format = "text";
  bool quiet = false;
};

core::ExitCode compare_runs(const CompareOptions& options) {
  core::ThreadPool pool;
  const ComparedRuns compared = compare_arguments(options.runs, pool);
  const report::ComparisonInput input = {compared.comparison, compared.pointers()};
  const bool wants_json = !options.output.empty() || options.format == "json";
  const std::string json =
      wants_json ? report::to_json(report::comparison_document(input).root(), report::KeyOrder::kAsBuilt) + "\n" : "";
  if (!options.output.empty()) {
    write_document(options.output, json);
  }
  if (!options.findings.empty()) {
    const report::Document findings = report::comparison_findings_document(input, RLVERIFY_VERSION);
    write_document(options.findings, report::to_json(findings.root(), report::KeyOrder::kAsBuilt) + "\n");
  }
  if (!options.quiet && options.output != "-" && options.findings != "-") {
    const Terminal terminal = stdout_terminal();
    print(options.format == "json"
              ? json
              : report::comparison_text(input, {terminal.colour, terminal.columns, terminal.unicode}));
  }
  return compared.comparison.exit_code();
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* const command = app.add_subcommand("compare", "Compare runs with a reference run, to the last bit");
  add_run_arguments(*command, options->runs);
  command->add_option("-o", options->output, "Write the comparison document to FILE; - is stdout")->type_name("FILE");
  command->add_option("--findings", options->findings, "Write the findings document to FILE; - is stdout")
      ->type_name("FILE");
  command->add_option("--format", options->format, "What stdout shows")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Print nothing; the exit code tells");
  command->callback([options, &action] { action = [options] { return compare_runs(*options); }; });
}

}  // namespace rlverify::app
