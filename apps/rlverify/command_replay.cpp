// SPDX-License-Identifier: Apache-2.0
// rlverify replay: the log-probs of a run computed again from its kept logits, and whose arithmetic each side followed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "renderings.h"
#include "replay/replay.h"
#include "report/nearest.h"
#include "report/replay_document.h"
#include "report/replay_view.h"

namespace rlverify::app {
namespace {

struct ReplayCommandOptions {
  std::string input;
  std::string sidecar;
  std::string contract = "all";
  std::string backend = "cpu";
  int device = 0;
  std::string output;
  OutputOptions shown;
};

std::vector<kernels::ContractId> contracts_of(const std::string& name) {
  if (name == "all") {
    return {};
  }
  if (const kernels::Contract* const contract = kernels::find_contract(name)) {
    return {contract->id};
  }
  std::vector<std::string> names;
  for (const kernels::Contract& contract : kernels::contracts()) {
    names.emplace_back(contract.name);
  }
  const std::string hint = report::did_you_mean(name, names);
  throw core::UsageError(fmt::format("--contract: there is no contract \"{}\"; {}", name,
                                     hint.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : hint));
}

kernels::Backend backend_of(const std::string& name) {
  return name == "cuda" ? kernels::Backend::kCuda : name == "torch" ? kernels::Backend::kTorch : kernels::Backend::kCpu;
}

core::ExitCode run(const ReplayCommandOptions& options) {
  replay::ReplayOptions replay_options;
  replay_options.sidecar = options.sidecar;
  replay_options.contracts = contracts_of(options.contract);
  replay_options.execution.backend = backend_of(options.backend);
  replay_options.execution.device = options.device;
  replay_options.show_progress = !options.shown.quiet;
  const replay::ReplayResult result = replay::replay(options.input, replay_options);
  const Answer answer = {[&result](const report::TextOptions& text) { return report::replay_text(result, text); },
                         [&result] {
                           return report::to_json(report::replay_document(result, RLVERIFY_VERSION).root(),
                                                  report::KeyOrder::kAsBuilt) +
                                  "\n";
                         },
                         [&result] { return report::replay_view(result, RLVERIFY_VERSION); }};
  if (!options.output.empty()) {
    write_document(options.output, answer.json());
  }
  Renderings renderings(options.shown, answer);
  renderings.write_files();
  renderings.show(options.output == "-");
  return result.exit_code();
}

}  // namespace

void add_replay_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReplayCommandOptions>();
  CLI::App* const command =
      app.add_subcommand("replay", "Compute a run's log-probs again from its logits: whose arithmetic was it?");
  command->add_option("input", options->input, "Run directory with logp-inputs/, or one of its files")
      ->required()
      ->type_name("RUN_DIR|FILE");
  command->add_option("--sidecar", options->sidecar, "Sidecar with the log-probs of the input of its rank and call")
      ->type_name("FILE");
  command->add_option("--contract", options->contract, "Contract to try, or all")
      ->type_name("NAME|all")
      ->capture_default_str();
  command->add_option("--backend", options->backend, "Where to compute; a device that isn't there is an error")
      ->check(CLI::IsMember({"cpu", "cuda", "torch"}))
      ->capture_default_str();
  command->add_option("--device", options->device, "Number of the CUDA device")
      ->type_name("N")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
  command->add_option("-o", options->output, "Write the findings document to FILE; - is stdout")->type_name("FILE");
  add_output_options(*command, options->shown);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace rlverify::app
