// SPDX-License-Identifier: Apache-2.0
// rlverify schema: the embedded schemas, listed or one of them as it is.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "command.h"
#include "report/schema_check.h"

namespace rlverify::app {
namespace {

core::ExitCode show_schema(const std::string& name) {
  if (!name.empty()) {
    print(report::schema_text(name));
    return core::ExitCode::kPassed;
  }
  const std::vector<std::string> names = report::schema_names();
  std::size_t width = 0;
  for (const std::string& each : names) {
    width = std::max(width, each.size());
  }
  std::string text;
  for (const std::string& each : names) {
    text += each + std::string(width - each.size() + 2, ' ') + report::schema_title(each) + "\n";
  }
  print(text);
  return core::ExitCode::kPassed;
}

}  // namespace

void add_schema_command(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("schema", "List the JSON Schemas of all documents and artifacts, or print one");
  command->add_option("name", *name, "Name of the schema; without it all are listed")->type_name("NAME");
  command->callback([name, &action] { action = [name] { return show_schema(*name); }; });
}

}  // namespace rlverify::app
