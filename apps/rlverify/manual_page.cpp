// SPDX-License-Identifier: Apache-2.0
// rlverify(1). Only macros that groff's and mandoc's man packages both have.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command_help.h"

namespace rlverify::app {
namespace {

/// Text for a line of its own: backslashes and hyphens as typed, and no request at the beginning.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string tagged(std::string_view label, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(label), roff(text));
}

std::string options_text(const std::vector<OptionHelp>& options) {
  std::string text;
  for (const OptionHelp& option : options) {
    const bool attached = option.value.size() > 1 && option.value[0] == '[';
    text += fmt::format(".TP\n\\fB{}\\fR{}\\fI{}\\fR\n{}\n", roff(option.names),
                        option.names.empty() || option.value.empty() || attached ? "" : " ", roff(option.value),
                        roff(option.meaning));
  }
  return text;
}

std::string example_text(const Example& example) {
  return fmt::format(".TP\n{}\n.nf\n\\fB{}\\fR\n.fi\n", roff(example.meaning), roff(example.line));
}

std::string command_text(const CLI::App& command) {
  const CommandWords* const words = find_words(command.get_name());
  std::string text = fmt::format(".SS {}\n\\fB{}\\fR\n.PP\n{}.\n", roff(command.get_name()), roff(usage_line(command)),
                                 roff(command.get_description()));
  if (words != nullptr) {
    text += roff(words->details) + "\n";
  }
  text += options_text(arguments_of(command));
  for (const OptionHelp& option : options_of(command)) {
    if (option.names != "-h, --help") {
      text += options_text({option});
    }
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".\\\" Generated from the table behind rlverify --help.\n.TH RLVERIFY 1 \"\" \"rlverify {}\" \"User commands\"\n"
      ".nh\n.ad l\n.SH NAME\nrlverify \\- judge reinforcement\\-learning runs of language models to the last bit\n"
      ".SH SYNOPSIS\n\\fBrlverify\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n{}\n"
      "It executes nothing that it reads, and gives the same bytes for the same input. The result goes to standard "
      "output, everything else to standard error; the exit code is the verdict.\n.SH OPTIONS\n{}.SH COMMANDS\n",
      RLVERIFY_VERSION, roff(app.get_description()), options_text(options_of(app)));
  for (const CLI::App* const command : shown_commands(app)) {
    text += command_text(*command);
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitCodeWords& code : exit_codes()) {
    text += tagged(code.code, code.meaning);
  }
  text += ".SH ENVIRONMENT\n" + tagged("FORCE_COLOR", "Not empty: colour, whatever stdout is; 0: no colour.") +
          tagged("NO_COLOR", "Not empty: no colour, unless FORCE_COLOR is set.") +
          tagged("TERM", "dumb: no colour and no progress.") + ".SH EXAMPLES\n";
  for (const CLI::App* const command : shown_commands(app)) {
    const CommandWords* const words = find_words(command->get_name());
    if (words != nullptr) {
      for (const Example& example : words->examples) {
        text += example_text(example);
      }
    }
  }
  return text;
}

}  // namespace rlverify::app
