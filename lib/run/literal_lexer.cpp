// SPDX-License-Identifier: Apache-2.0
// Follows Python 3.11's tokenizer where a literal can meet it: underscores between digits, prefixes of strings,
// escapes, comments to the end.
#include "run/literal_lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace rlverify::run {
namespace {

/// Python 3.11 refuses longer decimal integers (sys.int_info.default_max_str_digits).
constexpr std::size_t kMaxDecimalDigits = 4300;

bool is_digit(char c, unsigned base) {
  if (base == 16) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  return c >= '0' && c < static_cast<char>('0' + base);
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_char(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

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

}  // namespace

void LiteralLexer::fail(const std::string& what) const {
  throw LiteralError(fmt::format("at byte {}: {}", at_, what));
}

void LiteralLexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = text_.size();
    } else if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else {
      return;
    }
  }
}

Token LiteralLexer::next() {
  skip_space();
  Token token;
  token.offset = at_;
  if (at_ >= text_.size()) {
    return token;
  }
  const char c = text_[at_];
  if (is_digit(c, 10) || (c == '.' && is_digit(peek(1), 10))) {
    return number();
  }
  if (c == '\'' || c == '"') {
    return string(false, false);
  }
  if (is_name_start(c)) {
    std::size_t end = at_;
    while (end < text_.size() && is_name_char(text_[end])) {
      ++end;
    }
    const std::string_view name = text_.substr(at_, end - at_);
    if (end < text_.size() && (text_[end] == '\'' || text_[end] == '"') && name.size() <= 2) {
      bool raw = false;
      bool bytes = false;
      bool unicode = false;
      bool known = true;
      for (const char letter : name) {
        const char lower = static_cast<char>(letter | 0x20);
        bool& flag = lower == 'r' ? raw : lower == 'b' ? bytes : unicode;
        known = known && (lower == 'r' || lower == 'b' || lower == 'u') && !flag;
        flag = true;
      }
      if (!known || (unicode && name.size() == 2)) {
        fail("a string prefix that a literal can't have");
      }
      at_ = end;
      return string(raw, bytes);
    }
    token.kind = TokenKind::kName;
    token.text = std::string(name);
    at_ = end;
    return token;
  }
  token.kind = TokenKind::kPunctuation;
  token.punctuation = std::string_view("()[]{},:+-.").find(c) != std::string_view::npos ? c : '*';
  ++at_;
  if (c == '.' && peek() == '.' && peek(1) == '.') {
    at_ += 2;
    token.kind = TokenKind::kName;
    token.text = "...";
  }
  return token;
}

Token LiteralLexer::number() {
  const std::size_t start = at_;
  // Digits with single underscores between them, as Python allows; a leading underscore is allowed after a base prefix.
  const auto digits = [this](unsigned base, bool leading_underscore) {
    std::string out;
    bool may_underscore = leading_underscore;
    while (at_ < text_.size() && (is_digit(text_[at_], base) || (text_[at_] == '_' && may_underscore))) {
      if (text_[at_] == '_') {
        may_underscore = false;
        if (!is_digit(peek(1), base)) {
          fail("an underscore that is not between digits");
        }
      } else {
        out += text_[at_];
        may_underscore = true;
      }
      ++at_;
    }
    return out;
  };
  const char prefix = static_cast<char>(peek(1) | 0x20);
  if (text_[at_] == '0' && (prefix == 'x' || prefix == 'o' || prefix == 'b')) {
    const unsigned base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : 2;
    at_ += 2;
    std::string value = digits(base, true);
    if (value.empty() || is_name_char(peek())) {
      fail("a number that is not one");
    }
    return integer_token(std::move(value), base, start);
  }
  std::string spelling = digits(10, false);
  bool real = false;
  if (peek() == '.') {
    real = true;
    ++at_;
    spelling += '.' + digits(10, false);
  }
  if (peek() == 'e' || peek() == 'E') {
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (is_digit(peek(1 + sign), 10)) {
      real = true;
      spelling += 'e';
      if (peek(1) == '-') {
        spelling += '-';
      }
      at_ += 1 + sign;
      spelling += digits(10, false);
    }
  }
  const bool imaginary = peek() == 'j' || peek() == 'J';
  at_ += imaginary ? 1 : 0;
  if (is_name_char(peek())) {
    fail("a letter directly after a number");
  }
  if (!real && !imaginary) {
    if (spelling.size() > 1 && spelling[0] == '0' && spelling.find_first_not_of('0') != std::string::npos) {
      fail("a decimal integer with leading zeros");
    }
    if (spelling.size() > kMaxDecimalDigits) {
      fail("an integer of more digits than Python reads");
    }
    return integer_token(std::move(spelling), 10, start);
  }
  Token token;
  token.kind = imaginary ? TokenKind::kImaginary : TokenKind::kReal;
  token.offset = start;
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

Token LiteralLexer::string(bool raw, bool bytes) {
  Token token;
  token.kind = bytes ? TokenKind::kBytes : TokenKind::kString;
  token.offset = at_;
  const char quote = text_[at_];
  const bool triple = peek(1) == quote && peek(2) == quote;
  at_ += triple ? 3 : 1;
  while (true) {
    if (at_ >= text_.size()) {
      fail("a string without an end");
    }
    const char c = text_[at_];
    if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
      at_ += triple ? 3 : 1;
      return token;
    }
    if (c == '\\') {
      if (at_ + 1 >= text_.size()) {
        fail("a string without an end");
      }
      if (raw) {
        token.text += c;
        token.text += text_[at_ + 1];
        at_ += 2;
      } else {
        escape(token.text, bytes, quote);
      }
      continue;
    }
    if (bytes && static_cast<unsigned char>(c) >= 0x80) {
      fail("a byte string with a character that is not ASCII");
    }
    token.text += c;
    ++at_;
  }
}

void LiteralLexer::escape(std::string& out, bool bytes, char) {
  const char c = text_[at_ + 1];
  at_ += 2;
  const auto put = [&out, bytes](std::uint32_t code) {
    if (bytes) {
      out += static_cast<char>(code & 0xFF);
    } else {
      append_utf8(out, code);
    }
  };
  const auto hex = [this](std::size_t count) {
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < count; ++i, ++at_) {
      if (!is_digit(peek(), 16)) {
        fail("an escape with too few hex digits");
      }
      const char digit = peek();
      code = code * 16 + static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return code;
  };
  static constexpr std::string_view kFrom = "\\'\"abfnrtv";
  static constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
  if (const auto simple = kFrom.find(c); simple != std::string_view::npos) {
    out += kTo[simple];
  } else if (c >= '0' && c <= '7') {
    std::uint32_t code = static_cast<std::uint32_t>(c - '0');
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i, ++at_) {
      code = code * 8 + static_cast<std::uint32_t>(peek() - '0');
    }
    put(code);
  } else if (c == 'x') {
    put(hex(2));
  } else if (!bytes && (c == 'u' || c == 'U')) {
    const std::uint32_t code = hex(c == 'u' ? 4 : 8);
    if (code > 0x10FFFF) {
      fail("an escape beyond Unicode");
    }
    put(code);
  } else if (!bytes && c == 'N') {
    fail("an escape by character name, which is not read");
  } else {
    // An unknown escape stands for itself, backslash included.
    out += '\\';
    out += c;
  }
}

}  // namespace rlverify::run
