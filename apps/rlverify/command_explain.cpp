// SPDX-License-Identifier: Apache-2.0
// rlverify explain: one row of the table of finding codes, or the list of all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "report/rule_table.h"
#include "report/text_layout.h"

namespace rlverify::app {
namespace {

core::ExitCode explain(const std::string& code) {
  const unsigned columns = stdout_terminal().columns;
  std::string text;
  if (code.empty()) {
    for (const report::RuleRow& row : report::all_rules()) {
      text += report::wrapped(row.code, row.title, 9, columns);
    }
    print(text);
    return core::ExitCode::kPassed;
  }
  const report::RuleRow* const row = report::find_rule(code);
  if (row == nullptr) {
    const std::vector<std::string> near = report::nearest_codes(code);
    throw core::UsageError(fmt::format("{} is no finding code (RLV-xxx; rlverify explain lists them){}{}", code,
                                       near.empty() ? "" : "; near it: ", fmt::join(near, ", ")));
  }
  text = fmt::format("{}  {}\n", row->code, row->title);
  text += report::wrapped("severity", row->severity, 10, columns);
  text += report::wrapped("section", row->section, 10, columns);
  text += report::wrapped("meaning", row->meaning, 10, columns);
  if (!row->hint.empty()) {
    text += report::wrapped("hint", row->hint, 10, columns);
  }
  print(text);
  return core::ExitCode::kPassed;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  auto code = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand("explain", "Say what a finding code means; without a code, list all");
  command->add_option("code", *code, "A code such as RLV-162")->type_name("RLV-xxx");
  command->callback([code, &action] { action = [code] { return explain(*code); }; });
}

}  // namespace rlverify::app
