// SPDX-License-Identifier: Apache-2.0
// The parser says what it missed, which for a mistyped name is often the second fault ("A subcommand is required"). So
// the command line is looked at once more: first the command, then its options, then their values.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "command_help.h"
#include "report/finding_text.h"
#include "report/nearest.h"

namespace rlverify::app {
namespace {

std::string with_hint(const std::string& message, const std::string& hint) {
  return hint.empty() ? message : message + "; " + hint;
}

/// "--rules" of "--rules=strict".
std::string option_name(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-';
}

const CLI::Option* find_option(const CLI::App& command, const std::string& argument) {
  const bool is_short = argument.size() > 2 && argument[1] != '-';
  return command.get_option_no_throw(is_short ? argument.substr(0, 2) : option_name(argument));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// The fault of a value that isn't on its option's list; empty when it is.
std::string value_fault(const CLI::Option& option, const std::string& value) {
  const OptionHelp help = option_help(option);
  if (help.choices.empty() || std::find(help.choices.begin(), help.choices.end(), value) != help.choices.end()) {
    return "";
  }
  return with_hint(
      fmt::format("--{} takes {}, not \"{}\"", option.get_lnames().front(), fmt::join(help.choices, " or "), value),
      report::did_you_mean(value, help.choices));
}

/// The first mistyped option or listed value behind the command; empty when there is none.
std::string option_fault(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!is_option(arguments[i])) {
      continue;
    }
    const CLI::Option* const option = find_option(command, arguments[i]);
    if (option == nullptr) {
      const std::string name = option_name(arguments[i]);
      return with_hint(fmt::format("rlverify {} has no option {}", command.get_name(), name),
                       report::did_you_mean(name, option_names(command)));
    }
    const std::size_t equals = arguments[i].find('=');
    const bool takes_value = option->get_items_expected_max() > 0;
    const bool next_is_value = takes_value && equals == std::string::npos && i + 1 < arguments.size();
    if (next_is_value) {
      ++i;
    }
    if (!option->get_lnames().empty() && (next_is_value || equals != std::string::npos)) {
      std::string fault = value_fault(*option, next_is_value ? arguments[i] : arguments[i].substr(equals + 1));
      if (!fault.empty()) {
        return fault;
      }
    }
  }
  return "";
}

/// The command of that name; nullptr where there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) {
      return command;
    }
  }
  return nullptr;
}

/// "validate needs RUN_DIR|FILE": the parser would name a variable.
std::string missing_argument(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_required() && option->count() == 0) {
      const OptionHelp help = option_help(*option);
      return fmt::format("rlverify {} needs {}", command.get_name(),
                         option->get_positional() ? help.value : help.names + " " + help.value);
    }
  }
  return "";
}

std::string message_of(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& reason) {
  const std::string& first = arguments.front();
  if (is_option(first)) {
    const std::string name = option_name(first);
    const bool known = app.get_option_no_throw(name) != nullptr;
    const bool command_follows = std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
      return find_command(app, argument) != nullptr;
    });
    return known ? reason
                 : with_hint(fmt::format("rlverify has no option {}", name),
                             command_follows ? "those of a command come after its name"
                                             : report::did_you_mean(name, option_names(app)));
  }
  std::vector<std::string> names;
  for (const CLI::App* const command : shown_commands(app)) {
    names.push_back(command->get_name());
  }
  const CLI::App* const command = find_command(app, first);
  if (command == nullptr) {
    return with_hint(fmt::format("rlverify has no command \"{}\"", first), report::did_you_mean(first, names));
  }
  std::string fault = option_fault(*command, arguments);
  if (!fault.empty()) {
    return fault;
  }
  const std::string missing = missing_argument(*command);
  return missing.empty() ? reason : missing;
}

}  // namespace

std::string wrong_use_message(const CLI::App& app, const std::vector<std::string>& arguments,
                              const std::string& reason) {
  const bool has_command = !arguments.empty() && find_command(app, arguments.front()) != nullptr;
  // What was typed goes to a terminal: no escape sequences.
  const std::string message = report::printable(arguments.empty() ? reason : message_of(app, arguments, reason), false);
  return fmt::format("{}\nTry: rlverify {}--help", message, has_command ? arguments.front() + " " : "");
}

std::string missing_path_hint(const std::vector<std::string>& arguments, std::string_view message) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::size_t name_end = arguments[i].find('=');
    std::string text = arguments[i].substr(name_end == std::string::npos ? 0 : name_end + 1);
    while (text.size() > 1 && text.back() == '/') {
      text.pop_back();
    }
    const fs::path path(text);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (text.empty() || is_option(text) || message.find(text) == std::string_view::npos || fs::exists(path, error) ||
        !fs::is_directory(folder, error)) {
      continue;
    }
    // By the last name alone: a long folder in front would make everything in it look near.
    const std::string given = path.filename().string();
    std::vector<std::string> names;
    constexpr std::size_t kMostNames = 10000;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < kMostNames;
         entry.increment(error)) {
      if (const std::string name = entry->path().filename().string(); name != given) {  // a link that leads nowhere
        names.push_back(name);
      }
    }
    std::vector<std::string> near = report::nearest_names(given, names);
    for (std::string& name : near) {
      name = path.has_parent_path() ? (path.parent_path() / name).string() : name;
    }
    if (!near.empty()) {
      return report::printable(report::question_of(near), false);
    }
  }
  return "";
}

}  // namespace rlverify::app
