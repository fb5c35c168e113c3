// SPDX-License-Identifier: Apache-2.0
// Python's ==. Pairs are written as JSON texts or built where JSON has no such value.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_reader.h"
#include "core/python_value.h"
#include "json_test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;

namespace {

bool equal_json(std::string_view a, std::string_view b) {
  const JsonDocument left = read_text(a, JsonMode::kLenient);
  const JsonDocument right = read_text(b, JsonMode::kLenient);
  const bool forward = python_equal(left.root(), right.root());
  CHECK(forward == python_equal(right.root(), left.root()));
  return forward;
}

NodeId make(ValueTable& table, Kind kind, const std::vector<NodeId>& items) {
  const NodeId id = table.add_container(kind);
  table.set_items(id, items);
  return id;
}

}  // namespace

TEST_CASE("values that are equal in Python") {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"null", "null"},
      {"true", "1"},
      {"1", "1.0"},
      {"true", "1.0"},
      {"false", "-0.0"},
      {"0.0", "-0.0"},
      {"1e999", "Infinity"},
      {"9007199254740992", "9007199254740992.0"},
      {"-9223372036854775808", "-9223372036854775808.0"},
      {"9223372036854775808", "9223372036854775808.0"},
      {"-100000000000000000000", "-1e20"},
      {"100000000000000000000000", "100000000000000000000000"},
      {"\"a\"", "\"\\u0061\""},
      {"[1, [true, 2.0]]", "[1.0, [1, 2]]"},
      {"{\"a\": 1, \"b\": [2]}", "{\"b\": [2.0], \"a\": true}"},
      {"{}", "{}"},
      {"[]", "[]"},
  };
  for (const auto& [a, b] : pairs) {
    CAPTURE(a, b);
    CHECK(equal_json(a, b));
  }
}

TEST_CASE("values that are not") {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"null", "false"},
      {"null", "0"},
      {"\"\"", "null"},
      {"1", "\"1\""},
      {"1", "2"},
      {"1", "1.5"},
      {"NaN", "NaN"},
      {"9007199254740993", "9007199254740992.0"},
      {"9223372036854775807", "9223372036854775808.0"},
      {"9223372036854775808", "9223372036854775809"},
      {"100000000000000000000000", "1e23"},
      {"99999999999999999999", "-99999999999999999999"},
      {"99999999999999999999", "Infinity"},
      {"Infinity", "-Infinity"},
      {"\"a\"", "\"A\""},
      {"[1]", "[1, 1]"},
      {"[1, 2]", "[2, 1]"},
      {"[]", "{}"},
      {"[]", "\"\""},
      {"[[1]]", "[[2]]"},
      {"{\"a\": 1}", "{\"a\": 2}"},
      {"{\"a\": 1}", "{\"b\": 1}"},
      {"{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"c\": 2}"},
      {"{\"a\": 1}", "{\"a\": 1, \"b\": 2}"},
  };
  for (const auto& [a, b] : pairs) {
    CAPTURE(a, b);
    CHECK_FALSE(equal_json(a, b));
  }
}

TEST_CASE("comparison with a C++ number or text") {
  const auto root = [](const char* json) { return read_text(json, JsonMode::kLenient); };
  CHECK(python_equal(root("8").root(), 8));
  CHECK(python_equal(root("8.0").root(), 8));
  CHECK(python_equal(root("true").root(), 1));
  CHECK_FALSE(python_equal(root("\"8\"").root(), 8));
  CHECK_FALSE(python_equal(root("8.5").root(), 8));
  CHECK_FALSE(python_equal(root("NaN").root(), 0));
  CHECK_FALSE(python_equal(root("null").root(), 0));
  CHECK(python_equal(root("\"text\"").root(), "text"));
  CHECK_FALSE(python_equal(root("\"text\"").root(), "Text"));
  CHECK_FALSE(python_equal(root("1").root(), "1"));
  CHECK_FALSE(python_equal(Value(), 0));
  CHECK_FALSE(python_equal(Value(), ""));
  CHECK_FALSE(python_equal(Value(), Value()));
  CHECK_FALSE(python_equal(root("null").root(), Value()));
  ValueTable table;
  CHECK(python_equal(Value(table, table.add_complex(3, 0)), 3));
  CHECK_FALSE(python_equal(Value(table, table.add_complex(3, 1)), 3));
}

TEST_CASE("kinds that JSON has not") {
  ValueTable table;
  const NodeId one = table.add_integer(1);
  const NodeId one_real = table.add_real(1);
  const NodeId two = table.add_integer(2);
  const NodeId text = table.add_text(Kind::kString, "a");
  const NodeId nan = table.add_real(std::nan(""));
  const auto equal = [&](NodeId a, NodeId b) { return python_equal(Value(table, a), Value(table, b)); };
  CHECK_FALSE(equal(make(table, Kind::kList, {one}), make(table, Kind::kTuple, {one})));
  CHECK(equal(make(table, Kind::kTuple, {one}), make(table, Kind::kTuple, {one_real})));
  CHECK(equal(make(table, Kind::kSet, {one, text}), make(table, Kind::kFrozenSet, {text, one_real})));
  CHECK_FALSE(equal(make(table, Kind::kSet, {one, two}), make(table, Kind::kSet, {one, text})));
  CHECK_FALSE(equal(make(table, Kind::kSet, {one}), make(table, Kind::kSet, {one, text})));
  CHECK_FALSE(equal(text, table.add_text(Kind::kBytes, "a")));
  CHECK(equal(one, table.add_complex(1, 0)));
  CHECK(equal(table.add_complex(0.5, 2), table.add_complex(0.5, 2)));
  CHECK_FALSE(equal(table.add_complex(1, 2), table.add_complex(1, -2)));
  CHECK_FALSE(equal(one, table.add_complex(1, 1)));
  const NodeId nan_complex = table.add_complex(0, std::nan(""));
  CHECK_FALSE(equal(nan_complex, nan_complex));
  CHECK(equal(table.add_ellipsis(), table.add_ellipsis()));
  CHECK(equal(table.add_index(Kind::kTensor, 3), table.add_index(Kind::kTensor, 3)));
  CHECK_FALSE(equal(table.add_index(Kind::kTensor, 3), table.add_index(Kind::kTensor, 4)));
  CHECK_FALSE(equal(table.add_index(Kind::kTensor, 3), table.add_index(Kind::kOpaque, 3)));
  // "is" comes before "==" inside containers, and only there.
  CHECK_FALSE(equal(nan, nan));
  CHECK(equal(make(table, Kind::kList, {nan}), make(table, Kind::kList, {nan})));
  CHECK_FALSE(equal(make(table, Kind::kList, {nan}), make(table, Kind::kList, {table.add_real(std::nan(""))})));
}

TEST_CASE("keys of dicts are equal across number types and inside tuples") {
  ValueTable table;
  const NodeId one = table.add_integer(1);
  const NodeId yes = table.add_boolean(true);
  const NodeId half = table.add_real(0.5);
  const NodeId two_real = table.add_real(2);
  const NodeId two = table.add_integer(2);
  const NodeId text = table.add_text(Kind::kString, "a");
  const auto equal = [&](const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
    return python_equal(Value(table, make(table, Kind::kDict, a)), Value(table, make(table, Kind::kDict, b)));
  };
  CHECK(equal({one, text, half, one, two_real, one}, {two, one, yes, text, half, yes}));
  CHECK_FALSE(equal({one, text}, {two, text}));
  CHECK(equal({make(table, Kind::kTuple, {one, text}), one, text, two},
              {text, two, make(table, Kind::kTuple, {yes, text}), one}));
  CHECK_FALSE(equal({make(table, Kind::kTuple, {one, text}), one}, {make(table, Kind::kTuple, {text, one}), one}));
  CHECK(equal({make(table, Kind::kFrozenSet, {one, text}), one}, {make(table, Kind::kFrozenSet, {text, yes}), one}));
  CHECK_FALSE(equal({table.add_text(Kind::kBytes, "a"), one}, {text, one}));
  CHECK_FALSE(equal({table.add_real(std::nan("")), one}, {table.add_real(std::nan("")), one}));
  CHECK(equal({table.add_big_integer("100000000000000000000"), one}, {table.add_real(1e20), one}));
  CHECK(equal({table.add_null(), one, table.add_ellipsis(), two}, {table.add_ellipsis(), two, table.add_null(), one}));
}

TEST_CASE("large dicts in another order are compared in moderate time") {
  std::string forward = "{";
  std::string backward = "{";
  for (int i = 0; i < 80'000; ++i) {
    forward += "\"key" + std::to_string(i) + "\": " + std::to_string(i) + ",";
    backward += "\"key" + std::to_string(79'999 - i) + "\": " + std::to_string(79'999 - i) + ",";
  }
  forward.back() = backward.back() = '}';
  const auto start = std::chrono::steady_clock::now();
  CHECK(equal_json(forward, backward));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("shared parts and cycles are compared once, and endless keys are refused") {
  const auto tower = [](ValueTable& table, std::int64_t bottom) {
    NodeId level = make(table, Kind::kList, {table.add_integer(bottom)});
    for (int i = 0; i < 60; ++i) {
      level = make(table, Kind::kList, {level, level});
    }
    return level;
  };
  ValueTable a;
  ValueTable b;
  const NodeId tower_a = tower(a, 1);
  const NodeId tower_b = tower(b, 1);
  CHECK(python_equal(Value(a, tower_a), Value(b, tower_b)));
  const NodeId other = tower(b, 2);
  CHECK_FALSE(python_equal(Value(a, tower_a), Value(b, other)));

  const auto loop = [](ValueTable& table) {
    const NodeId list = table.add_container(Kind::kList);
    table.append(list, list);
    return list;
  };
  const NodeId loop_a = loop(a);
  const NodeId loop_b = loop(b);
  CHECK(python_equal(Value(a, loop_a), Value(b, loop_b)));

  const auto tuple_tower = [](ValueTable& table) {
    NodeId level = make(table, Kind::kTuple, {table.add_integer(1)});
    for (int i = 0; i < 60; ++i) {
      level = make(table, Kind::kTuple, {level, level});
    }
    return make(table, Kind::kSet, {level});
  };
  const NodeId set_a = tuple_tower(a);
  const NodeId set_b = tuple_tower(b);
  CHECK_THROWS_AS(python_equal(Value(a, set_a), Value(b, set_b)), ArtifactError);
}
