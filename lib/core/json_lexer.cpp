// SPDX-License-Identifier: Apache-2.0
// Blocks, white space, places, numbers and words. Strings are in json_string.cpp.
#include "core/json_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rlverify::core {

JsonLexer::JsonLexer(const ByteSource& source, const JsonLimits& limits, std::vector<std::uint32_t>* line_starts)
    : file_(source.name()),
      blocks_(source, 0, source.size(), limits.block_bytes),
      line_starts_(line_starts),
      max_kept_bytes_(limits.max_kept_string_bytes) {
  if (line_starts_ != nullptr) {
    line_starts_->assign(1, 0);
  }
}

bool JsonLexer::refill() {
  const std::span<const std::byte> block = blocks_.next();
  if (block.empty()) {
    return false;
  }
  block_offset_ += static_cast<std::uint64_t>(end_ - begin_);
  begin_ = reinterpret_cast<const char*>(block.data());
  cursor_ = begin_;
  end_ = begin_ + block.size();
  return true;
}

Place JsonLexer::place_at(std::uint64_t offset) const {
  const std::uint64_t column = offset - line_start_ + 1;
  constexpr std::uint64_t kMaxColumn = std::numeric_limits<std::uint32_t>::max();
  return Place{offset, line_, static_cast<std::uint32_t>(std::min(column, kMaxColumn))};
}

void JsonLexer::start_line() {
  line_start_ = place().offset;
  ++line_;
  if (line_starts_ != nullptr && line_starts_->size() < kMaxLineStarts) {
    line_starts_->push_back(static_cast<std::uint32_t>(line_start_));
  }
}

void JsonLexer::refuse_byte_order_mark() {
  if (peek() != 0xEF) {
    return;
  }
  // No JSON text starts with this byte, so there is no need to see the other two.
  fail(place(), ProblemKind::kMalformed, "a JSON value", "a byte order mark, or text that is not JSON (byte 0xef)");
}

int JsonLexer::next() {
  for (;;) {
    const int byte = peek();
    if (byte == '\n') {
      advance();
      start_line();
    } else if (byte == ' ' || byte == '\t' || byte == '\r') {
      advance();
    } else {
      return byte;
    }
  }
}

std::string_view JsonLexer::scan_number_text() {
  const auto is_number_character = [](char c) {
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
  };
  const char* first = cursor_;
  cursor_ = std::find_if_not(cursor_, end_, is_number_character);
  if (cursor_ != end_) {
    return {first, static_cast<std::size_t>(cursor_ - first)};
  }
  scratch_.assign(first, end_);
  while (cursor_ == end_ && refill()) {
    cursor_ = std::find_if_not(begin_, end_, is_number_character);
    scratch_.append(begin_, cursor_);
  }
  return scratch_;
}

void JsonLexer::scan_word(std::string_view word, std::string_view expected) {
  for (const char letter : word) {
    if (peek() != static_cast<unsigned char>(letter)) {
      fail(std::string(expected));
    }
    advance();
  }
}

std::string JsonLexer::found_here() {
  const int byte = peek();
  if (byte == kEnd) {
    return "the end of the text";
  }
  if (byte == 0) {
    return "a NUL byte";
  }
  if (byte == '\'') {
    return "a single quote";
  }
  return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", static_cast<char>(byte)) : fmt::format("byte {:#04x}", byte);
}

void JsonLexer::fail(std::string expected) {
  std::string found = found_here();
  fail(place(), ProblemKind::kMalformed, std::move(expected), std::move(found));
}

void JsonLexer::fail(Place where, ProblemKind kind, std::string expected, std::string found) const {
  Problem problem;
  problem.kind = kind;
  problem.file = file_;
  problem.offset = where.offset;
  problem.line = where.line;
  problem.column = where.column;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw ArtifactError(std::move(problem));
}

}  // namespace rlverify::core
