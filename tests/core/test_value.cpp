// SPDX-License-Identifier: Apache-2.0
// The table of values: what is put in comes out, and every question to an absent value or one of another kind is
// answered with no.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "core/value.h"

using namespace rlverify::core;

TEST_CASE("scalars keep value, kind and place") {
  ValueTable table;
  const Value null(table, table.add_null(1));
  const Value truth(table, table.add_boolean(true, 2));
  const Value lie(table, table.add_boolean(false, 3));
  const Value integer(table, table.add_integer(std::numeric_limits<std::int64_t>::min(), 4));
  const Value big(table, table.add_big_integer("-123456789012345678901234567890", 5));
  const Value real(table, table.add_real(-0.5, 6));
  const Value complex(table, table.add_complex(1.5, -2, 7));
  const Value string(table, table.add_text(Kind::kString, std::string_view("a\0b", 3), 8));
  const Value bytes(table, table.add_text(Kind::kBytes, "\xFF", 9));
  const Value type(table, table.add_text(Kind::kType, "torch.float32", 10));
  const Value tensor(table, table.add_index(Kind::kTensor, 41, 11));
  const Value ellipsis(table, table.add_ellipsis(12));
  CHECK(null.kind() == Kind::kNull);
  CHECK(truth.is_true());
  CHECK_FALSE(lie.is_true());
  CHECK(lie.is(Kind::kBoolean));
  CHECK(integer.integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(big.text() == "-123456789012345678901234567890");
  CHECK(real.real() == -0.5);
  CHECK(table.real(table.items(complex.id())[0]) == 1.5);
  CHECK(table.real(table.items(complex.id())[1]) == -2);
  CHECK(string.text() == std::string_view("a\0b", 3));
  CHECK(bytes.text() == "\xFF");
  CHECK(type.text() == "torch.float32");
  CHECK(tensor.index() == 41);
  CHECK(ellipsis.is(Kind::kEllipsis));
  std::uint32_t place = 0;
  for (const Value& value : {null, truth, lie, integer, big, real, complex, string, bytes, type, tensor, ellipsis}) {
    CHECK(value.place() == ++place);
  }
}

TEST_CASE("containers keep order and answer by index and by key") {
  ValueTable table;
  const NodeId list = table.add_container(Kind::kList);
  const NodeId tuple = table.add_container(Kind::kTuple);
  const NodeId dict = table.add_container(Kind::kDict);
  const NodeId one = table.add_integer(1);
  const NodeId key = table.add_text(Kind::kString, "key");
  table.append(list, one);
  table.append(list, key);
  table.append(tuple, list);
  table.append_entry(dict, table.add_integer(7), one);
  table.append_entry(dict, key, tuple);
  CHECK(Value(table, list).size() == 2);
  CHECK(Value(table, list).at(1).text() == "key");
  CHECK_FALSE(Value(table, list).at(2).present());
  CHECK(Value(table, dict).size() == 2);
  CHECK(Value(table, dict).key_at(0).integer() == 7);
  CHECK(Value(table, dict).value_at(0).integer() == 1);
  CHECK(Value(table, dict).get("key").at(0).at(0).integer() == 1);
  CHECK_FALSE(Value(table, dict).get("7").present());
  CHECK_FALSE(Value(table, dict).key_at(2).present());
  CHECK_FALSE(Value(table, dict).value_at(2).present());
  CHECK_FALSE(Value(table, dict).at(0).present());
  table.set_item(list, 0, key);
  CHECK(Value(table, list).at(0).text() == "key");
  table.set_items(list, std::vector<NodeId>{one});
  CHECK(Value(table, list).size() == 1);
  CHECK(Value(table, list).at(0).integer() == 1);
  CHECK(Value(table, list).is_sequence());
  CHECK(Value(table, tuple).is_sequence());
  CHECK_FALSE(Value(table, tuple).is_list());
}

TEST_CASE("path follows keys and ends absent at the first that is missing") {
  ValueTable table;
  const NodeId outer = table.add_container(Kind::kDict);
  const NodeId inner = table.add_container(Kind::kDict);
  table.append_entry(outer, table.add_text(Kind::kString, "a"), inner);
  table.append_entry(inner, table.add_text(Kind::kString, "b"), table.add_integer(5));
  const Value root(table, outer);
  CHECK(root.path({"a", "b"}).integer() == 5);
  CHECK(root.path({}).id() == outer);
  CHECK_FALSE(root.path({"a", "c"}).present());
  CHECK_FALSE(root.path({"b", "a"}).present());
  CHECK_FALSE(root.path({"a", "b", "c"}).present());
}

TEST_CASE("an absent value answers every question with no") {
  const Value absent;
  ValueTable table;
  CHECK_FALSE(Value(table, kNoNode).present());
  CHECK_FALSE(absent);
  CHECK(absent.kind() == Kind::kNull);
  CHECK_FALSE(absent.is(Kind::kNull));
  CHECK_FALSE(absent.is_dict());
  CHECK_FALSE(absent.is_true());
  CHECK(absent.text().empty());
  CHECK(absent.size() == 0);
  CHECK_FALSE(absent.at(0).present());
  CHECK_FALSE(absent.get("a").present());
  CHECK_FALSE(absent.key_at(0).present());
  CHECK(absent.id() == kNoNode);
}

TEST_CASE("text and items of nodes that have none are empty") {
  ValueTable table;
  const NodeId integer = table.add_integer(3);
  CHECK(table.text(integer).empty());
  CHECK(table.items(integer).empty());
  CHECK(table.find(integer, "a") == kNoNode);
  CHECK(Value(table, integer).size() == 0);
  CHECK_FALSE(Value(table, integer).at(0).present());
}
