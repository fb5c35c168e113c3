// SPDX-License-Identifier: Apache-2.0
// Strings and byte strings of Python literals with their escapes.
#include "run/literal_lexer.h"

namespace rlverify::run {
namespace {

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

}  // namespace

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
        escape(token.text, bytes);
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

void LiteralLexer::escape(std::string& out, bool bytes) {
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
      if (!is_literal_digit(peek(), 16)) {
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
