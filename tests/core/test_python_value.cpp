// SPDX-License-Identifier: Apache-2.0
// Truth, int() and the type questions. The expected values were printed by CPython 3.11.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_reader.h"
#include "core/python_value.h"
#include "json_test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using namespace std::string_view_literals;

namespace {

std::optional<std::int64_t> int_of_string(std::string_view text) {
  ValueTable table;
  return python_int(Value(table, table.add_text(Kind::kString, text)));
}

std::optional<std::int64_t> int_of_json(std::string_view json) {
  const JsonDocument document = read_text(json, JsonMode::kLenient);
  return python_int(document.root());
}

bool truth_of_json(std::string_view json) {
  const JsonDocument document = read_text(json, JsonMode::kLenient);
  return python_truth(document.root());
}

}  // namespace

TEST_CASE("int() of text that Python takes") {
  const std::vector<std::pair<std::string_view, std::int64_t>> texts = {
      {"0", 0},
      {"5", 5},
      {"-7", -7},
      {"+5", 5},
      {"  4_0 ", 40},
      {"\t12\n\v\f\r", 12},
      {"007", 7},
      {"-0", 0},
      {"0_0", 0},
      {"1_000", 1000},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"0000000000000000000000000000000005", 5},
      {"٣٤", 34},
      {"५_०", 50},
      {"\u20285\u3000", 5},
      {"\u00855\u00A0", 5},
      {"１２", 12},
      {"-𝟗", -9},
  };
  for (const auto& [text, expected] : texts) {
    CAPTURE(std::string(text));
    CHECK(int_of_string(text) == expected);
  }
}

TEST_CASE("int() of text where Python raises, or needs more than 64 bits") {
  for (const std::string_view text : {"",
                                      "  ",
                                      "-",
                                      "+",
                                      "--5",
                                      "+-5",
                                      "+ 5",
                                      "- 5",
                                      "5 5",
                                      "5_",
                                      "_5",
                                      "5__0",
                                      "-_5",
                                      "0x10",
                                      "1.0",
                                      "1e3",
                                      "²",
                                      "five",
                                      "٣٤x",
                                      "\x1c"
                                      "5",
                                      "½",
                                      "〇",
                                      "\xFF",
                                      "\xED\xA0\x80",
                                      "5\x7F",
                                      "nan"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(int_of_string(text).has_value());
  }
  CHECK_FALSE(int_of_string("5\0"sv).has_value());
  CHECK_FALSE(int_of_string("9223372036854775808").has_value());
  CHECK_FALSE(int_of_string("-9223372036854775809").has_value());
}

TEST_CASE("int() of numbers truncates; None, containers, NaN and infinities raise") {
  CHECK(int_of_json("true") == 1);
  CHECK(int_of_json("false") == 0);
  CHECK(int_of_json("-12") == -12);
  CHECK(int_of_json("2.9") == 2);
  CHECK(int_of_json("-2.9") == -2);
  CHECK(int_of_json("-0.5") == 0);
  CHECK(int_of_json("9.2e18") == 9'200'000'000'000'000'000);
  CHECK(int_of_json("-9223372036854775808.0") == std::numeric_limits<std::int64_t>::min());
  for (const char* json : {"null", "9223372036854775808.0", "-9223372036854777856.0", "1e300", "NaN", "Infinity",
                           "-Infinity", "99999999999999999999", "[]", "[1]", "{}", "\"a\""}) {
    CAPTURE(json);
    CHECK_FALSE(int_of_json(json).has_value());
  }
  CHECK_FALSE(python_int(Value()).has_value());
}

TEST_CASE("truth is Python's") {
  for (const char* json : {"true", "1", "-1", "0.1", "NaN", "1e999", "99999999999999999999", "\"0\"", "\" \"", "[0]",
                           "[[]]", "{\"\": null}"}) {
    CAPTURE(json);
    CHECK(truth_of_json(json));
  }
  for (const char* json : {"false", "null", "0", "-0", "0.0", "-0.0", "1e-999", "\"\"", "[]", "{}"}) {
    CAPTURE(json);
    CHECK_FALSE(truth_of_json(json));
  }
  CHECK_FALSE(python_truth(Value()));
  ValueTable table;
  CHECK(python_truth(Value(table, table.add_complex(0, 1))));
  CHECK_FALSE(python_truth(Value(table, table.add_complex(0, -0.0))));
  CHECK(python_truth(Value(table, table.add_ellipsis())));
  CHECK(python_truth(Value(table, table.add_index(Kind::kOpaque, 0))));
  CHECK_FALSE(python_truth(Value(table, table.add_text(Kind::kBytes, ""))));
  CHECK_FALSE(python_truth(Value(table, table.add_container(Kind::kTuple))));
  CHECK_FALSE(python_truth(Value(table, table.add_container(Kind::kFrozenSet))));
}

TEST_CASE("isinstance questions: booleans are ints and no numbers here") {
  const auto ask = [](std::string_view json) {
    const JsonDocument document = read_text(json, JsonMode::kLenient);
    return std::pair(python_is_int(document.root()), python_is_number(document.root()));
  };
  CHECK(ask("true") == std::pair(true, false));
  CHECK(ask("1") == std::pair(true, true));
  CHECK(ask("99999999999999999999") == std::pair(true, true));
  CHECK(ask("1.0") == std::pair(false, true));
  CHECK(ask("NaN") == std::pair(false, true));
  CHECK(ask("\"1\"") == std::pair(false, false));
  CHECK(ask("null") == std::pair(false, false));
  CHECK(ask("[1]") == std::pair(false, false));
  CHECK_FALSE(python_is_int(Value()));
  CHECK_FALSE(python_is_number(Value()));
}
