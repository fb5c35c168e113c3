// SPDX-License-Identifier: Apache-2.0
// What is told about a command, from one source: the options come from the parser, the words and examples from the
// table in command_help.cpp. `--help`, the manual page, the completion and the messages about wrong use all read this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rlverify::app {

struct Example {
  std::string_view line;     ///< a whole command line, which runs from the top of the source tree
  std::string_view meaning;  ///< what it does, without a full stop
};

/// The part of a command's help that the parser doesn't know.
struct CommandWords {
  std::string_view name;
  std::string_view details;  ///< a paragraph below the summary
  std::vector<Example> examples;
  int first_choice = 0;     ///< place among the commands that rlverify alone shows, from 1; 0: only named there
  bool text_output = true;  ///< prints text that can have colour
};

struct ExitCodeWords {
  std::string_view code;
  std::string_view meaning;
};

/// One option or argument of a command as people see it.
struct OptionHelp {
  std::string names;                 ///< "-q, --quiet"; of an argument empty
  std::string value;                 ///< "FILE", "strict|reference"; of a flag empty
  std::string meaning;               ///< with the default, where there is one
  std::vector<std::string> choices;  ///< the values it takes, where those are a list
  bool required = false;
  bool repeated = false;  ///< an argument that may be given several times
};

/// Words for the command called `name`; nullptr where there are none, which a test forbids.
[[nodiscard]] const CommandWords* find_words(std::string_view name);
[[nodiscard]] const std::vector<ExitCodeWords>& exit_codes();

/// The commands that are shown, by name.
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& app);
[[nodiscard]] OptionHelp option_help(const CLI::Option& option);
[[nodiscard]] std::vector<OptionHelp> options_of(const CLI::App& command);
[[nodiscard]] std::vector<OptionHelp> arguments_of(const CLI::App& command);
/// "rlverify compare [OPTIONS] [NAME=]REFERENCE [NAME=]CANDIDATE..."
[[nodiscard]] std::string usage_line(const CLI::App& command);

/// Adds what every command has (--color, --verbose) to each of them.
void add_common_options(CLI::App& app);

/// `rlverify COMMAND --help`, in lines of at most `columns`.
[[nodiscard]] std::string command_screen(const CLI::App& command, unsigned columns);
/// `rlverify --help`.
[[nodiscard]] std::string program_screen(const CLI::App& app, unsigned columns);
/// `rlverify` alone: the main commands with an example each, the others by name.
[[nodiscard]] std::string first_screen(const CLI::App& app, unsigned columns);

/// The manual page rlverify(1), for man's macros of groff or mandoc.
[[nodiscard]] std::string manual_page(const CLI::App& app);
/// The completion for bash: commands, options, and values where those are a list; else files.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

/// What was wrong with the command line `arguments` (without the program's name), with the nearest match of a mistyped
/// command, option or value; `reason` is the parser's own message.
[[nodiscard]] std::string wrong_use_message(const CLI::App& app, const std::vector<std::string>& arguments,
                                            const std::string& reason);
/// "did you mean "..."?" for the first argument that is a path which `message` names, isn't there and has a neighbour
/// of nearly its name in its folder; else empty.
[[nodiscard]] std::string missing_path_hint(const std::vector<std::string>& arguments, std::string_view message);

}  // namespace rlverify::app
