// SPDX-License-Identifier: Apache-2.0
// The parser's own help can't wrap, has no examples and shows the names of variables: these screens are built from its
// tree instead.
#include "command_help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/log.h"
#include "report/text_layout.h"

namespace rlverify::app {
namespace {

using report::wrapped;

/// The list behind "NAME:{a,b}", which is how the parser describes an option with a list of values.
std::vector<std::string> listed_values(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) {
    return {};
  }
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::string value_name(const std::string& type, const std::vector<std::string>& choices) {
  std::string name = type.substr(0, type.find(':'));
  if (!choices.empty() && (name == "TEXT" || name == "INT" || name == "UINT" || name.empty() || name[0] == '{')) {
    return fmt::format("{}", fmt::join(choices, "|"));
  }
  return name;
}

std::string argument_text(const OptionHelp& argument) {
  const std::string name = argument.value + (argument.repeated ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string option_label(const OptionHelp& option) {
  const bool attached = option.value.size() > 1 && option.value[0] == '[';
  return option.names + (option.value.empty() || attached ? "" : " ") + option.value;
}

/// A heading and a list of labels with their meanings, the meanings below each other.
std::string labelled(std::string_view heading, const std::vector<std::pair<std::string, std::string>>& rows,
                     unsigned columns) {
  if (rows.empty()) {
    return "";
  }
  constexpr std::size_t kWidestLabel = 26;
  std::size_t indent = 0;
  for (const auto& row : rows) {
    if (row.first.size() <= kWidestLabel) {
      indent = std::max(indent, row.first.size() + 4);
    }
  }
  std::string text = fmt::format("\n{}:\n", heading);
  for (const auto& row : rows) {
    if (row.first.size() + 4 > indent) {
      text += "  " + row.first + "\n" + wrapped("", row.second, indent, columns);
    } else {
      text += wrapped("  " + row.first, row.second, indent, columns);
    }
  }
  return text;
}

std::string examples_text(const CommandWords& words) {
  std::string text = words.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const Example& example : words.examples) {
    text += fmt::format("  # {}\n  {}\n", example.meaning, example.line);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> option_rows(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const OptionHelp& option : options_of(command)) {
    rows.emplace_back(option_label(option), option.meaning);
  }
  return rows;
}

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      commands.push_back(command);
    }
  }
  std::sort(commands.begin(), commands.end(),
            [](const CLI::App* a, const CLI::App* b) { return a->get_name() < b->get_name(); });
  return commands;
}

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  help.names = fmt::format("{}", fmt::join(names, ", "));
  const std::string type = option.get_type_name();
  help.choices = listed_values(type);
  help.value = value_name(type, help.choices);
  if (!option.get_positional() && option.get_items_expected_max() == 0 && type.find('[') != 0) {
    help.value.clear();
  }
  help.meaning = option.get_description();
  if (!option.get_default_str().empty() && !help.value.empty()) {
    help.meaning += fmt::format(" (default: {})", option.get_default_str());
  }
  help.required = option.get_required();
  help.repeated = option.get_items_expected_max() > 1;
  return help;
}

std::vector<OptionHelp> options_of(const CLI::App& command) {
  std::vector<OptionHelp> options;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->nonpositional() && !option->get_group().empty()) {
      options.push_back(option_help(*option));
    }
  }
  // The parser adds -h first; people look for it last.
  std::stable_partition(options.begin(), options.end(),
                        [](const OptionHelp& option) { return option.names != "-h, --help"; });
  return options;
}

std::vector<OptionHelp> arguments_of(const CLI::App& command) {
  std::vector<OptionHelp> arguments;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional()) {
      arguments.push_back(option_help(*option));
    }
  }
  return arguments;
}

std::string usage_line(const CLI::App& command) {
  std::string line = "rlverify " + command.get_name() + " [OPTIONS]";
  for (const OptionHelp& option : options_of(command)) {
    if (option.required) {
      line += " " + option_label(option);
    }
  }
  for (const OptionHelp& argument : arguments_of(command)) {
    line += " " + argument_text(argument);
  }
  return line;
}

void add_common_options(CLI::App& app) {
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const CommandWords* const words = find_words(command->get_name());
    if (words == nullptr) {
      continue;
    }
    if (words->text_output) {
      // The environment is where colour is decided in any case, and this is before any thread is started.
      command
          ->add_option_function<std::string>(
              "--color",
              [](const std::string& when) {
                if (when != "auto") {
                  setenv("FORCE_COLOR", when == "always" ? "1" : "0", 1);
                }
              },
              "Colour in text: on a terminal, always or never")
          ->check(CLI::IsMember(std::vector<std::string>{"auto", "always", "never"}))
          ->default_str("auto");
    }
    command->add_flag_callback(
        "-v,--verbose", [] { core::enable_log(); }, "Tell on stderr what is opened and how long things take");
  }
}

std::string command_screen(const CLI::App& command, unsigned columns) {
  std::string text = wrapped("", "Usage: " + usage_line(command), 0, columns);
  text += "\n" + wrapped("", command.get_description() + ".", 0, columns);
  const CommandWords* const words = find_words(command.get_name());
  if (words != nullptr) {
    text += wrapped("", words->details, 0, columns);
  }
  std::vector<std::pair<std::string, std::string>> rows;
  for (const OptionHelp& argument : arguments_of(command)) {
    rows.emplace_back(argument.value, argument.meaning);
  }
  text += labelled("Arguments", rows, columns) + labelled("Options", option_rows(command), columns);
  return words != nullptr ? text + examples_text(*words) : text;
}

std::string program_screen(const CLI::App& app, unsigned columns) {
  std::string text =
      "Usage: rlverify COMMAND [OPTIONS] [ARGUMENTS]\n\n" + wrapped("", app.get_description(), 0, columns);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::App* const command : shown_commands(app)) {
    rows.emplace_back(command->get_name(), command->get_description());
  }
  text += labelled("Commands", rows, columns) + labelled("Options", option_rows(app), columns);
  rows.clear();
  for (const ExitCodeWords& code : exit_codes()) {
    rows.emplace_back(code.code, code.meaning);
  }
  text += labelled("Exit codes", rows, columns);
  return text +
         "\nExample:\n  rlverify compare examples/runs/passing examples/runs/failing\n\nMore: rlverify COMMAND "
         "--help\n";
}

std::string first_screen(const CLI::App& app, unsigned columns) {
  std::string text = wrapped("", app.get_description(), 0, columns) + "\n";
  std::vector<std::string> others;
  std::map<int, const CLI::App*> main_commands;
  for (const CLI::App* const command : shown_commands(app)) {
    const CommandWords* const words = find_words(command->get_name());
    if (words == nullptr || words->first_choice == 0) {
      others.push_back(command->get_name());
    } else {
      main_commands.emplace(words->first_choice, command);
    }
  }
  for (const auto& entry : main_commands) {
    text += wrapped("  " + entry.second->get_name(), entry.second->get_description(), 13, columns);
    text += fmt::format("{:13}$ {}\n", "", find_words(entry.second->get_name())->examples.front().line);
  }
  text += "\n" + wrapped("  also:", fmt::format("{}", fmt::join(others, ", ")), 13, columns);
  return text + wrapped("  help:", "rlverify --help, rlverify COMMAND --help", 13, columns);
}

}  // namespace rlverify::app
