// SPDX-License-Identifier: Apache-2.0
// What the commands share. A command adds its options to the parser and, when it is the one chosen, sets the action
// that main() runs after parsing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/errors.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace rlverify::app {

using Action = std::function<core::ExitCode()>;

void add_check_seal_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_diff_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_inspect_command(CLI::App& app, Action& action);
void add_prior_art_command(CLI::App& app, Action& action);
void add_replay_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_schema_command(CLI::App& app, Action& action);
void add_seal_command(CLI::App& app, Action& action);
void add_validate_command(CLI::App& app, Action& action);

/// Takes 0 to 2^64 - 1 in decimal digits. The parser alone turns -1 into 2^64 - 1 and cuts what is larger.
[[nodiscard]] CLI::Validator whole_number();

/// Prints the result to stdout; a closed pipe ends it quietly.
void print(std::string_view text);

/// Writes `text` to `path` through a temporary file that is renamed; "-" is stdout.
void write_document(const std::string& path, std::string_view text);

/// Where stdout goes: width, colour (a terminal that isn't dumb; NO_COLOR switches it off, FORCE_COLOR on), and whether
/// it takes Unicode.
struct Terminal {
  unsigned columns = 80;
  bool colour = false;
  bool unicode = true;
};
[[nodiscard]] Terminal stdout_terminal();

}  // namespace rlverify::app
