// SPDX-License-Identifier: Apache-2.0
// Literals of the run log. Each row of the first table was compared once with CPython 3.11: ast.literal_eval of the text, the names inf and nan read as
// floats; the second column is the repr of its answer, nullptr where it refuses.
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
    {"{}", "{}"},
    {"{'a': 1}", "{'a': 1}"},
    {"{\"a\": 'b', 'c': \"d\"}", "{'a': 'b', 'c': 'd'}"},
    {"{'a': 1,}", "{'a': 1}"},
    {"{,}", nullptr},
    {"{'a' 1}", nullptr},
    {"{'a': }", nullptr},
    {"{'a': 1, 'a': 2, 'b': 3}", "{'a': 2, 'b': 3}"},
    {"{1: 'i', True: 't', 1.0: 'f', 1+0j: 'c'}", "{1: 'c'}"},
    {"{0: 1, -0.0: 2, False: 3}", "{0: 3}"},
    {"{nan: 1, nan: 2}", "{nan: 1, nan: 2}"},
    {"{inf: 1, 1e999: 2}", "{inf: 2}"},
    {"{(1, 'x'): 1, (1.0, 'x'): 2}", "{(1, 'x'): 2}"},
    {"{[1]: 2}", nullptr},
    {"{(1, [2]): 3}", nullptr},
    {"{{1}: 2}", nullptr},
    {"{1, 2, 1.0, True}", "{1, 2}"},
    {"{1, [2]}", nullptr},
    {"{'a': 1} # }", "{'a': 1}"},
    {"{'a': 1 # }", nullptr},
    {"{'k': {'n': {'m': [1, (2,), {3}]}}}", "{'k': {'n': {'m': [1, (2,), {3}]}}}"},
    {"{'i': inf, 'm': -inf, 'n': nan, 'p': +inf}", "{'i': inf, 'm': -inf, 'n': nan, 'p': inf}"},
    {"{'a': Infinity}", nullptr},
    {"{'a': NaN}", nullptr},
    {"{'a': null}", nullptr},
    {"{'a': true}", nullptr},
    {"{'a': None, 'b': True, 'c': False}", "{'a': None, 'b': True, 'c': False}"},
    {"{'a': -True}", nullptr},
    {"{'a': -None}", nullptr},
    {"{'a': -'x'}", nullptr},
    {"{'a': --1}", nullptr},
    {"{'a': -(1)}", "{'a': -1}"},
    {"{'a': -(-1)}", nullptr},
    {"{'a': (1)}", "{'a': 1}"},
    {"{'a': ((1))}", "{'a': 1}"},
    {"{'a': (1,)}", "{'a': (1,)}"},
    {"{'a': (1, 2,)}", "{'a': (1, 2)}"},
    {"{'a': (,)}", nullptr},
    {"{'a': ()}", "{'a': ()}"},
    {"{'a': []}", "{'a': []}"},
    {"{'a': [,]}", nullptr},
    {"{'a': [1,, 2]}", nullptr},
    {"{'a': [1 2]}", nullptr},
    {"{'a': [1, 2,]}", "{'a': [1, 2]}"},
    {"{'a': set()}", "{'a': set()}"},
    {"{'a': set([1])}", nullptr},
    {"{'a': frozenset()}", nullptr},
    {"{'a': set}", nullptr},
    {"{'a': set(())}", nullptr},
    {"{'a': dict()}", nullptr},
    {"{'a': 1_000}", "{'a': 1000}"},
    {"{'a': 1__0}", nullptr},
    {"{'a': 1_}", nullptr},
    {"{'a': _1}", nullptr},
    {"{'a': 0_0}", "{'a': 0}"},
    {"{'a': 00}", "{'a': 0}"},
    {"{'a': 007}", nullptr},
    {"{'a': 0_7}", nullptr},
    {"{'a': 007.5}", "{'a': 7.5}"},
    {"{'a': 09j}", "{'a': 9j}"},
    {"{'a': 0x1F}", "{'a': 31}"},
    {"{'a': 0X_f_F}", "{'a': 255}"},
    {"{'a': 0x}", nullptr},
    {"{'a': 0x1g}", nullptr},
    {"{'a': 0o17}", "{'a': 15}"},
    {"{'a': 0o8}", nullptr},
    {"{'a': 0b101}", "{'a': 5}"},
    {"{'a': 0b2}", nullptr},
    {"{'a': 0xFFFFFFFFFFFFFFFFFF}", "{'a': 4722366482869645213695}"},
    {"{'a': 9223372036854775807}", "{'a': 9223372036854775807}"},
    {"{'a': 9223372036854775808}", "{'a': 9223372036854775808}"},
    {"{'a': -9223372036854775808}", "{'a': -9223372036854775808}"},
    {"{'a': -9223372036854775809}", "{'a': -9223372036854775809}"},
    {"{'a': 123456789012345678901234567890}", "{'a': 123456789012345678901234567890}"},
    {"{'a': 1.}", "{'a': 1.0}"},
    {"{'a': .5}", "{'a': 0.5}"},
    {"{'a': .}", nullptr},
    {"{'a': 1e5}", "{'a': 100000.0}"},
    {"{'a': 1E-07}", "{'a': 1e-07}"},
    {"{'a': 1e}", nullptr},
    {"{'a': 1e+}", nullptr},
    {"{'a': 1_0.0_1e1_0}", "{'a': 100100000000.0}"},
    {"{'a': 1._5}", nullptr},
    {"{'a': 1e_5}", nullptr},
    {"{'a': 1e400}", "{'a': inf}"},
    {"{'a': 1e-400}", "{'a': 0.0}"},
    {"{'a': 5e-324}", "{'a': 5e-324}"},
    {"{'a': 2.2250738585072011e-308}", "{'a': 2.225073858507201e-308}"},
    {"{'a': -0.0}", "{'a': -0.0}"},
    {"{'a': 1.5.5}", nullptr},
    {"{'a': 1 .5}", nullptr},
    {"{'a': 1l}", nullptr},
    {"{'a': 0.1}", "{'a': 0.1}"},
    {"{'a': 2j}", "{'a': 2j}"},
    {"{'a': -2j}", "{'a': (-0-2j)}"},
    {"{'a': 1+2j}", "{'a': (1+2j)}"},
    {"{'a': 1-2j}", "{'a': (1-2j)}"},
    {"{'a': -1+2j}", "{'a': (-1+2j)}"},
    {"{'a': 1+-2j}", nullptr},
    {"{'a': 1+2}", nullptr},
    {"{'a': 1j+2j}", nullptr},
    {"{'a': 2j+1}", nullptr},
    {"{'a': 1+2j+3j}", nullptr},
    {"{'a': (1)+(2j)}", "{'a': (1+2j)}"},
    {"{'a': inf+2j}", "{'a': (inf+2j)}"},
    {"{'a': True+2j}", nullptr},
    {"{'a': 1*2}", nullptr},
    {"{'a': 1e1J}", "{'a': 10j}"},
    {"{'a': 'x' 'y' \"z\"}", "{'a': 'xyz'}"},
    {"{'a': 'x' b'y'}", nullptr},
    {"{'a': b'x' b'y'}", "{'a': b'xy'}"},
    {"{'a': ('x' 'y')}", "{'a': 'xy'}"},
    {"{'a': u'x'}", "{'a': 'x'}"},
    {"{'a': U'x'}", "{'a': 'x'}"},
    {"{'a': r'\\n'}", "{'a': '\\\\n'}"},
    {"{'a': R'\\'x'}", "{'a': \"\\\\'x\"}"},
    {"{'a': rb'\\x41'}", "{'a': b'\\\\x41'}"},
    {"{'a': bR'x'}", "{'a': b'x'}"},
    {"{'a': ur'x'}", nullptr},
    {"{'a': f'x'}", nullptr},
    {"{'a': f'{1}'}", nullptr},
    {"{'a': bu'x'}", nullptr},
    {"{'a': rr'x'}", nullptr},
    {"{'a': '''x'y'''}", "{'a': \"x'y\"}"},
    {"{'a': '''x}", nullptr},
    {"{'a': \"x}", nullptr},
    {"{'a': ''}", "{'a': ''}"},
    {"{'a': ''''''}", "{'a': ''}"},
    {"{'a': '''x''y'''}", "{'a': \"x''y\"}"},
    {"{'a': '\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'}", "{'a': '\\x07\\x08\\x0c\\n\\r\\t\\x0b\\\\\\'\"'}"},
    {"{'a': '\\101\\7\\0'}", "{'a': 'A\\x07\\x00'}"},
    {"{'a': '\\400'}", "{'a': '\xc4\x80'}"},
    {"{'a': b'\\400'}", "{'a': b'\\x00'}"},
    {"{'a': '\\x4'}", nullptr},
    {"{'a': '\\x41'}", "{'a': 'A'}"},
    {"{'a': b'\\xff'}", "{'a': b'\\xff'}"},
    {"{'a': '\\u00e9'}", "{'a': '\xc3\xa9'}"},
    {"{'a': '\\u00e'}", nullptr},
    {"{'a': '\\ud800'}", "{'a': '\\ud800'}"},
    {"{'a': '\\U0001f642'}", "{'a': '\xf0\x9f\x99\x82'}"},
    {"{'a': '\\U00110000'}", nullptr},
    {"{'a': '\\q'}", "{'a': '\\\\q'}"},
    {"{'a': b'\\u0041'}", "{'a': b'\\\\u0041'}"},
    {"{'a': '\xc3\xa9\xf0\x9f\x99\x82'}", "{'a': '\xc3\xa9\xf0\x9f\x99\x82'}"},
    {"{'a': b'\xc3\xa9'}", nullptr},
    {"{'a': b'\\\xc3\xa9'}", nullptr},
    {"{'a': rb'\\\xc3\xa9'}", nullptr},
    {"{'a': '\\\xc3\xa9'}", "{'a': '\\\\\xc3\xa9'}"},
    {"{'a': 'x\\'}", nullptr},
    {"{'a':\xc2\xa0""1}", nullptr},
    {"{\x09'a'\x0c:  1}", "{'a': 1}"},
    {"{'a': \xc2\xb2}", nullptr},
    {"{'\xc3\xa9': \xc3\xa9}", nullptr},
    {"{...: 1}", "{Ellipsis: 1}"},
    {"{'a': ...}", "{'a': Ellipsis}"},
    {"{'a': . . .}", nullptr},
    {"{'a': ....}", nullptr},
    {"{**{}}", nullptr},
    {"{'a': *[1]}", nullptr},
    {"{'a': [*[1]]}", nullptr},
    {"{'a': lambda: 1}", nullptr},
    {"{'a': 1 if 2 else 3}", nullptr},
    {"{'a': [x for x in y]}", nullptr},
    {"{'a': __import__('os').system('true')}", nullptr},
    {"{'a': x}", nullptr},
    {"{'a': a.b}", nullptr},
    {"{'a': 'b'.c}", nullptr},
    {"{'a': [1][0]}", nullptr},
    {"{'a': not 1}", nullptr},
    {"{'a': ~1}", nullptr},
    {"{'a': 1 < 2}", nullptr},
    {"{'a': 'x' % 1}", nullptr},
    {"{'a': `1`}", nullptr},
    {"{'a': $}", nullptr},
    {"{'a': 1} {'b': 2}", nullptr},
    {"{'a': 1}}", nullptr},
    {"{'a': 1", nullptr},
    {"{'a': 1]}", nullptr},
    {"{'a': (1]}", nullptr},
    {"{'a': 1;}", nullptr},
    {"{'a' := 1}", nullptr},
    {"{'a': tensor(1)}", nullptr},
    {"{'a': array([1])}", nullptr},
    {"{'a': 1, 2}", nullptr},
    {"{1, 'a': 2}", nullptr},
    {"(1, 2)", "(1, 2)"},
    {"[1]", "[1]"},
    {"5", "5"},
    {"'x'", "'x'"},
    {"", nullptr},
    {"# x", nullptr},
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
    "{'a': np.array([1])}", "{'a': np.float64('x')}", "{'a': np.float64()}",   "{'a': np.float64(1, 2)}", "{'a': np.float64(1}", "{'a': np}",
    "{'a': np.}",           "{'a': np.1}",            "{'a': torch.float32(1)}", "{'a': np.float64(np)}",   "{'a': np.nonsense}",  "{'a': -np.True_}",
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
