// SPDX-License-Identifier: Apache-2.0
// The parser of docs/rules.md, and the embedded table itself: each row has to make sense.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/errors.h"
#include "core/finding.h"
#include "report/embedded.h"
#include "report/report_support.h"
#include "report/rule_table.h"
#include "report/schema_check.h"

using namespace rlverify;

TEST_CASE("rows are read and prose is not") {
  const auto rows = report::parse_rule_table(
      "# Rules\n| code | severity |\n|---|---|\n| RLV-101 | error | launch | A title | It means \\| this. | Do that. "
      "|\nRLV-102 in prose\n"
      "| RLV-102 | note | log | Other | Meaning |  |\r\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].code == "RLV-101");
  CHECK(rows[0].severity == "error");
  CHECK(rows[0].section == "launch");
  CHECK(rows[0].title == "A title");
  CHECK(rows[0].meaning == "It means | this.");
  CHECK(rows[0].hint == "Do that.");
  CHECK(rows[1].code == "RLV-102");
  CHECK(rows[1].hint.empty());
}

TEST_CASE("a broken table is an internal error") {
  CHECK_THROWS_AS(report::parse_rule_table("| RLV-101 | error | launch |\n"), core::Error);
  CHECK_THROWS_AS(
      report::parse_rule_table("| RLV-101 | error | log | a | b | c |\n| RLV-101 | error | log | a | b | c |\n"),
      core::Error);
}

TEST_CASE("each row of the embedded table has a known severity and section and a title") {
  for (const report::RuleRow& row : report::all_rules()) {
    INFO(row.code);
    CHECK(row.code.size() == 7);
    CHECK((row.severity == "error" || row.severity == "warning" || row.severity == "note"));
    bool known = false;
    for (int i = 0; i < core::kSectionCount; ++i) {
      known = known || row.section == core::section_name(static_cast<core::Section>(i));
    }
    CHECK(known);
    CHECK_FALSE(row.title.empty());
    CHECK_FALSE(row.meaning.empty());
    CHECK(report::find_rule(row.code) == &row);
  }
  CHECK(report::find_rule("RLV-000") == nullptr);
}

TEST_CASE("what is embedded is what lies in the source tree") {
  const auto files = report::embedded_files();
  CHECK(std::is_sorted(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  CHECK(files.size() >= 7);
  for (const report::EmbeddedFile& file : files) {
    INFO(file.name);
    const auto text = report::test::file_text(std::string(RLVERIFY_SOURCE_DIR) + "/" + std::string(file.name));
    REQUIRE(text);
    CHECK(*text == file.content);
  }
  CHECK_FALSE(report::embedded_file("docs/none.md"));
}

TEST_CASE("a code is known by its number, in any case") {
  for (const char* text : {"RLV-162", "rlv-162", "RLV162", "rlv162", "162"}) {
    CHECK(report::full_code(text) == "RLV-162");
  }
  for (const char* text : {"", "RLV-", "16", "1620", "RLV-16x", "-162", "RLVX162"}) {
    CHECK(report::full_code(text) == text);
  }
}
