// SPDX-License-Identifier: Apache-2.0
// What the JSON reader refuses, with the place and the words, in any block size.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "json_test_support.h"
#include "test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using namespace std::string_view_literals;
using Catch::Matchers::Contains;

namespace {

struct Refusal {
  std::string_view text;
  std::uint32_t line;
  std::uint32_t column;
  const char* expected;
  const char* found;
};

void check_refusals(const std::vector<Refusal>& refusals, const std::vector<JsonMode>& modes) {
  for (const Refusal& refusal : refusals) {
    for (const JsonMode mode : modes) {
      for (const std::size_t block_bytes : kBlockSizes) {
        CAPTURE(std::string(refusal.text), block_bytes);
        const Problem problem = problem_of([&] { static_cast<void>(read_text(refusal.text, mode, block_bytes)); });
        CHECK(problem.file == "t.json");
        CHECK(problem.line == refusal.line);
        CHECK(problem.column == refusal.column);
        CHECK_THAT(problem.expected, Contains(refusal.expected));
        CHECK_THAT(problem.found, Contains(refusal.found));
        // The offset is where line and column are.
        std::size_t line_start = 0;
        for (std::uint32_t line = 1; line < problem.line; ++line) {
          line_start = refusal.text.find('\n', line_start) + 1;
        }
        CHECK(problem.offset == line_start + problem.column - 1);
      }
    }
  }
}

const std::vector<JsonMode> kBothModes = {JsonMode::kStrict, JsonMode::kLenient};

}  // namespace

TEST_CASE("text that is no JSON is refused at its first wrong byte") {
  check_refusals(
      {
          {"", 1, 1, "a JSON value", "the end of the text"},
          {" \n\t ", 2, 3, "a JSON value", "the end of the text"},
          {"nul", 1, 4, "null", "the end of the text"},
          {"nulL", 1, 4, "null", "'L'"},
          {"True", 1, 1, "a JSON value", "'T'"},
          {"truefalse", 1, 5, "the end of the text", "'f'"},
          {"'a'", 1, 1, "a JSON value", "a single quote"},
          {"{} {}", 1, 4, "the end of the text", "'{'"},
          {"{}\n}", 2, 1, "the end of the text", "'}'"},
          {"1 2", 1, 3, "the end of the text", "'2'"},
          {"[1", 1, 3, "',' or ']'", "the end of the text"},
          {"[1 2]", 1, 4, "',' or ']'", "'2'"},
          {"[1,]", 1, 4, "a JSON value", "']'"},
          {"[,1]", 1, 2, "a JSON value", "','"},
          {"[1}", 1, 3, "',' or ']'", "'}'"},
          {"]", 1, 1, "a JSON value", "']'"},
          {"{\"a\":1", 1, 7, "',' or '}'", "the end of the text"},
          {"{\"a\":1]", 1, 7, "',' or '}'", "']'"},
          {"{\"a\":1,}", 1, 8, "a key in double quotes", "'}'"},
          {"{\"a\" 1}", 1, 6, "':'", "'1'"},
          {"{\"a\":}", 1, 6, "a JSON value", "'}'"},
          {"{\"a\":1 \"b\":2}", 1, 8, "',' or '}'", "'\"'"},
          {"{a:1}", 1, 2, "a key in double quotes or '}'", "'a'"},
          {"{1:1}", 1, 2, "a key in double quotes or '}'", "'1'"},
          {"{,}", 1, 2, "a key in double quotes or '}'", "','"},
          {"// c\n1", 1, 1, "a JSON value", "'/'"},
          {"[1]\x0B", 1, 4, "the end of the text", "byte 0x0b"},
          {"\xC2\xA0 1", 1, 1, "a JSON value", "byte 0xc2"},
      },
      kBothModes);
}

TEST_CASE("numbers follow JSON's grammar") {
  check_refusals(
      {
          {"-", 1, 2, "a digit", "the end of the text"},
          {"[-]", 1, 3, "a digit", "']'"},
          {"+1", 1, 1, "a JSON value", "'+'"},
          {"01", 1, 2, "a number", "'1' after '0'"},
          {"-01", 1, 3, "a number", "'1' after '-0'"},
          {"00", 1, 2, "a number", "'0' after '0'"},
          {"1.", 1, 3, "a digit", "the end of the text"},
          {".5", 1, 1, "a JSON value", "'.'"},
          {"[1.e5]", 1, 4, "a number", "'e' after '1.'"},
          {"1e", 1, 3, "a digit", "the end of the text"},
          {"1e+", 1, 4, "a digit", "the end of the text"},
          {"1e5.5", 1, 4, "a number", "'.' after '1e5'"},
          {"1-2", 1, 2, "a number", "'-' after '1'"},
          {"--1", 1, 2, "a number", "'-' after '-'"},
          {"0x10", 1, 2, "the end of the text", "'x'"},
          {"1_000", 1, 2, "the end of the text", "'_'"},
          {"\n [1,\n  2.5.5]", 3, 6, "a number", "'.' after '2.5'"},
          {"-NaN", 1, 2, "a digit", "'N'"},
          {"-Inf", 1, 5, "-Infinity", "the end of the text"},
          {"Nan", 1, 3, "NaN", "'n'"},
          {"inf", 1, 1, "a JSON value", "'i'"},
      },
      kBothModes);
}

TEST_CASE("strings are UTF-8 without control characters and end in a quote") {
  check_refusals(
      {
          {"\"abc", 1, 5, "the closing quote of the string at byte 0", "the end of the text"},
          {"[\"ab\\\"]", 1, 8, "the closing quote of the string at byte 1", "the end of the text"},
          {"\"a\nb\"", 1, 3, "no control character", "byte 0x0a"},
          {"\"a\tb\"", 1, 3, "no control character", "byte 0x09"},
          {"\"a\x1F\"", 1, 3, "no control character", "byte 0x1f"},
          {"\"\\x41\"", 1, 3, "after a backslash", "'x'"},
          {"\"\\", 1, 3, "after a backslash", "the end of the text"},
          {"\"\\\0\""sv, 1, 3, "after a backslash", "a NUL byte"},
          {"\"\\u12g4\"", 1, 6, "four hex digits", "'g'"},
          {"\"\\u12\"", 1, 6, "four hex digits", "'\"'"},
          {"\"\\ud83d\\u12\"", 1, 12, "four hex digits", "'\"'"},
          {"\"\\ud83d\\q\"", 1, 9, "after a backslash", "'q'"},
          {"\"\x80\"", 1, 2, "UTF-8", "byte 0x80"},
          {"\"a\xFF\"", 1, 3, "UTF-8", "byte 0xff"},
          {"\"\xC0\xAF\"", 1, 2, "UTF-8", "byte 0xc0"},
          {"\"\xC1\xBF\"", 1, 2, "UTF-8", "byte 0xc1"},
          {"\"\xE0\x80\xAF\"", 1, 3, "UTF-8", "byte 0x80"},
          {"\"\xE0\x9F\xBF\"", 1, 3, "UTF-8", "byte 0x9f"},
          {"\"\xF0\x80\x80\xAF\"", 1, 3, "UTF-8", "byte 0x80"},
          {"\"\xF0\x8F\xBF\xBF\"", 1, 3, "UTF-8", "byte 0x8f"},
          {"\"\xED\xA0\x80\"", 1, 3, "UTF-8", "byte 0xa0"},
          {"\"\xED\xBF\xBF\"", 1, 3, "UTF-8", "byte 0xbf"},
          {"\"\xF4\x90\x80\x80\"", 1, 3, "UTF-8", "byte 0x90"},
          {"\"\xF5\x80\x80\x80\"", 1, 2, "UTF-8", "byte 0xf5"},
          {"\"\xE6\xBC\"", 1, 4, "UTF-8", "'\"'"},
          {"\"\xE6\"", 1, 3, "UTF-8", "'\"'"},
          {"\"\xC3\xC3\xA9\"", 1, 3, "UTF-8", "byte 0xc3"},
          {"\"\xE6\xBC", 1, 4, "the closing quote", "the end of the text"},
          {"\"12345678\xF0\x9F\x98\"", 1, 13, "UTF-8", "'\"'"},
      },
      kBothModes);
}

TEST_CASE("NUL bytes and byte order marks are refused anywhere") {
  check_refusals(
      {
          {"\0"sv, 1, 1, "a JSON value", "a NUL byte"},
          {"{}\0"sv, 1, 3, "the end of the text", "a NUL byte"},
          {"{}\0garbage"sv, 1, 3, "the end of the text", "a NUL byte"},
          {"[1,\0 2]"sv, 1, 4, "a JSON value", "a NUL byte"},
          {"\"a\0b\""sv, 1, 3, "no control character", "a NUL byte"},
          {"tr\0ue"sv, 1, 3, "true", "a NUL byte"},
          {"\xEF\xBB\xBF{}", 1, 1, "a JSON value", "a byte order mark"},
          {"{}\xEF\xBB\xBF", 1, 3, "the end of the text", "byte 0xef"},
          {"\xFF\xFE{\0}\0"sv, 1, 1, "a JSON value", "byte 0xff"},
          {"{\0}\0"sv, 1, 2, "a key in double quotes", "a NUL byte"},
      },
      kBothModes);
}

TEST_CASE("nesting beyond 128 levels is a limit, however deep it goes") {
  for (const std::string& text : {std::string(129, '['), std::string(1'000'000, '['), [] {
                                    std::string nested;
                                    for (int i = 0; i < 100'000; ++i) {
                                      nested += "{\"a\":";
                                    }
                                    return nested;
                                  }()}) {
    const Problem problem = limit_of(text, JsonLimits{});
    CHECK(problem.expected == "at most 128 levels of nesting");
    CHECK(problem.column == (text[0] == '[' ? 129U : 641U));
  }
}

TEST_CASE("strict mode refuses the tokens JSON doesn't have") {
  check_refusals(
      {
          {"NaN", 1, 1, "a JSON value", "NaN, which JSON doesn't have"},
          {"[1,\n Infinity]", 2, 2, "a JSON value", "Infinity, which"},
          {"{\"a\": -Infinity}", 1, 7, "a JSON value", "-Infinity, which"},
      },
      {JsonMode::kStrict});
}

TEST_CASE("strict mode refuses a repeated key and names both places") {
  check_refusals(
      {
          {"{\"a\": 1, \"a\": 1}", 1, 10, "each key once", "the key 'a' again, which is at byte 1 (line 1, column 2)"},
          {"{\"b\": 1,\n \"a\": 2,\n \"b\": 3, \"a\": 4}", 3, 2, "each key once",
           "the key 'b' again, which is at byte 1 (line 1, column 2)"},
          {"{\"x\": {\"a\": 1, \"\\u0061\": 2}}", 1, 16, "each key once", "the key 'a' again, which is at byte 7"},
          {"[{\"a\": 1}, {\"\": 1, \"b\": 2, \"\": 1}]", 1, 28, "each key once",
           "the key '' again, which is at byte 12"},
          {"{\"a\": 1, \"a\": 1, \"a\": 1}", 1, 10, "each key once", "at byte 1 "},
      },
      {JsonMode::kStrict});
  CHECK_NOTHROW(read_text(R"([{"a": {"a": 1}}, {"a": 2}, {"A": 1, "a": 2, "a ": 3}])", JsonMode::kStrict));
}

TEST_CASE("a long repeated key is shown by its beginning") {
  const std::string key(100, 'k');
  const std::string text = "{\"" + key + "\": 1, \"" + key + "\": 2}";
  const Problem problem = problem_of([&] { static_cast<void>(read_text(text, JsonMode::kStrict)); });
  CHECK_THAT(problem.found, Contains("'" + std::string(80, 'k') + "'... again"));
}
