// SPDX-License-Identifier: Apache-2.0
// One function for bash, without the bash-completion package: words are offered for commands, options and listed
// values; where none fits, bash completes names of files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_help.h"
#include "report/rule_table.h"
#include "report/schema_check.h"

namespace rlverify::app {
namespace {

std::vector<std::string> names_of(const OptionHelp& option) {
  std::vector<std::string> names = CLI::detail::split(option.names, ',');
  for (std::string& name : names) {
    CLI::detail::trim(name);
  }
  return names;
}

/// The options of a command as words: "-o --format ...".
std::string option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const OptionHelp& option : options_of(command)) {
    const std::vector<std::string> names = names_of(option);
    words.insert(words.end(), names.begin(), names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// What the argument of a command may be, where that is a list.
std::string argument_words(const std::string& command) {
  std::vector<std::string> words;
  if (command == "explain") {
    for (const report::RuleRow& row : report::all_rules()) {
      words.emplace_back(row.code);
    }
  } else if (command == "schema") {
    words = report::schema_names();
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// The lines of the case statement for the values of one command's options.
std::string value_cases(const CLI::App& command) {
  std::string text;
  for (const OptionHelp& option : options_of(command)) {
    if (option.value.empty()) {
      continue;
    }
    std::vector<std::string> patterns;
    for (const std::string& name : names_of(option)) {
      patterns.push_back(command.get_name() + ":" + name);
    }
    // An option that takes anything takes a file: no words, so that bash looks for one. Its value may be left out
    // where it is attached ("[=NAME]").
    if (option.value[0] != '[') {
      text +=
          fmt::format("    {}) words=\"{}\" is_value=1 ;;\n", fmt::join(patterns, "|"), fmt::join(option.choices, " "));
    }
  }
  return text;
}

constexpr std::string_view kHead = R"(# bash completion for rlverify; generated from the table behind rlverify --help.
_rlverify() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words="" is_value=0
  COMPREPLY=()
  # bash splits --option=value at the equals sign.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
)";

constexpr std::string_view kTail = R"(  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -o bashdefault -o default -F _rlverify rlverify
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string options;
  std::string values;
  std::string arguments;
  for (const CLI::App* const command : shown_commands(app)) {
    const std::string& name = command->get_name();
    names.push_back(name);
    options += fmt::format("      {}) words=\"{}\" ;;\n", name, option_words(*command));
    values += value_cases(*command);
    const std::string words = argument_words(name);
    if (!words.empty()) {
      arguments += fmt::format("      {}) words=\"{}\" ;;\n", name, words);
    }
  }
  std::string text(kHead);
  text += fmt::format("    mapfile -t COMPREPLY < <(compgen -W \"{} {}\" -- \"$current\")\n    return\n  fi\n",
                      fmt::join(names, " "), option_words(app));
  text += "  case \"$command:$previous\" in\n" + values + "  esac\n";
  text += "  if ((!is_value)) && [[ $current == -* ]]; then\n    case $command in\n" + options + "    esac\n";
  text += "  elif ((!is_value)); then\n    case $command in\n" + arguments + "      *) ;;\n    esac\n  fi\n";
  return text + std::string(kTail);
}

}  // namespace rlverify::app
