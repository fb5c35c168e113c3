// SPDX-License-Identifier: Apache-2.0
// Tokens of Python literals: numbers, strings, names and punctuation. Apart from the parser so that each stays one
// idea.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rlverify::run {

/// Raised inside the literal parser; parse_literal turns it into Literal::problem.
struct LiteralError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class TokenKind { kEnd, kPunctuation, kName, kInteger, kReal, kImaginary, kString, kBytes };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  char punctuation = 0;  ///< of kPunctuation: one of ( ) [ ] { } , : + - . or '*' for everything else
  std::string text;  ///< decoded string or bytes, name, or decimal digits of an integer that needs more than 64 bits
  std::int64_t integer = 0;
  bool fits = true;  ///< of kInteger: the value is in `integer`
  double real = 0.0;
  std::size_t offset = 0;
};

[[nodiscard]] bool is_literal_digit(char c, unsigned base);  ///< base 2, 8, 10 or 16
[[nodiscard]] bool is_literal_name_char(char c);

class LiteralLexer {
 public:
  explicit LiteralLexer(std::string_view text) : text_(text) {}
  /// The next token. Throws LiteralError for what Python's tokenizer refuses too.
  Token next();

 private:
  Token number();
  Token prefixed_number(unsigned base);
  /// Digits with single underscores between them, as Python allows; after a base prefix one may lead.
  std::string digits(unsigned base, bool leading_underscore);
  /// A name, or a string with a prefix.
  Token word();
  Token string(bool raw, bool bytes);
  void escape(std::string& out, bool bytes);
  void skip_space();
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[noreturn]] void fail(const std::string& what) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace rlverify::run
