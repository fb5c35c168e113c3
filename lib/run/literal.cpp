// SPDX-License-Identifier: Apache-2.0
// Numbers, strings and names of Python literals, and the entry to the parser.
#include "run/literal.h"

#include <limits>

#include "run/literal_parser.h"

namespace rlverify::run {

using core::Kind;
using core::kNoNode;
using core::NodeId;

core::NodeId LiteralParser::whole() {
  const NodeId root = expression();
  if (token_.kind != TokenKind::kEnd) {
    fail("text after the value");
  }
  return root;
}

core::NodeId LiteralParser::expression() {
  const NodeId left = signed_value();
  if (!is('+') && !is('-')) {
    return left;
  }
  const double sign = is('-') ? -1.0 : 1.0;
  const Kind kind = table_.kind(left);
  if (kind != Kind::kInteger && kind != Kind::kReal && kind != Kind::kBigInteger) {
    fail("a sum that is no complex number");
  }
  const std::uint32_t place = here();
  advance();
  const NodeId right = operand();
  if (table_.kind(right) != Kind::kComplex) {
    fail("a sum that is no complex number");
  }
  const double imaginary = sign * table_.real(table_.items(right)[1]);
  const double real = kind == Kind::kInteger ? static_cast<double>(table_.integer(left))
                      : kind == Kind::kReal  ? table_.real(left)
                                             : std::strtod(std::string(table_.text(left)).c_str(), nullptr);
  if (is('+') || is('-')) {
    fail("a sum of more than two numbers");
  }
  return table_.add_complex(real, imaginary, place);
}

core::NodeId LiteralParser::operand() {
  if (is('(')) {
    enter();
    const NodeId number = operand();
    leave(')');
    return number;
  }
  const bool named = token_.kind == TokenKind::kName;
  const NodeId value = is('[') || is('{') ? kNoNode : primary();
  const Kind kind = value == kNoNode ? Kind::kNull : table_.kind(value);
  if (kind != Kind::kReal &&
      (named || (kind != Kind::kInteger && kind != Kind::kBigInteger && kind != Kind::kComplex))) {
    fail("a sign before something that is no number");
  }
  return value;
}

core::NodeId LiteralParser::signed_value() {
  if (!is('+') && !is('-')) {
    return primary();
  }
  const bool negative = is('-');
  const std::uint32_t place = here();
  advance();
  const NodeId value = operand();
  if (!negative) {
    return value;
  }
  switch (table_.kind(value)) {
    case Kind::kInteger:
      return table_.add_integer(-table_.integer(value), place);
    case Kind::kBigInteger:
      return negative_big(std::string(table_.text(value)), place);
    case Kind::kReal:
      return table_.add_real(-table_.real(value), place);
    default:
      return table_.add_complex(-table_.real(table_.items(value)[0]), -table_.real(table_.items(value)[1]), place);
  }
}

core::NodeId LiteralParser::negative_big(const std::string& digits, std::uint32_t place) {
  if (digits == "9223372036854775808") {
    return table_.add_integer(std::numeric_limits<std::int64_t>::min(), place);
  }
  return table_.add_big_integer("-" + digits, place);
}

core::NodeId LiteralParser::primary() {
  const std::uint32_t place = here();
  switch (token_.kind) {
    case TokenKind::kInteger: {
      const NodeId id =
          token_.fits ? table_.add_integer(token_.integer, place) : table_.add_big_integer(token_.text, place);
      advance();
      return id;
    }
    case TokenKind::kReal: {
      const NodeId id = table_.add_real(token_.real, place);
      advance();
      return id;
    }
    case TokenKind::kImaginary: {
      const NodeId id = table_.add_complex(0.0, token_.real, place);
      advance();
      return id;
    }
    case TokenKind::kString:
    case TokenKind::kBytes:
      return strings(place);
    case TokenKind::kName:
      return name(place);
    case TokenKind::kPunctuation:
      if (is('(')) {
        return parenthesised(place);
      }
      if (is('[')) {
        return list(place);
      }
      if (is('{')) {
        return braces(place);
      }
      break;
    case TokenKind::kEnd:
      break;
  }
  fail("expected a value");
}

core::NodeId LiteralParser::strings(std::uint32_t place) {
  const TokenKind kind = token_.kind;
  std::string text;
  while (token_.kind == kind) {
    text += token_.text;
    advance();
  }
  if (token_.kind == TokenKind::kString || token_.kind == TokenKind::kBytes) {
    fail("a string beside a byte string");
  }
  return table_.add_text(kind == TokenKind::kString ? Kind::kString : Kind::kBytes, text, place);
}

core::NodeId LiteralParser::name(std::uint32_t place) {
  const std::string word = token_.text;
  advance();
  if (word == "True" || word == "False") {
    return table_.add_boolean(word == "True", place);
  }
  if (word == "None") {
    return table_.add_null(place);
  }
  if (word == "...") {
    return table_.add_ellipsis(place);
  }
  if (word == "inf" || word == "nan" || word == "Infinity" || word == "NaN") {
    public_accepts_ = public_accepts_ && (word == "inf" || word == "nan");
    return table_.add_real(word[0] == 'i' || word[0] == 'I' ? std::numeric_limits<double>::infinity()
                                                            : std::numeric_limits<double>::quiet_NaN(),
                           place);
  }
  if (word == "set" && is('(')) {
    advance();
    expect(')');
    return table_.add_container(Kind::kSet, place);
  }
  return wrapped_number(word, place);
}

core::NodeId LiteralParser::wrapped_number(const std::string& module, std::uint32_t place) {
  if ((module != "np" && module != "numpy") || !is('.')) {
    throw LiteralError(fmt::format("at byte {}: a name that no literal has: {}", place - place_, module));
  }
  public_accepts_ = false;
  advance();
  const std::string type = token_.text;
  if (token_.kind != TokenKind::kName) {
    fail("expected a numpy type");
  }
  advance();
  if (type == "True_" || type == "False_") {
    return table_.add_boolean(type == "True_", place);
  }
  if (type == "inf" || type == "nan") {
    return table_.add_real(
        type == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN(), place);
  }
  expect('(');
  const NodeId value = signed_value();
  const Kind kind = table_.kind(value);
  if (kind != Kind::kInteger && kind != Kind::kReal && kind != Kind::kBigInteger && kind != Kind::kBoolean) {
    fail("a numpy scalar that is no number");
  }
  expect(')');
  return value;
}

Literal parse_literal(std::string_view utf8, core::ValueTable& table, std::uint32_t place) {
  Literal result;
  if (utf8.find('\0') != std::string_view::npos) {
    result.problem = "a NUL byte";
    return result;
  }
  try {
    LiteralParser parser(utf8, table, place);
    result.root = parser.whole();
    result.public_accepts = parser.public_accepts();
  } catch (const LiteralError& error) {
    result.root = kNoNode;
    result.problem = error.what();
  }
  return result;
}

}  // namespace rlverify::run
