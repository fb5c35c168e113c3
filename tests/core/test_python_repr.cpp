// SPDX-License-Identifier: Apache-2.0
// repr() and str(). The expected texts were printed by CPython 3.11.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
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

TEST_CASE("repr of floats") {
  const std::vector<std::pair<double, std::string>> values = {
      {0x1.999999999999ap-4, "0.1"},
      {0x1.1c37937e08000p+53, "1e+16"},
      {0x1.c6bf526340000p+49, "1000000000000000.0"},
      {0x1.1c37937e07fffp+53, "9999999999999998.0"},
      {0x1.aa535d3d0c000p+53, "1.5e+16"},
      {0x1.a36e2eb1c432dp-14, "0.0001"},
      {0x1.02e4b6ce5dc68p-13, "0.00012345"},
      {0x1.a36371ea531a8p-14, "9.999e-05"},
      {0x1.4f8b588e368f1p-17, "1e-05"},
      {0x1.0f0cf064dd592p+73, "1e+22"},
      {0x1.52d02c7e14af6p+76, "1e+23"},
      {0x0.0000000000001p-1022, "5e-324"},
      {0x1.0000000000000p-1022, "2.2250738585072014e-308"},
      {0x1.fffffffffffffp+1023, "1.7976931348623157e+308"},
      {0x1.d6f3454800000p+26, "123456789.125"},
      {0x1.5555555555555p-1, "0.6666666666666666"},
      {0x1.9000000000000p+6, "100.0"},
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {0x1.249ad2594c37dp+332, "1e+100"},
      {-0x1.ad7f29abcaf48p-24, "-1e-07"},
      {0x1p53, "9007199254740992.0"},
      {0x1p70, "1.1805916207174113e+21"},
      {0x1.1666666666666p+2, "4.35"},
      {0x1.07e1fe91b0b70p-33, "1.2e-10"},
      {std::numeric_limits<double>::infinity(), "inf"},
      {-std::numeric_limits<double>::infinity(), "-inf"},
      {std::numeric_limits<double>::quiet_NaN(), "nan"},
      {-std::numeric_limits<double>::quiet_NaN(), "nan"},
  };
  for (const auto& [value, text] : values) {
    CHECK(python_repr(value) == text);
  }
}

TEST_CASE("repr of strings") {
  const std::vector<std::pair<std::string_view, std::string>> texts = {
      {"", "''"},
      {"a", "'a'"},
      {"it's", R"("it's")"},
      {R"(say "x")", R"('say "x"')"},
      {R"(it's "x")", R"('it\'s "x"')"},
      {R"(a\b)", R"('a\\b')"},
      {"\n\r\t\x0b\x01\x7f", R"('\n\r\t\x0b\x01\x7f')"},
      {"\0"sv, R"('\x00')"},
      {"é漢😀", "'é漢😀'"},
      {"\u00A0\u00AD\u200B\u2028\uE000\U000E0001\u0378", R"('\xa0\xad\u200b\u2028\ue000\U000e0001\u0378')"},
      {"\xED\xA0\x80", R"('\ud800')"},
      // No text of ours has such bytes; messages may quote them.
      {"a\xFF\xC3", R"('a\xff\xc3')"},
      {"\xC0\xAF\xF4\x90\x80\x80", R"('\xc0\xaf\xf4\x90\x80\x80')"},
  };
  for (const auto& [text, shown] : texts) {
    CHECK(python_repr(text) == shown);
  }
}

TEST_CASE("repr of bytes and complex numbers") {
  ValueTable table;
  const auto bytes = [&](std::string_view text) {
    return python_repr(Value(table, table.add_text(Kind::kBytes, text)));
  };
  CHECK(bytes("") == "b''");
  CHECK(bytes("it's") == R"(b"it's")");
  CHECK(bytes("a\"'") == R"(b'a"\'')");
  CHECK(bytes("\0\xFF\n\\~\x7F"sv) == R"(b'\x00\xff\n\\~\x7f')");
  const auto complex = [&](double real, double imaginary) {
    return python_repr(Value(table, table.add_complex(real, imaginary)));
  };
  CHECK(complex(1, 2) == "(1+2j)");
  CHECK(complex(0, 2) == "2j");
  CHECK(complex(-0.0, -0.0) == "(-0-0j)");
  CHECK(complex(0, -1.5) == "-1.5j");
  CHECK(complex(1e20, -0.0) == "(1e+20-0j)");
  CHECK(complex(std::nan(""), std::numeric_limits<double>::infinity()) == "(nan+infj)");
}

TEST_CASE("repr of containers, and str()") {
  ValueTable table;
  const auto container = [&](Kind kind, const std::vector<NodeId>& items) {
    const NodeId id = table.add_container(kind);
    table.set_items(id, items);
    return id;
  };
  const NodeId one = table.add_integer(1);
  const NodeId text = table.add_text(Kind::kString, "a");
  const auto shown = [&](NodeId id) { return python_repr(Value(table, id)); };
  CHECK(shown(container(Kind::kList, {})) == "[]");
  CHECK(shown(container(Kind::kList, {one, text})) == "[1, 'a']");
  CHECK(shown(container(Kind::kTuple, {})) == "()");
  CHECK(shown(container(Kind::kTuple, {one})) == "(1,)");
  CHECK(shown(container(Kind::kTuple, {one, one})) == "(1, 1)");
  CHECK(shown(container(Kind::kSet, {})) == "set()");
  CHECK(shown(container(Kind::kSet, {one})) == "{1}");
  CHECK(shown(container(Kind::kFrozenSet, {})) == "frozenset()");
  CHECK(shown(container(Kind::kFrozenSet, {one, text})) == "frozenset({1, 'a'})");
  CHECK(shown(container(Kind::kDict, {})) == "{}");
  CHECK(shown(container(Kind::kDict, {text, one, one, container(Kind::kDict, {one, text})})) ==
        "{'a': 1, 1: {1: 'a'}}");
  CHECK(shown(table.add_ellipsis()) == "Ellipsis");
  CHECK(shown(table.add_text(Kind::kType, "torch.float32")) == "torch.float32");
  CHECK(shown(table.add_null()) == "None");
  CHECK(shown(table.add_boolean(false)) == "False");
  CHECK(shown(table.add_big_integer("99999999999999999999")) == "99999999999999999999");
  CHECK(python_str(Value(table, text)) == "a");
  CHECK(python_str(Value(table, container(Kind::kList, {text}))) == "['a']");
  CHECK(python_str(Value(table, one)) == "1");
  CHECK(python_repr(Value()) == "None");
}

TEST_CASE("repr of a graph that contains itself ends as Python's does, one that unfolds without end is cut") {
  ValueTable table;
  const NodeId list = table.add_container(Kind::kList);
  table.append(list, table.add_integer(1));
  table.append(list, list);
  CHECK(python_repr(Value(table, list)) == "[1, [...]]");

  const NodeId inner = table.add_container(Kind::kList);
  const NodeId tuple = table.add_container(Kind::kTuple);
  table.append(tuple, inner);
  table.append(inner, tuple);
  CHECK(python_repr(Value(table, tuple)) == "([(...)],)");

  const NodeId shared = table.add_container(Kind::kList);
  const NodeId twice = table.add_container(Kind::kList);
  table.append(twice, shared);
  table.append(twice, shared);
  CHECK(python_repr(Value(table, twice)) == "[[], []]");

  NodeId level = table.add_container(Kind::kList);
  for (int i = 0; i < 60; ++i) {
    const NodeId next = table.add_container(Kind::kList);
    table.append(next, level);
    table.append(next, level);
    level = next;
  }
  const std::string cut = python_repr(Value(table, level));
  CHECK(cut.size() < 100'000);
  CHECK(cut.substr(cut.size() - 3) == "...");
}
