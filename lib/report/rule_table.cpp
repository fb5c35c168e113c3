// SPDX-License-Identifier: Apache-2.0
// A row is a line that begins with "| RLV-"; the rest of the document is prose for readers.
#include "report/rule_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "report/embedded.h"
#include "report/nearest.h"

namespace rlverify::report {

namespace {

constexpr std::size_t kColumns = 6;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return "";
  }
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// The cells between the bars of a table line.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += '|';
      ++i;
    } else if (line[i] == '|') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!trimmed(cell).empty()) {
    cells.push_back(trimmed(cell));
  }
  return cells;
}

RuleRow row_of(std::string_view line) {
  std::vector<std::string> cells = cells_of(line);
  if (cells.size() != kColumns) {
    throw core::Error(core::ExitCode::kInternal, fmt::format("docs/rules.md: {} has {} columns instead of {}",
                                                             cells.front(), cells.size(), kColumns));
  }
  return {std::move(cells[0]), std::move(cells[1]), std::move(cells[2]),
          std::move(cells[3]), std::move(cells[4]), std::move(cells[5])};
}

}  // namespace

std::vector<RuleRow> parse_rule_table(std::string_view markdown) {
  std::vector<RuleRow> rows;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.substr(0, 6) != "| RLV-") {
      continue;
    }
    RuleRow row = row_of(line);
    if (std::any_of(rows.begin(), rows.end(), [&row](const RuleRow& known) { return known.code == row.code; })) {
      throw core::Error(core::ExitCode::kInternal, fmt::format("docs/rules.md: {} comes twice", row.code));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<RuleRow>& all_rules() {
  static const std::vector<RuleRow> kRules = parse_rule_table(embedded_file("docs/rules.md").value_or(""));
  return kRules;
}

const RuleRow* find_rule(std::string_view code) {
  const std::vector<RuleRow>& rules = all_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [code](const RuleRow& row) { return row.code == code; });
  return found == rules.end() ? nullptr : &*found;
}

std::string full_code(std::string_view text) {
  constexpr std::string_view kPrefix = "RLV";
  std::string code(text);
  std::transform(code.begin(), code.end(), code.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::string_view number = code;
  if (number.substr(0, kPrefix.size()) == kPrefix) {
    number.remove_prefix(kPrefix.size());
    number.remove_prefix(!number.empty() && number.front() == '-' ? 1 : 0);
  }
  const bool is_number = number.size() == 3 && number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? fmt::format("{}-{}", kPrefix, number) : std::string(text);
}

std::vector<std::string> nearest_codes(std::string_view code) {
  std::vector<std::string> codes;
  for (const RuleRow& row : all_rules()) {
    codes.push_back(row.code);
  }
  return nearest_names(code, codes);
}

}  // namespace rlverify::report
