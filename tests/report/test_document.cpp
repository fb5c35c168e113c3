// SPDX-License-Identifier: Apache-2.0
// JSON text against what Python's json.dumps(indent=2) writes, and copies of values that JSON has no form for.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/errors.h"
#include "report/document.h"
#include "report/report_support.h"

using namespace rlverify;
using report::Document;
using report::KeyOrder;

namespace {

std::string round_trip(std::string_view text, KeyOrder order = KeyOrder::kAsBuilt) {
  return report::to_json(report::test::json(text).root(), order);
}

std::string number(double value) {
  Document document;
  document.set_root(document.real(value));
  return report::to_json(document.root(), KeyOrder::kAsBuilt);
}

}  // namespace

TEST_CASE("numbers are laid out as Python's repr") {
  CHECK(number(0.0) == "0.0");
  CHECK(number(-0.0) == "-0.0");
  CHECK(number(5e-07) == "5e-07");
  CHECK(number(0.0001) == "0.0001");
  CHECK(number(1e15) == "1000000000000000.0");
  CHECK(number(1e16) == "1e+16");
  CHECK(number(3.9848928281571716e-05) == "3.9848928281571716e-05");
  CHECK(number(std::nan("")) == "null");
  CHECK(number(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("integers keep every digit") {
  Document document;
  document.set_root(document.array({document.unsigned_integer(18446744073709551615ULL), document.unsigned_integer(7),
                                    document.integer(std::numeric_limits<std::int64_t>::min()),
                                    document.big_integer("-170141183460469231731687303715884105728")}));
  CHECK(report::to_json(document.root(), KeyOrder::kAsBuilt, 0) ==
        "[\n18446744073709551615,\n7,\n-9223372036854775808,\n-170141183460469231731687303715884105728\n]");
}

TEST_CASE("empty containers stay on their line") {
  CHECK(round_trip(R"({"a": [], "b": {}, "c": [[], {}]})") ==
        "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    [],\n    {}\n  ]\n}");
}

TEST_CASE("text beyond printable ASCII is escaped") {
  CHECK(round_trip(R"("\u0000\b\t\n\f\r\u001f \"\\/\u007f\u00e9\u20ac\ud83d\ude42")") ==
        R"("\u0000\b\t\n\f\r\u001f \"\\/\u007f\u00e9\u20ac\ud83d\ude42")");
  CHECK(round_trip("\"\xC3\xA9\xF0\x9F\x99\x82\"") == R"("\u00e9\ud83d\ude42")");
  CHECK(round_trip(R"("\udc00\ud800 a")") == R"("\udc00\ud800 a")");
}

TEST_CASE("sorted keys go by code point on every level") {
  CHECK(round_trip(R"({"b": {"z": 1, "A": 2}, "a": 3, "\uffff": 4, "\ud83d\ude42": 5, "": 6})", KeyOrder::kSorted) ==
        "{\n  \"\": 6,\n  \"a\": 3,\n  \"b\": {\n    \"A\": 2,\n    \"z\": 1\n  },\n  \"\\uffff\": 4,\n  "
        "\"\\ud83d\\ude42\": 5\n}");
}

TEST_CASE("a copy gives Python's values a JSON form") {
  core::ValueTable table;
  const core::NodeId tuple = table.add_container(core::Kind::kTuple);
  table.append(tuple, table.add_real(std::nan("")));
  table.append(tuple, table.add_big_integer("99999999999999999999"));
  table.append(tuple, table.add_text(core::Kind::kBytes, "a"));
  table.append(tuple, table.add_ellipsis());
  const core::NodeId set = table.add_container(core::Kind::kSet);
  for (const char* text : {"b", "a"}) {
    table.append(set, table.add_text(core::Kind::kString, text));
  }
  for (const std::int64_t value : {10, 9}) {
    table.append(set, table.add_integer(value));
  }
  table.append(tuple, set);
  const core::NodeId dict = table.add_container(core::Kind::kDict);
  table.append_entry(dict, table.add_integer(1), table.add_text(core::Kind::kString, "first"));
  table.append_entry(dict, table.add_null(), table.add_boolean(true));
  table.append_entry(dict, table.add_real(0.5), table.add_null());
  table.append_entry(dict, table.add_text(core::Kind::kString, "1"), table.add_text(core::Kind::kString, "last"));
  table.append(tuple, dict);
  Document document;
  document.set_root(document.copy(core::Value(table, tuple)));
  CHECK(report::to_json(document.root(), KeyOrder::kAsBuilt, 0) ==
        "[\nnull,\n99999999999999999999,\n\"b'a'\",\n\"Ellipsis\",\n[\n9,\n10,\n\"a\",\n\"b\"\n],\n{\n\"1\": "
        "\"last\",\n\"null\": true,\n\"0.5\": null\n}\n]");
}

TEST_CASE("a copy of a value that contains itself ends") {
  core::ValueTable table;
  const core::NodeId list = table.add_container(core::Kind::kList);
  table.append(list, list);
  Document document;
  CHECK_THROWS_AS(document.copy(core::Value(table, list)), core::ArtifactError);
}

TEST_CASE("a copy of a graph that is exponentially large as a tree ends") {
  core::ValueTable table;
  core::NodeId node = table.add_null();
  for (int level = 0; level < 60; ++level) {
    const core::NodeId list = table.add_container(core::Kind::kList);
    table.append(list, node);
    table.append(list, node);
    node = list;
  }
  Document document;
  CHECK_THROWS_AS(document.copy(core::Value(table, node)), core::ArtifactError);
}
