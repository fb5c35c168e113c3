// SPDX-License-Identifier: Apache-2.0
// Recursive descent over literal displays. The depth is that of Python's tokenizer (200 open brackets), so recursion is
// safe.
#include "run/literal.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/errors.h"
#include "core/python_key.h"
#include "run/literal_lexer.h"

namespace rlverify::run {
namespace {

using core::Kind;
using core::kNoNode;
using core::NodeId;

constexpr int kMaxDepth = 200;

class Parser {
 public:
  Parser(std::string_view text, core::ValueTable& table, std::uint32_t place)
      : lexer_(text), table_(table), place_(place) {
    advance();
  }

  NodeId whole() {
    const NodeId root = expression();
    if (token_.kind != TokenKind::kEnd) {
      fail("text after the value");
    }
    return root;
  }
  [[nodiscard]] bool public_accepts() const { return public_accepts_; }

 private:
  void advance() { token_ = lexer_.next(); }
  [[nodiscard]] bool is(char punctuation) const {
    return token_.kind == TokenKind::kPunctuation && token_.punctuation == punctuation;
  }
  [[nodiscard]] std::uint32_t here() const { return place_ + static_cast<std::uint32_t>(token_.offset); }
  [[noreturn]] void fail(const std::string& what) const {
    throw LiteralError(fmt::format("at byte {}: {}", token_.offset, what));
  }
  void expect(char punctuation) {
    if (!is(punctuation)) {
      fail(fmt::format("expected '{}'", punctuation));
    }
    advance();
  }

  /// A value, or the sum of a real and an imaginary number.
  NodeId expression() {
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

  /// A number, in brackets or not: what may follow a sign. A numpy scalar is one as well, when it is no integer.
  NodeId operand() {
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

  /// One sign at most, before a number only: that is all ast.literal_eval takes.
  NodeId signed_value() {
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

  NodeId negative_big(const std::string& digits, std::uint32_t place) {
    if (digits == "9223372036854775808") {
      return table_.add_integer(std::numeric_limits<std::int64_t>::min(), place);
    }
    return table_.add_big_integer("-" + digits, place);
  }

  NodeId primary() {
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

  /// Adjacent strings join, as in Python source.
  NodeId strings(std::uint32_t place) {
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

  NodeId name(std::uint32_t place) {
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

  /// `np.float64(0.5)`, `np.int64(8)`, `np.True_`: what numpy 2 prints for a scalar. The public validator drops the
  /// record.
  NodeId wrapped_number(const std::string& module, std::uint32_t place) {
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

  void enter() {
    if (++depth_ > kMaxDepth) {
      fail("more than 200 open brackets");
    }
    advance();
  }
  void leave(char closing) {
    expect(closing);
    --depth_;
  }

  NodeId parenthesised(std::uint32_t place) {
    enter();
    if (is(')')) {
      leave(')');
      return table_.add_container(Kind::kTuple, place);
    }
    const NodeId first = expression();
    if (!is(',')) {
      leave(')');
      return first;
    }
    const NodeId tuple = table_.add_container(Kind::kTuple, place);
    table_.append(tuple, first);
    while (is(',')) {
      advance();
      if (is(')')) {
        break;
      }
      table_.append(tuple, expression());
    }
    leave(')');
    return tuple;
  }

  NodeId list(std::uint32_t place) {
    enter();
    const NodeId list = table_.add_container(Kind::kList, place);
    while (!is(']')) {
      table_.append(list, expression());
      if (!is(']')) {
        expect(',');
      }
    }
    leave(']');
    return list;
  }

  NodeId braces(std::uint32_t place) {
    enter();
    if (is('}')) {
      leave('}');
      return table_.add_container(Kind::kDict, place);
    }
    const NodeId first = expression();
    const NodeId result = is(':') ? dict(first, place) : set(first, place);
    leave('}');
    return result;
  }

  std::string hash_key(NodeId id) const {
    const core::Value key(table_, id);
    if (!core::is_hashable(key)) {
      fail("a key that Python can't hash");
    }
    try {
      return core::python_key(key);
    } catch (const core::ArtifactError&) {
      fail("a key that is too large");
    }
  }

  NodeId dict(NodeId first_key, std::uint32_t place) {
    const NodeId dict = table_.add_container(Kind::kDict, place);
    std::unordered_map<std::string, std::size_t> known;
    NodeId key = first_key;
    while (true) {
      expect(':');
      const NodeId value = expression();
      const auto [entry, fresh] = known.emplace(hash_key(key), known.size());
      if (fresh) {
        table_.append_entry(dict, key, value);
      } else {
        table_.set_item(dict, entry->second * 2 + 1, value);
      }
      if (is('}')) {
        return dict;
      }
      expect(',');
      if (is('}')) {
        return dict;
      }
      key = expression();
    }
  }

  NodeId set(NodeId first, std::uint32_t place) {
    const NodeId set = table_.add_container(Kind::kSet, place);
    std::unordered_set<std::string> known;
    NodeId item = first;
    while (true) {
      if (known.insert(hash_key(item)).second) {
        table_.append(set, item);
      }
      if (is('}')) {
        return set;
      }
      expect(',');
      if (is('}')) {
        return set;
      }
      item = expression();
    }
  }

  LiteralLexer lexer_;
  core::ValueTable& table_;
  std::uint32_t place_;
  Token token_;
  int depth_ = 0;
  bool public_accepts_ = true;
};

}  // namespace

Literal parse_literal(std::string_view utf8, core::ValueTable& table, std::uint32_t place) {
  Literal result;
  if (utf8.find('\0') != std::string_view::npos) {
    result.problem = "a NUL byte";
    return result;
  }
  try {
    Parser parser(utf8, table, place);
    result.root = parser.whole();
    result.public_accepts = parser.public_accepts();
  } catch (const LiteralError& error) {
    result.root = kNoNode;
    result.problem = error.what();
  }
  return result;
}

}  // namespace rlverify::run
