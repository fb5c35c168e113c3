// SPDX-License-Identifier: Apache-2.0
// rlverify generate: the files that are made from the help at build time. Hidden: people get them installed.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "command_help.h"

namespace rlverify::app {

void add_generate_command(CLI::App& app, Action& action) {
  const auto file = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand("generate", "Print the manual page or the completion for bash");
  command->group("");
  command->add_option("file", *file, "What to print")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"manual-page", "bash-completion"}));
  command->callback([file, &app, &action] {
    action = [file, &app] {
      print(*file == "manual-page" ? manual_page(app) : bash_completion(app));
      return core::ExitCode::kPassed;
    };
  });
}

}  // namespace rlverify::app
