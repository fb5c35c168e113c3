// SPDX-License-Identifier: Apache-2.0
// Numbers of Python literals: bases, underscores between digits, fractions, exponents, imaginary ones.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "run/literal_lexer.h"

namespace rlverify::run {
namespace {

/// Python 3.11 refuses longer decimal integers (sys.int_info.default_max_str_digits).
constexpr std::size_t kMaxDecimalDigits = 4300;

/// The decimal digits of a number given in a base that is a power of two: schoolbook, for the rare log value beyond 64
/// bits.
std::string to_decimal(std::string_view digits, unsigned base) {
  std::string decimal = "0";
  for (const char c : digits) {
    unsigned carry = c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a') + 10;
    for (auto digit = decimal.rbegin(); digit != decimal.rend(); ++digit) {
      const unsigned value = static_cast<unsigned>(*digit - '0') * base + carry;
      *digit = static_cast<char>('0' + value % 10);
      carry = value / 10;
    }
    while (carry != 0) {
      decimal.insert(decimal.begin(), static_cast<char>('0' + carry % 10));
      carry /= 10;
    }
  }
  return decimal;
}

Token integer_token(std::string digits, unsigned base, std::size_t offset) {
  Token token;
  token.kind = TokenKind::kInteger;
  token.offset = offset;
  const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), token.integer, static_cast<int>(base));
  if (parsed.ec == std::errc()) {
    return token;
  }
  token.fits = false;
  if (base != 10 && digits.size() > kMaxDecimalDigits) {
    throw LiteralError("an integer of more digits than are read");
  }
  token.text =
      base == 10 ? digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1)) : to_decimal(digits, base);
  return token;
}

Token real_token(std::string spelling, bool imaginary, std::size_t offset) {
  Token token;
  token.kind = imaginary ? TokenKind::kImaginary : TokenKind::kReal;
  token.offset = offset;
  if (spelling[0] == '.') {
    spelling.insert(0, "0");
  }
  const auto parsed = std::from_chars(spelling.data(), spelling.data() + spelling.size(), token.real);
  if (parsed.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: too large is infinity, too small is zero, as for Python.
    token.real = std::strtod(spelling.c_str(), nullptr);
  }
  return token;
}

}  // namespace

std::string LiteralLexer::digits(unsigned base, bool leading_underscore) {
  std::string out;
  bool may_underscore = leading_underscore;
  while (at_ < text_.size() && (is_literal_digit(text_[at_], base) || (text_[at_] == '_' && may_underscore))) {
    if (text_[at_] == '_') {
      may_underscore = false;
      if (!is_literal_digit(peek(1), base)) {
        fail("an underscore that is not between digits");
      }
    } else {
      out += text_[at_];
      may_underscore = true;
    }
    ++at_;
  }
  return out;
}

Token LiteralLexer::prefixed_number(unsigned base) {
  const std::size_t start = at_;
  at_ += 2;
  std::string value = digits(base, true);
  if (value.empty() || is_literal_name_char(peek())) {
    fail("a number that is not one");
  }
  return integer_token(std::move(value), base, start);
}

Token LiteralLexer::number() {
  const std::size_t start = at_;
  const char prefix = static_cast<char>(peek(1) | 0x20);
  if (text_[at_] == '0' && (prefix == 'x' || prefix == 'o' || prefix == 'b')) {
    return prefixed_number(prefix == 'x' ? 16 : prefix == 'o' ? 8 : 2);
  }
  std::string spelling = digits(10, false);
  bool real = false;
  if (peek() == '.') {
    real = true;
    ++at_;
    spelling += '.' + digits(10, false);
  }
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if ((peek() == 'e' || peek() == 'E') && is_literal_digit(peek(1 + sign), 10)) {
    real = true;
    spelling += peek(1) == '-' ? "e-" : "e";
    at_ += 1 + sign;
    spelling += digits(10, false);
  }
  const bool imaginary = peek() == 'j' || peek() == 'J';
  at_ += imaginary ? 1 : 0;
  if (is_literal_name_char(peek())) {
    fail("a letter directly after a number");
  }
  if (real || imaginary) {
    return real_token(std::move(spelling), imaginary, start);
  }
  if (spelling.size() > 1 && spelling[0] == '0' && spelling.find_first_not_of('0') != std::string::npos) {
    fail("a decimal integer with leading zeros");
  }
  if (spelling.size() > kMaxDecimalDigits) {
    fail("an integer of more digits than Python reads");
  }
  return integer_token(std::move(spelling), 10, start);
}

}  // namespace rlverify::run
