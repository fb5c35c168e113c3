// SPDX-License-Identifier: Apache-2.0
// The table of finding codes is complete: every code that the program can speak has a row in docs/rules.md, and every
// row's code stands in some test.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "core/test_support.h"
#include "report/rule_table.h"

namespace rlverify::report {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
  static const std::set<std::string> kExtensions = {".cpp", ".h", ".cu", ".py", ".sh"};
  return kExtensions.count(path.extension().string()) != 0;
}

/// Adds every RLV-ddd of a text.
void collect_codes(const std::string& text, std::set<std::string>& codes) {
  for (std::size_t at = text.find("RLV-"); at != std::string::npos; at = text.find("RLV-", at + 1)) {
    const std::string code = text.substr(at, 7);
    if (code.size() == 7 && code.find_first_not_of("0123456789", 4) == std::string::npos) {
      codes.insert(code);
    }
  }
}

std::set<std::string> codes_in(const std::string& folder) {
  std::set<std::string> codes;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(RLVERIFY_SOURCE_DIR) / folder)) {
    if (entry.is_regular_file() && is_source(entry.path()) && entry.path().filename() != "test_strict_codes.cpp") {
      collect_codes(core::test::file_text(entry.path().string()), codes);
    }
  }
  return codes;
}

std::string without(const std::set<std::string>& from, const std::set<std::string>& what) {
  std::string rest;
  for (const std::string& code : from) {
    rest += what.count(code) == 0 ? code + " " : "";
  }
  return rest;
}

std::set<std::string> table_codes() {
  std::set<std::string> codes;
  for (const RuleRow& row : all_rules()) {
    codes.insert(row.code);
  }
  return codes;
}

}  // namespace

TEST_CASE("Every code in the program has a row in docs/rules.md") {
  std::set<std::string> used = codes_in("lib");
  const std::set<std::string> apps = codes_in("apps");
  used.insert(apps.begin(), apps.end());
  CHECK(used.size() > 60);
  CHECK(without(used, table_codes()) == "");
}

TEST_CASE("Every row of docs/rules.md has a test and is used") {
  std::set<std::string> used = codes_in("lib");
  const std::set<std::string> apps = codes_in("apps");
  used.insert(apps.begin(), apps.end());
  CHECK(without(table_codes(), used) == "");
  CHECK(without(table_codes(), codes_in("tests")) == "");
}

}  // namespace rlverify::report
