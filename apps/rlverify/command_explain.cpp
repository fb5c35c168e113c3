// SPDX-License-Identifier: Apache-2.0
// rlverify explain: one row of the table of finding codes, or the list of all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "report/rule_table.h"
#include "report/text_layout.h"

namespace rlverify::app {
namespace {

std::string list_of_all(unsigned columns) {
  std::string text;
  for (const report::RuleRow& row : report::all_rules()) {
    text += report::wrapped(row.code, row.title, 9, columns);
  }
  return text;
}

std::string explanation(const std::string& code, unsigned columns) {
  const report::RuleRow* const row = report::find_rule(report::full_code(code));
  if (row == nullptr) {
    const std::vector<std::string> near = report::nearest_codes(code);
    throw core::UsageError(fmt::format("{} is no finding code (RLV-xxx; rlverify explain lists them){}{}", code,
                                       near.empty() ? "" : "; near it: ", fmt::join(near, ", ")));
  }
  std::string text = fmt::format("{}  {}\n", row->code, row->title);
  text += report::wrapped("severity", row->severity, 10, columns);
  text += report::wrapped("section", row->section, 10, columns);
  text += report::wrapped("meaning", row->meaning, 10, columns);
  if (!row->hint.empty()) {
    text += report::wrapped("hint", row->hint, 10, columns);
  }
  return text;
}

core::ExitCode explain(const std::vector<std::string>& codes) {
  const unsigned columns = stdout_terminal().columns;
  std::string text = codes.empty() ? list_of_all(columns) : "";
  for (const std::string& code : codes) {
    text += (text.empty() ? "" : "\n") + explanation(code, columns);
  }
  print(text);
  return core::ExitCode::kPassed;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  auto codes = std::make_shared<std::vector<std::string>>();
  CLI::App* const command = app.add_subcommand("explain", "Say what a finding code means; without a code, list all");
  command->add_option("codes", *codes, "Codes such as RLV-162, rlv-162 or 162")->type_name("RLV-xxx");
  command->callback([codes, &action] { action = [codes] { return explain(*codes); }; });
}

}  // namespace rlverify::app
