// SPDX-License-Identifier: Apache-2.0
// The tokens of JSON text, read block by block (internal to the JSON reader). A token that lies within one block is
// handed out as a view of it; one that crosses blocks or holds escapes is put together in a scratch string. Line feeds
// can only stand between tokens, so lines are counted there and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/json_reader.h"

namespace rlverify::core {

/// Line starts kept for JsonDocument::place_of: 4 MB at most.
inline constexpr std::size_t kMaxLineStarts = 1'000'000;

class JsonLexer {
 public:
  static constexpr int kEnd = -1;

  /// `line_starts`, where given, gets the offset of every line's first byte, up to kMaxLineStarts.
  JsonLexer(const ByteSource& source, const JsonLimits& limits, std::vector<std::uint32_t>* line_starts);

  /// Throws for a text that starts with a byte order mark.
  void refuse_byte_order_mark();
  /// Skips white space; the byte that follows, or kEnd.
  int next();
  /// The byte at hand without skipping anything, or kEnd.
  int peek() { return cursor_ != end_ || refill() ? static_cast<unsigned char>(*cursor_) : kEnd; }
  /// Steps over the byte that next() or peek() gave.
  void advance() { ++cursor_; }
  [[nodiscard]] Place place() const { return place_at(block_offset_ + static_cast<std::uint64_t>(cursor_ - begin_)); }

  /// The string whose opening quote is at hand, unescaped; valid until the next call. Cut after max_kept_string_bytes;
  /// a key that long is refused.
  std::string_view scan_string(bool is_key);
  /// The longest run of the characters of a number; its grammar is the caller's business. Valid until the next call.
  std::string_view scan_number_text();
  /// Steps over `word`, which must follow. `expected` is for the message.
  void scan_word(std::string_view word, std::string_view expected);

  /// Throws the ArtifactError for `expected` at `where`, or at hand; what was found is the byte at hand.
  [[noreturn]] void fail(std::string expected);
  [[noreturn]] void fail(Place where, ProblemKind kind, std::string expected, std::string found) const;
  /// A place on the line at hand, `bytes` after `start`.
  [[nodiscard]] Place after(Place start, std::size_t bytes) const { return place_at(start.offset + bytes); }
  /// Words for the byte at hand.
  std::string found_here();

 private:
  bool refill();
  [[nodiscard]] Place place_at(std::uint64_t offset) const;
  void start_line();
  void keep(const char* first, const char* last);
  void keep_code_point(std::uint32_t code_point);
  void scan_escape();
  void scan_simple_escape();
  std::uint32_t scan_hex_digits();
  void scan_utf8_sequence_byte();
  std::string_view finish_string(std::string_view text, bool is_key, Place start) const;

  const std::string& file_;
  BlockReader blocks_;
  std::vector<std::uint32_t>* line_starts_;
  std::uint64_t max_kept_bytes_;
  const char* begin_ = nullptr;
  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t block_offset_ = 0;
  std::uint64_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::string scratch_;
  bool cut_ = false;
  // The rest of a UTF-8 sequence that was begun: bytes to come and the range of the next one.
  unsigned sequence_left_ = 0;
  unsigned char sequence_low_ = 0;
  unsigned char sequence_high_ = 0;
};

}  // namespace rlverify::core
