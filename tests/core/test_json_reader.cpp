// SPDX-License-Identifier: Apache-2.0
// What the JSON reader takes: values, places and limits. Every text is read whole and in blocks of 1, 2, 3 and 7 bytes.
// Refusals are in test_json_errors.cpp, what only the lenient mode takes in test_json_lenient.cpp.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "core/python_value.h"
#include "json_test_support.h"
#include "test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using Catch::Matchers::Contains;

TEST_CASE("values of every kind, in both modes and any block size") {
  // JSON text, and the value as Python shows it.
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"null", "None"},
      {" true ", "True"},
      {"\t\r\nfalse\n", "False"},
      {"0", "0"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"12", "12"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854775808"},
      {"-123456789012345678901234567890", "-123456789012345678901234567890"},
      {"1.0", "1.0"},
      {"1e2", "100.0"},
      {"1E+2", "100.0"},
      {"-2.5e-3", "-0.0025"},
      {"1e999", "inf"},
      {"-1e999", "-inf"},
      {"1e-999", "0.0"},
      {"-1e-999", "-0.0"},
      {"0e99999999999999999999", "0.0"},
      {"1e-99999999999999999999", "0.0"},
      {"1e99999999999999999999", "inf"},
      {"4.9406564584124654e-324", "5e-324"},
      {"2.4703282292062327e-324", "0.0"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"1.7976931348623159e308", "inf"},
      {"123456789012345678", "123456789012345678"},
      {"\"\"", "''"},
      {"\"text\"", "'text'"},
      {R"("\"\\\/\b\f\n\r\t")", R"('"\\/\x08\x0c\n\r\t')"},
      {R"("\u00e9\u00E9")", "'éé'"},
      {R"("\ud83d\ude00")", "'😀'"},
      {"\"é漢😀\"", "'é漢😀'"},
      {"\"\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80\"", R"('\U0010ffff\ud7ff\ue000')"},
      {R"("\ud800")", R"('\ud800')"},
      {R"("\udc00\ud83d\ud83d\ude00\ud83dx\ud83d\n")", R"('\udc00\ud83d😀\ud83dx\ud83d\n')"},
      {R"("\u0000")", R"('\x00')"},
      {"\"\x7F\"", R"('\x7f')"},
      {"[]", "[]"},
      {"[ ]", "[]"},
      {"{}", "{}"},
      {"{ }", "{}"},
      {"[1, [2, [], {}], \"a\"]", "[1, [2, [], {}], 'a']"},
      {R"({"a": 1, "b": {"a": [null, true]}, "": 0})", "{'a': 1, 'b': {'a': [None, True]}, '': 0}"},
      {R"({"b": 1, "a": 2, "\u0062c": 3})", "{'b': 1, 'a': 2, 'bc': 3}"},
      {std::string(128, '[') + std::string(128, ']'), std::string(128, '[') + std::string(128, ']')},
      {"[\"" + std::string(50, 'x') + "\"]", "['" + std::string(50, 'x') + "']"},
  };
  for (const auto& [text, shown] : texts) {
    for (const JsonMode mode : {JsonMode::kStrict, JsonMode::kLenient}) {
      for (const std::size_t block_bytes : kBlockSizes) {
        CAPTURE(text, block_bytes);
        const JsonDocument document = read_text(text, mode, block_bytes);
        CHECK(python_repr(document.root()) == shown);
        CHECK(document.observations.empty());
      }
    }
  }
}

TEST_CASE("a number with a point of a million digits away is rounded, not refused") {
  const std::string zeros(1'000'000, '0');
  CHECK(read_text("0." + zeros + "1e1000001", JsonMode::kStrict).root().real() == 1.0);
  CHECK(read_text("0." + zeros + "1", JsonMode::kStrict).root().real() == 0.0);
  CHECK(read_text("1" + zeros + ".0", JsonMode::kStrict).root().real() == std::numeric_limits<double>::infinity());
  CHECK(read_text("1" + zeros + "e-1000000", JsonMode::kStrict).root().real() == 1.0);
}

TEST_CASE("every value has its line and column") {
  const std::string text = "{\n  \"a\": [1,\r\n    2.5],\n\n\"é\": \"x\", \"c\": null}";
  for (const std::size_t block_bytes : kBlockSizes) {
    const JsonDocument document = read_text(text, JsonMode::kStrict, block_bytes);
    const auto place = [&](Value value) {
      const Place found = document.place_of(value);
      return std::vector<std::uint64_t>{found.offset, found.line, found.column};
    };
    using Numbers = std::vector<std::uint64_t>;
    const Value root = document.root();
    CHECK(place(root) == Numbers{0, 1, 1});
    CHECK(place(root.key_at(0)) == Numbers{4, 2, 3});
    CHECK(place(root.get("a")) == Numbers{9, 2, 8});
    CHECK(place(root.get("a").at(0)) == Numbers{10, 2, 9});
    CHECK(place(root.get("a").at(1)) == Numbers{18, 3, 5});
    CHECK(place(root.key_at(1)) == Numbers{25, 5, 1});
    CHECK(place(root.get("é")) == Numbers{31, 5, 7});
    CHECK(place(root.get("c")) == Numbers{41, 5, 17});
    CHECK(place(Value()) == Numbers{0, 0, 0});
  }
}

TEST_CASE("places beyond the lines that are kept have line 0, not a wrong one") {
  const std::string text = "[" + std::string(1'000'005, '\n') + "1]";
  const JsonDocument document = read_text(text, JsonMode::kStrict);
  const Place place = document.place_of(document.root().at(0));
  CHECK(place.offset == 1'000'006);
  CHECK(place.line == 0);
  CHECK(place.column == 0);
  CHECK(document.place_of(document.root()).line == 1);
  const Problem problem = problem_of([&] { static_cast<void>(read_text(text + "x", JsonMode::kStrict)); });
  CHECK(problem.line == 1'000'006);
  CHECK(problem.column == 3);
}

TEST_CASE("limits are met exactly") {
  JsonLimits limits;
  limits.max_bytes = 5;
  CHECK_NOTHROW(read_text("[1,2]", JsonMode::kStrict, 1U << 20, limits));
  CHECK(limit_of("[1,2] ", limits).expected == "at most 5 bytes of JSON");
  limits = {};
  limits.max_values = 4;
  CHECK_NOTHROW(read_text(R"({"a":[1]})", JsonMode::kStrict, 1U << 20, limits));
  const Problem values = limit_of(R"({"a":[1,2]})", limits);
  CHECK(values.expected == "at most 4 values and keys");
  CHECK(values.column == 9);
  limits = {};
  limits.max_depth = 2;
  CHECK_NOTHROW(read_text("[[1]]", JsonMode::kStrict, 1U << 20, limits));
  CHECK(limit_of("[{\"a\":[]}]", limits).column == 7);
  limits = {};
  limits.max_kept_string_bytes = 4;
  CHECK_NOTHROW(read_text(R"({"abcd":1})", JsonMode::kStrict, 1U << 20, limits));
  CHECK(limit_of(R"({"abcde":1})", limits).expected == "keys of at most 4 bytes");
}

TEST_CASE("a long string is checked to its end and handed over up to the limit, in whole characters") {
  JsonLimits limits;
  limits.max_kept_string_bytes = 5;
  for (const std::size_t block_bytes : kBlockSizes) {
    const auto kept = [&](const std::string& text) {
      return std::string(read_text(text, JsonMode::kStrict, block_bytes, limits).root().text());
    };
    CHECK(kept("\"abcde\"") == "abcde");
    CHECK(kept("\"abcdef\"") == "abcde");
    CHECK(kept("\"abcdé\"") == "abcd");
    CHECK(kept("\"abcédef\"") == "abcé");
    CHECK(kept("\"ab漢漢\"") == "ab漢");
    CHECK(kept("\"abc漢\"") == "abc");
    CHECK(kept("\"a😀😀\"") == "a😀");
    CHECK(kept(R"("ab\u6f22\u6f22")") == "ab漢");
    CHECK(kept(R"("abc\u6f22d")") == "abc");
    CHECK(kept(R"("abcd\nefg")") == "abcd\n");
    CHECK(problem_of([&] { static_cast<void>(kept("\"abcdefg\xFF\"")); }).column == 9);
    CHECK(problem_of([&] { static_cast<void>(kept("\"abcdefg")); }).found == "the end of the text");
  }
}

namespace {

/// Writes each event down.
class Recorder final : public JsonHandler {
 public:
  std::string events;
  void null(Place) override { events += "null "; }
  void boolean(bool value, Place) override { events += value ? "true " : "false "; }
  void integer(std::int64_t value, Place) override { events += std::to_string(value) + " "; }
  void big_integer(std::string_view digits, Place) override { events += "big:" + std::string(digits) + " "; }
  void real(double value, std::string_view text, Place) override {
    events += "real:" + python_repr(value) + "=" + std::string(text) + " ";
  }
  void string(std::string_view utf8, Place) override { events += "'" + std::string(utf8) + "' "; }
  void key(std::string_view utf8, Place place) override {
    events += std::string(utf8) + "@" + std::to_string(place.line) + "," + std::to_string(place.column) + ": ";
  }
  void begin_object(Place) override { events += "{ "; }
  void end_object(Place place) override { events += "}@" + std::to_string(place.offset) + " "; }
  void begin_array(Place) override { events += "[ "; }
  void end_array(Place place) override { events += "]@" + std::to_string(place.offset) + " "; }
};

}  // namespace

TEST_CASE("a handler gets the events in file order, repeated keys included, and the spelling of numbers") {
  const std::string text = "{\"a\": [1, 1.50],\n\"a\": NaN, \"b\": 99999999999999999999}";
  for (const std::size_t block_bytes : kBlockSizes) {
    Recorder recorder;
    JsonLimits limits;
    limits.block_bytes = block_bytes;
    std::vector<JsonObservation> observations;
    parse_json(CopyingSource("t", text), JsonMode::kLenient, recorder, limits, &observations);
    CHECK(recorder.events ==
          "{ a@1,2: [ 1 real:1.5=1.50 ]@14 a@2,1: real:nan=NaN b@2,11: big:99999999999999999999 }@52 ");
    REQUIRE(observations.size() == 1);
    CHECK(observations[0].place.column == 6);
  }
}

TEST_CASE("a file is read like memory, and one that shrinks meanwhile is an error") {
  const TemporaryFolder folder;
  std::string text = "[";
  while (text.size() < 3'000'000) {
    text += "\"some text\", 12345,\n";
  }
  text += "null]";
  const std::string path = folder.write("big.json", text);
  const auto source = open_file(path, "big.json", 1000);
  const JsonDocument from_file = read_json(*source, JsonMode::kStrict);
  CHECK(python_equal(from_file.root(), read_text(text, JsonMode::kStrict).root()));
  std::filesystem::resize_file(path, 2'500'000);
  const Problem problem = problem_of([&] { static_cast<void>(read_json(*source, JsonMode::kStrict)); });
  CHECK(problem.kind == ProblemKind::kUnreadable);
  CHECK_THAT(problem.found, Contains("it shrank"));
}

TEST_CASE("objects of 80,000 keys take time in proportion to their size") {
  const auto seconds_for = [](int count, bool repeat_all) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
      text += "\"model.layers.weight." + std::to_string(100'000 + (repeat_all ? i / 2 : i)) + "\": 0,";
    }
    text.back() = '}';
    const auto start = std::chrono::steady_clock::now();
    const JsonDocument document = read_text(text, JsonMode::kLenient);
    CHECK(document.root().size() == static_cast<std::size_t>(repeat_all ? count / 2 : count));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // 3e9 comparisons, as a quadratic search would take, are seconds on any machine, sanitizers aside.
  CHECK(seconds_for(80'000, false) < 2.0);
  CHECK(seconds_for(80'000, true) < 2.0);
}
