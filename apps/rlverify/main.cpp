// SPDX-License-Identifier: Apache-2.0
// Options in, exit code out: parses the command line, runs the chosen command and turns what it threw into an exit
// code. Everything else is a library.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <cstdio>

#include "command.h"
#include "core/errors.h"
#include "core/heap.h"
#include "core/signals.h"

namespace {

using rlverify::core::ExitCode;

int usage_error(const std::string& message) {
  fmt::print(stderr, "rlverify: {}\n", message);
  return static_cast<int>(ExitCode::kWrongUse);
}

}  // namespace

int main(int argc, char* argv[]) {
  std::setlocale(LC_CTYPE, "");
  rlverify::core::keep_freed_memory();
  rlverify::core::install_signal_handlers();
  CLI::App app(
      "Says whether a reinforcement-learning training run of a language model kept its promise to the last bit.",
      "rlverify");
  app.set_version_flag("--version", std::string("rlverify ") + RLVERIFY_VERSION);
  app.require_subcommand(1);
  rlverify::app::Action action;
  rlverify::app::add_check_seal_command(app, action);
  rlverify::app::add_compare_command(app, action);
  rlverify::app::add_diff_command(app, action);
  rlverify::app::add_explain_command(app, action);
  rlverify::app::add_inspect_command(app, action);
#if RLVERIFY_WITH_KERNELS
  rlverify::app::add_prior_art_command(app, action);
  rlverify::app::add_replay_command(app, action);
#endif
  rlverify::app::add_report_command(app, action);
  rlverify::app::add_schema_command(app, action);
  rlverify::app::add_seal_command(app, action);
  rlverify::app::add_validate_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    rlverify::app::print(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    rlverify::app::print(app.version() + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(std::string(error.what()) + "\nTry: rlverify --help");
  }
  try {
    return static_cast<int>(action());
  } catch (const std::exception& error) {
    fmt::print(stderr, "rlverify: {}\n", error.what());
    return static_cast<int>(rlverify::core::exit_code_of(error));
  }
}
