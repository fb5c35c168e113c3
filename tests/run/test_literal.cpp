// SPDX-License-Identifier: Apache-2.0
// Literals of the run log. Each row of the first table was compared once with CPython 3.11: ast.literal_eval of the
// text, the names inf and nan read as floats; the second column is the repr of its answer, nullptr where it refuses.
#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "core/python_key.h"
#include "core/python_value.h"
#include "run/literal.h"

namespace rlverify::run {
namespace {

using core::Kind;
using core::Value;
using core::ValueTable;

struct Case {
  const char* text;
  const char* repr;
};

const Case kAsPython[] = {
#include "run/python_literals.inc"
};

/// Read by us alone: numpy's scalars and JSON's names for what is not finite.
const Case kOursOnly[] = {
    {"{'a': np.float64(0.5)}", "{'a': 0.5}"},
    {"{'a': np.float32(-1e-07)}", "{'a': -1e-07}"},
    {"{'a': numpy.int64(8)}", "{'a': 8}"},
    {"{'a': np.int64(-8)}", "{'a': -8}"},
    {"{'a': np.True_, 'b': np.False_}", "{'a': True, 'b': False}"},
    {"{'a': np.bool_(True)}", "{'a': True}"},
    {"{'a': np.float64(nan), 'b': np.float32(inf), 'c': np.float32(-inf)}", "{'a': nan, 'b': inf, 'c': -inf}"},
    {"{'a': np.inf}", "{'a': inf}"},
    {"{'a': [np.float64(1.0), (np.int32(2),)]}", "{'a': [1.0, (2,)]}"},
    {"{'a': Infinity, 'b': -Infinity, 'c': NaN}", "{'a': inf, 'b': -inf, 'c': nan}"},
};

const char* const kRefusedByBoth[] = {
    "{'a': np.array([1])}",
    "{'a': np.float64('x')}",
    "{'a': np.float64()}",
    "{'a': np.float64(1, 2)}",
    "{'a': np.float64(1}",
    "{'a': np}",
    "{'a': np.}",
    "{'a': np.1}",
    "{'a': torch.float32(1)}",
    "{'a': np.float64(np)}",
    "{'a': np.nonsense}",
    "{'a': -np.True_}",
};

/// repr, or "" when the text is refused.
std::string read(const std::string& text, bool& public_accepts) {
  ValueTable table;
  const Literal literal = parse_literal(text, table);
  public_accepts = literal.public_accepts;
  CHECK(literal.problem.empty() == (literal.root != core::kNoNode));
  return literal.root == core::kNoNode ? "" : core::python_repr(Value(table, literal.root));
}

}  // namespace

TEST_CASE("Literals are read as Python reads them") {
  for (const Case& row : kAsPython) {
    CAPTURE(row.text);
    bool public_accepts = false;
    const std::string repr = read(row.text, public_accepts);
    if (row.repr == nullptr && public_accepts) {
      FAIL_CHECK("accepted as " << repr);
    } else if (row.repr != nullptr) {
      CHECK(repr == row.repr);
      CHECK(public_accepts);
    }
  }
}

TEST_CASE("numpy scalars and JSON's names are read, and marked as not public") {
  for (const Case& row : kOursOnly) {
    CAPTURE(row.text);
    bool public_accepts = true;
    CHECK(read(row.text, public_accepts) == row.repr);
    CHECK_FALSE(public_accepts);
  }
  for (const char* const text : kRefusedByBoth) {
    CAPTURE(text);
    bool public_accepts = true;
    CHECK(read(text, public_accepts).empty());
    CHECK_FALSE(public_accepts);
  }
}

TEST_CASE("A refusal says where and why") {
  ValueTable table;
  const Literal literal = parse_literal("{'a': 1 2}", table);
  CHECK(literal.problem == "at byte 8: expected ','");
  CHECK(parse_literal(std::string("{'a': 1\0}", 9), table).problem == "a NUL byte");
}

TEST_CASE("Brackets nest to Python's depth and no deeper") {
  ValueTable table;
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_literal(nested(200), table).root != core::kNoNode);
  CHECK(parse_literal(nested(201), table).root == core::kNoNode);
  CHECK(parse_literal(std::string(100'000, '('), table).root == core::kNoNode);
  CHECK(parse_literal(std::string(100'000, '-') + "1", table).root == core::kNoNode);
}

TEST_CASE("Integers keep all their digits up to Python's limit") {
  ValueTable table;
  const std::string longest(4300, '9');
  const Literal literal = parse_literal(longest, table);
  REQUIRE(literal.root != core::kNoNode);
  CHECK(Value(table, literal.root).text() == longest);
  CHECK(parse_literal(longest + "9", table).root == core::kNoNode);
}

TEST_CASE("Keys are equal as in Python") {
  ValueTable table;
  const auto key = [&table](const char* text) {
    const Literal literal = parse_literal(text, table);
    REQUIRE(literal.root != core::kNoNode);
    const Value value(table, literal.root);
    return core::is_hashable(value) ? std::optional(core::python_key(value)) : std::nullopt;
  };
  CHECK(key("1") == key("True"));
  CHECK(key("1") == key("1.0"));
  CHECK(key("1") == key("1+0j"));
  CHECK(key("0") == key("-0.0"));
  CHECK(key("10000000000000000000000") == key("1e22"));
  CHECK(key("'1'") != key("1"));
  CHECK(key("'x'") != key("b'x'"));
  CHECK(key("None") != key("'N'"));
  CHECK(key("(1, 2)") == key("(True, 2.0)"));
  CHECK(key("(1, (2, 3))") != key("((1, 2), 3)"));
  CHECK(key("('ab', 'c')") != key("('a', 'bc')"));
  CHECK(key("nan") != key("nan"));
  CHECK_FALSE(key("[1]"));
  CHECK_FALSE(key("{}"));
  CHECK_FALSE(key("{1}"));
  CHECK_FALSE(key("(1, [2])"));
}

}  // namespace rlverify::run
