// SPDX-License-Identifier: Apache-2.0
// rlverify compare: a reference against any number of candidates.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "compared_runs.h"
#include "renderings.h"
#include "report/report_views.h"

namespace rlverify::app {
namespace {

struct CompareOptions {
  RunArguments runs;
  std::string output;
  std::string findings;
  OutputOptions shown;
};

core::ExitCode compare_runs(const CompareOptions& options) {
  core::ThreadPool pool;
  const ComparedRuns compared = compare_arguments(options.runs, pool);
  const report::ComparisonInput input = {compared.comparison, compared.pointers()};
  const Answer answer = {
      [&input](const report::TextOptions& text) { return report::comparison_text(input, text); },
      [&input] {
        return report::to_json(report::comparison_document(input).root(), report::KeyOrder::kAsBuilt) + "\n";
      },
      [&input] { return report::comparison_view(input, RLVERIFY_VERSION); }};
  if (!options.output.empty()) {
    write_document(options.output, answer.json());
  }
  if (!options.findings.empty()) {
    const report::Document findings = report::comparison_findings_document(input, RLVERIFY_VERSION);
    write_document(options.findings, report::to_json(findings.root(), report::KeyOrder::kAsBuilt) + "\n");
  }
  Renderings renderings(options.shown, answer);
  renderings.write_files();
  renderings.show(options.output == "-" || options.findings == "-");
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
  add_output_options(*command, options->shown);
  command->callback([options, &action] { action = [options] { return compare_runs(*options); }; });
}

}  // namespace rlverify::app
