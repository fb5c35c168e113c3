// SPDX-License-Identifier: Apache-2.0
// Options in, exit code out: parses the command line, runs the chosen command and turns what it threw into an exit
// code. Everything else is a library.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdio>

#include "command.h"
#include "command_help.h"
#include "core/errors.h"
#include "core/heap.h"
#include "core/log.h"
#include "core/signals.h"
#include "report/finding_text.h"

namespace {

using rlverify::app::Action;
using rlverify::core::ExitCode;

int usage_error(const std::string& message) {
  fmt::print(stderr, "rlverify: {}\n", message);
  return static_cast<int>(ExitCode::kWrongUse);
}

void add_commands(CLI::App& app, Action& action) {
  rlverify::app::add_check_seal_command(app, action);
  rlverify::app::add_compare_command(app, action);
  rlverify::app::add_diff_command(app, action);
  rlverify::app::add_doctor_command(app, action);
  rlverify::app::add_explain_command(app, action);
  rlverify::app::add_generate_command(app, action);
  rlverify::app::add_inspect_command(app, action);
#if RLVERIFY_WITH_KERNELS
  rlverify::app::add_prior_art_command(app, action);
  rlverify::app::add_replay_command(app, action);
#endif
  rlverify::app::add_report_command(app, action);
  rlverify::app::add_schema_command(app, action);
  rlverify::app::add_seal_command(app, action);
  rlverify::app::add_validate_command(app, action);
  rlverify::app::add_common_options(app);
}

/// Help goes to stdout: it is what was asked for.
int show_help(const CLI::App& app) {
  const unsigned columns = rlverify::app::stdout_terminal().columns;
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  rlverify::app::print(chosen.empty() ? rlverify::app::program_screen(app, columns)
                                      : rlverify::app::command_screen(*chosen.front(), columns));
  return 0;
}

/// "help" and "help COMMAND" are what many type first: they mean --help and COMMAND --help.
std::vector<std::string> without_help_word(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(!arguments.empty() && arguments.front() == "help" ? 0
                                                                       : std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  return arguments;
}

/// Runs the chosen command; what it throws becomes a message and an exit code.
int run_action(const Action& action, const std::vector<std::string>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  int code = 0;
  try {
    code = static_cast<int>(action());
  } catch (const std::exception& error) {
    code = static_cast<int>(rlverify::core::exit_code_of(error));
    const bool bad_input = code == static_cast<int>(ExitCode::kBadInput);
    const std::string hint = bad_input ? rlverify::app::missing_path_hint(arguments, error.what()) : "";
    // Names and patterns are quoted as they were given, line ends and escape sequences included.
    fmt::print(stderr, "rlverify: {}{}{}\n", rlverify::report::printable(error.what(), false), hint.empty() ? "" : "; ",
               hint);
  }
  if (rlverify::core::log_enabled()) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    rlverify::core::log_line(fmt::format("exit code {} after {:.3f} s", code, seconds.count()));
  }
  return code;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::setlocale(LC_CTYPE, "");
  rlverify::core::keep_freed_memory();
  rlverify::core::install_signal_handlers();
  CLI::App app(
      "Says whether a reinforcement-learning training run of a language model kept its promise to the last bit.",
      "rlverify");
  app.set_version_flag("--version", std::string("rlverify ") + RLVERIFY_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print help");
  app.require_subcommand(1);
  Action action;
  add_commands(app, action);
  const std::vector<std::string> arguments =
      without_help_word(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  if (arguments.empty()) {
    fmt::print(stderr, "{}", rlverify::app::first_screen(app, rlverify::app::stdout_terminal().columns));
    return static_cast<int>(ExitCode::kWrongUse);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // it takes them from the end
  } catch (const CLI::CallForHelp&) {
    const bool unknown_command = app.get_subcommands().empty() && arguments.front().substr(0, 1) != "-";
    return unknown_command ? usage_error(rlverify::app::wrong_use_message(app, arguments, "")) : show_help(app);
  } catch (const CLI::CallForVersion&) {
    rlverify::app::print(app.version() + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(rlverify::app::wrong_use_message(app, arguments, error.what()));
  }
  return run_action(action, arguments);
}
