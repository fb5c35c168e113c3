// SPDX-License-Identifier: Apache-2.0
// The table of finding codes: docs/rules.md as compiled in. The document is the one place where a code, its title and
// its hint are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlverify::report {

struct RuleRow {
  std::string code;      ///< "RLV-101"
  std::string severity;  ///< "error", "warning" or "note"
  std::string section;   ///< as core::section_name
  std::string title;
  std::string meaning;
  std::string hint;  ///< may be empty
};

/// The rows of a Markdown table with the columns code, severity, section, title, meaning, hint; other lines are
/// ignored. `\|` stands for a bar inside a cell. Throws core::Error (internal) for a row of another shape and for a
/// code that comes twice: the table is part of the program.
[[nodiscard]] std::vector<RuleRow> parse_rule_table(std::string_view markdown);

/// All rows of docs/rules.md in its order.
[[nodiscard]] const std::vector<RuleRow>& all_rules();
/// The row of a code, or null.
[[nodiscard]] const RuleRow* find_rule(std::string_view code);
/// The code that "rlv-101", "RLV101" or "101" stands for; other texts as they are.
[[nodiscard]] std::string full_code(std::string_view text);
/// Codes that look like `code`, nearest first: for `explain` and a mistyped code ("rlv101", "RLV-110").
[[nodiscard]] std::vector<std::string> nearest_codes(std::string_view code);

}  // namespace rlverify::report
