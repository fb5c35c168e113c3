// SPDX-License-Identifier: Apache-2.0
// Recursive descent over literal displays (internal to literal.h). The depth is that of Python's tokenizer (200 open
// brackets), so recursion is safe. Numbers and names are parsed in literal.cpp, brackets in literal_containers.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/value.h"
#include "run/literal_lexer.h"

namespace rlverify::run {

class LiteralParser {
 public:
  LiteralParser(std::string_view text, core::ValueTable& table, std::uint32_t place)
      : lexer_(text), table_(table), place_(place) {
    advance();
  }

  /// Parses everything up to the end of the text. Throws LiteralError.
  core::NodeId whole();
  [[nodiscard]] bool public_accepts() const { return public_accepts_; }

 private:
  using NodeId = core::NodeId;
  static constexpr int kMaxDepth = 200;

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

  /// A value, or the sum of a real and an imaginary number.
  NodeId expression();
  /// A number, in brackets or not: what may follow a sign. A numpy scalar is one as well, when it is no integer.
  NodeId operand();
  /// One sign at most, before a number only: that is all ast.literal_eval takes.
  NodeId signed_value();
  NodeId negative_big(const std::string& digits, std::uint32_t place);
  NodeId primary();
  /// Adjacent strings join, as in Python source.
  NodeId strings(std::uint32_t place);
  NodeId name(std::uint32_t place);
  /// `np.float64(0.5)`, `np.int64(8)`, `np.True_`: what numpy 2 prints for a scalar. The public validator drops the
  /// record.
  NodeId wrapped_number(const std::string& module, std::uint32_t place);
  NodeId parenthesised(std::uint32_t place);
  NodeId list(std::uint32_t place);
  NodeId braces(std::uint32_t place);
  std::string hash_key(NodeId id) const;
  NodeId dict(NodeId first_key, std::uint32_t place);
  NodeId set(NodeId first, std::uint32_t place);

  LiteralLexer lexer_;
  core::ValueTable& table_;
  std::uint32_t place_;
  Token token_;
  int depth_ = 0;
  bool public_accepts_ = true;
};

}  // namespace rlverify::run
