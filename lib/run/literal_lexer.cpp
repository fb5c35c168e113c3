// SPDX-License-Identifier: Apache-2.0
// Follows Python 3.11's tokenizer where a literal can meet it; numbers and strings have files of their own.
#include "run/literal_lexer.h"

#include <fmt/format.h>

namespace rlverify::run {

bool is_literal_digit(char c, unsigned base) {
  if (base == 16) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  return c >= '0' && c < static_cast<char>('0' + base);
}

bool is_literal_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

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
  if (is_literal_digit(c, 10) || (c == '.' && is_literal_digit(peek(1), 10))) {
    return number();
  }
  if (c == '\'' || c == '"') {
    return string(false, false);
  }
  if (is_literal_name_char(c)) {
    return word();
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

Token LiteralLexer::word() {
  std::size_t end = at_;
  while (end < text_.size() && is_literal_name_char(text_[end])) {
    ++end;
  }
  const std::string_view name = text_.substr(at_, end - at_);
  const bool quoted = end < text_.size() && (text_[end] == '\'' || text_[end] == '"');
  if (!quoted || name.size() > 2) {
    Token token;
    token.kind = TokenKind::kName;
    token.offset = at_;
    token.text = std::string(name);
    at_ = end;
    return token;
  }
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

}  // namespace rlverify::run
